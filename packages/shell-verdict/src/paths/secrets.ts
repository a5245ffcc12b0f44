import { couldMatch, globPattern, isPattern, reachOf } from './reach.ts'

/** Names of files that hold secrets, wherever they lie. */
const NAMES: readonly RegExp[] = [
  /^\.env$/,
  /^\.env\.(?!example$|sample$|template$|dist$|schema$|defaults$)[^/]+$/,
  /^[^/]+\.env$/,
  /^\.envrc$/,
  /^\.(netrc|pgpass|my\.cnf|npmrc|pypirc|git-credentials|htpasswd|dockercfg|vault-token|boto|s3cfg|terraformrc)$/,
  /^_netrc$/,
  /^id_(rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk)$/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|ovpn|tfstate(\.backup)?|tfvars(\.json)?)$/,
  /^\.?(credentials|secrets?)(\.(json|ya?ml|toml|ini|txt|env|db|properties|xml))?$/,
  /^\.?(access[-_]?|auth[-_]?|api[-_]?|refresh[-_]?)?token(s|\.(json|txt))?$/,
  /^\.?(api|private|secret|access)[-_]?key(\.(json|txt))?$/,
  /^service[-_]?account[^/]*\.json$/,
  /[-_](key|credentials?|secrets?)\.json$/,
  /^(auth|logins|wp-config)\.(json|php)$/,
  /^\.dockerconfigjson$/,
  /^ssh_host_[a-z0-9]+_key$/,
  /\.keytab$/,
  /^wallet\.dat$/,
  /^(master|production|staging)\.key$/,
  /^(shadow|gshadow|sudoers|master\.passwd)$/,
  /^kubeconfig(\.ya?ml)?$/,
  /^\.?(bash|zsh|python|node_repl|psql|mysql|sqlite|rediscli|irb|fish)_history$/,
  /^\.(lesshst|viminfo|databrickscfg|condarc|aider\.conf\.yml|openai|irb-history)$/,
]

/** Public halves and examples that only look like secrets. */
const HARMLESS =
  /(^|[._-])(pub|public|cert|certificate|ca|chain|fullchain|example|sample)\.(pem|key|asc)$|\.pub$/

/** Folders of the home folder that hold credentials. */
const HOME_FOLDERS = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.config/gh',
  '.config/op',
  '.config/sops',
  '.config/rclone',
  '.config/hub',
  '.config/glab-cli',
  '.config/doctl',
  '.config/stripe',
  '.config/heroku',
  '.config/netlify',
  '.config/anthropic',
  '.config/openai',
  '.config/solana',
  '.config/filezilla',
  '.config/Bitwarden',
  '.config/containers/auth.json',
  '.config/composer/auth.json',
  '.config/helm/registry',
  '.config/helm/repositories.yaml',
  '.config/pip',
  '.config/git/credentials',
  '.config/chromium',
  '.config/BraveSoftware',
  '.config/microsoft-edge',
  '.config/Code/User/globalStorage',
  '.config/Cursor/User/globalStorage',
  '.netlify',
  '.vercel',
  '.local/share/com.vercel.cli',
  '.fly',
  '.wrangler',
  '.railway',
  '.supabase',
  '.snowflake',
  '.dbt',
  '.kaggle',
  '.huggingface',
  '.cache/huggingface/token',
  '.anthropic',
  '.continue',
  '.codeium',
  '.gradle/gradle.properties',
  '.m2/settings-security.xml',
  '.sbt/.credentials',
  '.ivy2/.credentials',
  '.nuget/NuGet',
  '.composer/auth.json',
  '.bundle/config',
  '.pip',
  '.mc',
  '.electrum',
  '.bitcoin',
  '.ethereum',
  '.thunderbird',
  '.password-store',
  '.terraform.d',
  '.oci',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  '.local/share/keyrings',
  'Library/Keychains',
  'Library/Application Support/Google/Chrome',
  '.mozilla',
  '.config/google-chrome',
  '.claude/.credentials.json',
  '.claude.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  '.gemini/google_accounts.json',
  '.gemini/mcp-oauth-tokens.json',
  '.local/share/opencode',
  '.config/github-copilot',
  '.copilot/config.json',
  '.copilot/mcp-config.json',
  '.cursor/auth.json',
  '.config/cursor/auth.json',
  '.pi/agent/auth.json',
  '.omp/agent/auth.json',
]

