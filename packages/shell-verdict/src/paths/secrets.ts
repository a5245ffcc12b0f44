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
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|ovpn|tfstate|tfvars)$/,
  /^(credentials|secrets?)(\.(json|ya?ml|toml|ini|txt|env))?$/,
  /^service[-_]?account[^/]*\.json$/,
  /^(master|production|staging)\.key$/,
  /^(shadow|gshadow|sudoers|master\.passwd)$/,
  /^kubeconfig$/,
  /^\.(bash|zsh|python|node_repl|psql|mysql|sqlite|rediscli|irb|lesshst|fish)_history$/,
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
  '/root',
  '/var/lib/secrets',
]

/** Why this path is protected, or undefined. A pattern counts when it could match a protected name. */
export function secretPath(path: string, home: string, dots = false): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const place = protectedPlaces(home).find(entry => reachOf(path, entry, dots) === 'inside')
  if (place?.startsWith(`${home}/`))
    return HARMLESS.test(name) ? undefined : `the credential folder ~${place.slice(home.length)}`
  if (place) return `the protected path ${place}`
  if (/^\/proc\//.test(path) && ['environ', 'mem', 'auxv'].some(file => couldMatch(name, file)))
    return 'the environment or memory of a process'
  if (isPattern(name)) return nameSecret(name, dots)
  if (HARMLESS.test(name)) return undefined
  return NAMES.some(pattern => pattern.test(name)) ? `a file that may hold secrets (${name})` : undefined
}

/** The protected place that lies in this folder, or in one that this pattern could match: what goes through it finds it. */
export function secretBelow(path: string, home: string, dots = false): string | undefined {
  return protectedPlaces(home).find(place => reachOf(path, place, dots) === 'above')
}

let known: { home: string; places: readonly string[] } | undefined

/** Kept for the last home folder: every path of every command is compared with them. */
function protectedPlaces(home: string): readonly string[] {
  if (known?.home !== home) {
    const system = SYSTEM.filter(entry => entry !== home)
    known = { home, places: [...system, ...HOME_FOLDERS.map(entry => `${home}/${entry}`)] }
  }
  return known.places
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
