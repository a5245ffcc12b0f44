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
  '.codex/auth.json',
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
export function secretPath(path: string, home: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (/[*?[]/.test(path)) return globSecret(path, name, home)
  if (path.startsWith('/proc/') && /\/(environ|mem)$/.test(path)) return 'the environment of a process'
  const folder = home === '/root' ? SYSTEM.filter(entry => entry !== '/root') : SYSTEM
  for (const entry of folder)
    if (path === entry || path.startsWith(`${entry}/`)) return `the protected path ${entry}`
  for (const entry of HOME_FOLDERS) {
    const full = `${home}/${entry}`
    if (path === full || path.startsWith(`${full}/`))
      return HARMLESS.test(name) ? undefined : `the credential folder ~/${entry}`
  }
  if (HARMLESS.test(name)) return undefined
  return NAMES.some(pattern => pattern.test(name)) ? `a file that may hold secrets (${name})` : undefined
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
function globSecret(path: string, name: string, home: string): string | undefined {
  const slash = path.search(/[*?[][^/]*$/) === -1 ? path : path.slice(0, path.lastIndexOf('/'))
  const fixed = path.slice(0, path.search(/[*?[]/))
  for (const entry of HOME_FOLDERS) {
    if (fixed.startsWith(`${home}/${entry}/`) || slash === `${home}/${entry}`)
      return `the credential folder ~/${entry}`
  }
  for (const entry of SYSTEM)
    if (home !== entry && fixed.startsWith(`${entry}/`)) return `the protected path ${entry}`
  if (!/[*?[]/.test(name)) return secretPath(`/${name}`, home)
  if (
    /^\*(\.[\w*]+)?$/.test(name) &&
    !/^\*\.(env|pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfstate|tfvars)/.test(name)
  )
    return undefined
  const pattern = globPattern(name)
  const hit = SAMPLES.find(
    sample =>
      (sample.startsWith('.') ? name.startsWith('.') || name.startsWith('[') : true) && pattern.test(sample),
  )
  return hit ? `a pattern that fits ${hit}` : undefined
}

/** What a shell's pattern for one name matches; anything, where it cannot be read. */
export function globPattern(name: string): RegExp {
  if (name.length > 200) return /^/
  // One step per character: no nested repetition, so no blow-up on the short samples.
  const source = name
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.')
    .replace(/\[!/g, '[^')
  try {
    return new RegExp(`^${source}$`)
  } catch {
    return /^/
  }
}