const SYSTEM = [
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/krb5.keytab',
  '/etc/wireguard',
  '/etc/openvpn',
  '/etc/NetworkManager/system-connections',
  '/etc/kubernetes',
  '/etc/rancher',
  '/root',
  '/run/secrets',
  '/run/user',
  '/var/run/secrets',
  '/var/run/user',
  '/var/lib/secrets',
  '/var/lib/docker',
  '/var/lib/kubelet',
  '/var/spool/cron',
  '/proc/kcore',
  '/proc/kmem',
  '/dev/mem',
  '/dev/kmem',
  '/dev/port',
]
/** Whole disks and partitions. */
const DISKS = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|dm-|md|loop|disk|rdisk|mapper)/
/** Of a process: its variables and memory, and the files it holds open, whatever their names. */
const OF_A_PROCESS = ['environ', 'mem', 'auxv', 'fd', 'map_files', 'fdinfo']

/** Why this path is protected, or undefined. A pattern counts when it could match a protected name. */
export function secretPath(path: string, home: string, dots = false): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const places = protectedPlaces(home)
  const place = isPattern(path)
    ? places.list.find(entry => reachOf(path, entry, dots) === 'inside')
    : placeAround(path, places)
  if (place?.startsWith(`${home}/`))
    return HARMLESS.test(name) ? undefined : `the credential folder ~${place.slice(home.length)}`
  if (place) return `the protected path ${place}`
  if (path.startsWith('/proc/') && ofAProcess(path))
    return 'the environment, memory or open files of a process'
  if (DISKS.test(path)) return 'a whole disk'
  if (isPattern(name)) return nameSecret(name, dots)
  if (HARMLESS.test(name)) return undefined
  return NAMES.some(pattern => pattern.test(name)) ? `a file that may hold secrets (${name})` : undefined
}

function placeAround(path: string, { byName }: Places): string | undefined {
  for (const folder of foldersOf(path.toLowerCase())) {
    const place = byName.get(folder)
    if (place !== undefined) return place
  }
  return undefined
}

/** `/proc/PID/environ`, `/proc/PID/task/TID/mem`, `/proc/PID/fd/3`. */
function ofAProcess(path: string): boolean {
  const [, , process = '', ...names] = path.split('/')
  if (/^(?:sys|net|fs|driver|bus|irq|tty|self\/net)$/.test(process)) return false
  if (names[0] === 'fd' && /^[012]$/.test(names[1] ?? '')) return false
  return names.some(name => OF_A_PROCESS.some(file => couldMatch(name, file)))
}

/** The protected place that lies in this folder, or in one that this pattern could match: what goes through it finds it. */
export function secretBelow(path: string, home: string, dots = false): string | undefined {
  const places = protectedPlaces(home)
  if (isPattern(path)) return places.list.find(place => reachOf(path, place, dots) === 'above')
  return places.below.get(path.toLowerCase())
}

interface Places {
  readonly home: string
  readonly list: readonly string[]
  /** Each place by its name in lower case: many file systems take `.SSH` for `.ssh`. */
  readonly byName: ReadonlyMap<string, string>
  /** For each folder above a place, one that lies in it. */
  readonly below: ReadonlyMap<string, string>
}

let known: Places | undefined

/** Kept for the last home folder: every path of every command is compared with them. */
function protectedPlaces(home: string): Places {
  if (known?.home === home) return known
  const list = [...SYSTEM.filter(entry => entry !== home), ...HOME_FOLDERS.map(entry => `${home}/${entry}`)]
  const byName = new Map(list.map(place => [place.toLowerCase(), place]))
  const below = new Map<string, string>()
  for (const place of [...list].reverse())
    for (const folder of foldersOf(place.toLowerCase()).slice(1)) below.set(folder, place)
  known = { home, list, byName, below }
  return known
}

/** A path and every folder above it, up to the root. */
function foldersOf(path: string): string[] {
  const folders = [path]
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    folders.push(path.slice(0, at))
  return [...folders, '/']
}

const SAMPLES = [
  '.env',
  '.env.local',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  'id_rsa',
  'id_ed25519',
  'credentials',
  'credentials.json',
  'secrets.json',
  'secrets.yaml',
  'server.key',
  'key.pem',
  'store.p12',
]

/** `.e*` and `id_?sa` name secrets; `*.py` and a bare `*` (which leaves dot files out) do not. */
function nameSecret(name: string, dots: boolean): string | undefined {
  if (
    /^\*+(\.[\w*]+)?$/.test(name) &&
    !/^\*\.(env|pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfstate|tfvars)/.test(name)
  )
    return undefined
  const pattern = globPattern(name)
  const hit = SAMPLES.find(
    sample => (dots || !sample.startsWith('.') || /^[.[@+!]/.test(name)) && pattern.test(sample),
  )
  return hit ? `a pattern that fits ${hit}` : undefined
}
