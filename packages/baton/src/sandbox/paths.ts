/**
 * The one table of paths behind the sandbox and the judge of other tools: what commands may never write, what they
 * never see, and what of the home folder they may read.
 */

/** Settings that later run, or decide, something outside the sandbox. `*` matches any part of one name. */
export const PROTECTED: readonly { name: string; what: string }[] = [
  { name: '.baton.yaml', what: 'settings of Baton' },
  { name: '.baton.yml', what: 'settings of Baton' },
  { name: '.agentize.local.yaml', what: 'settings of Baton' },
  { name: '.agentize.local.yml', what: 'settings of Baton' },
  { name: '.mcp.json', what: 'programs that agents start' },
  { name: '.envrc', what: 'a script that direnv runs' },
  { name: '.claude', what: 'settings of Claude Code' },
  { name: '.cursor', what: 'settings of Cursor' },
  { name: '.codex', what: 'settings of Codex' },
  { name: '.gemini', what: 'settings of Gemini CLI' },
  { name: '.copilot', what: 'settings of Copilot CLI' },
  { name: '.github/hooks', what: 'settings of Copilot CLI' },
  { name: '.github/copilot', what: 'settings of Copilot CLI' },
  { name: '.opencode', what: 'settings of opencode' },
  { name: 'opencode.json', what: 'settings of opencode' },
  { name: 'opencode.jsonc', what: 'settings of opencode' },
  { name: '.pi', what: 'settings of pi' },
  { name: '.omp', what: 'settings of oh-my-pi' },
  { name: '.vscode', what: 'tasks and settings of an editor' },
  { name: '.idea', what: 'tasks and settings of an editor' },
  { name: '.zed', what: 'tasks and settings of an editor' },
  { name: '.fleet', what: 'tasks and settings of an editor' },
  { name: '*.code-workspace', what: 'tasks and settings of an editor' },
  { name: '.devcontainer', what: 'commands that an editor runs' },
  { name: '.devcontainer.json', what: 'commands that an editor runs' },
]

/** Folders in which agents keep whole worktrees, below a protected folder. */
export const WORKTREES_OF_AGENTS: readonly string[] = ['.claude/worktrees']

/** Files of a repository that name programs to run. Relative to its git folder. */
export const PROTECTED_IN_GIT: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  // Not the folder around them: `git gc` writes there.
  'info/attributes',
  'info/exclude',
]

/** Dependencies bring other people's editor settings; no one opens an editor there. */
const DEPENDENCIES = /(^|\/)(node_modules|site-packages|\.venv|venv|vendor\/bundle)\//

const patterns = PROTECTED.map(({ name, what }) => ({ what, pattern: tailPattern(name) }))

/** Why a path below a worktree is protected; undefined if it is not. Looks at the path's own end only. */
export function whyProtected(path: string): string | undefined {
  if (DEPENDENCIES.test(path)) return undefined
  return patterns.find(({ pattern }) => pattern.test(path))?.what
}

/** The same for a path below a worktree that is in a protected folder. */
export function whyPartProtected(path: string): string | undefined {
  const names = path.split('/')
  for (let end = 1; end <= names.length; end++) {
    const why = whyProtected(names.slice(0, end).join('/'))
    if (why) return why
  }
  return undefined
}

/** `.env` files, except the examples that are meant to be read. */
export function isEnvFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return /^\.env(\..+)?$/.test(name) && !/\.(example|sample|template|dist|schema|defaults)$/.test(name)
}

/** Matches a path that ends with these names. Case does not count: some file systems fold it. */
function tailPattern(name: string): RegExp {
  const source = name.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')
  return new RegExp(`(^|/)${source}$`, 'i')
}

/** Folders and files of the system that contained commands read. */
export const READABLE_SYSTEM: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix',
  '/gnu',
  '/snap',
  // Not all of /sys: it shows the host's network and devices.
  '/sys/devices/system',
  '/sys/fs/cgroup',
  '/sys/kernel/mm/transparent_hugepage',
  '/home/linuxbrew/.linuxbrew',
  '/var/lib/dpkg',
  '/var/lib/apt',
  '/var/lib/rpm',
  '/var/lib/pacman',
  '/var/lib/gems',
  '/var/cache/man',
  '/var/cache/fontconfig',
]

/** Parts of the system that stay hidden; they matter where Baton runs as root. */
export const HIDDEN_SYSTEM: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/ssh/ssh_host_rsa_key',
  '/etc/ssh/ssh_host_ecdsa_key',
  '/etc/ssh/ssh_host_ed25519_key',
  '/etc/NetworkManager/system-connections',
  '/etc/wireguard',
  '/etc/openvpn',
  '/etc/kubernetes',
  '/etc/rancher',
  '/etc/letsencrypt',
  '/etc/krb5.keytab',
  '/etc/docker/key.json',
  '/proc/kcore',
  '/proc/keys',
  '/proc/key-users',
  '/proc/latency_stats',
  '/proc/timer_list',
]

/** Toolchains in the home folder: read-only inside. */
const TOOLCHAINS = [
  'bin',
  '.local/bin',
  '.local/lib',
  '.nvm',
  '.fnm',
  '.local/share/fnm',
  '.volta',
  '.asdf',
  '.local/share/mise',
  '.local/share/rtx',
  '.nodenv',
  '.npm-global',
  '.local/share/pnpm',
  '.yarn/bin',
  '.config/yarn/global',
  '.bun/bin',
  '.deno/bin',
  '.pyenv',
  '.local/share/uv/python',
  '.local/share/uv/tools',
  '.local/share/pipx',
  '.local/pipx',
  '.local/share/pypoetry',
  'miniconda3',
  'anaconda3',
  'miniforge3',
  '.cargo/bin',
  '.rustup',
  'go/bin',
  '.local/go',
  '.gvm',
  '.goenv',
  '.sdkman/candidates',
  '.jenv',
  '.jabba',
  '.rbenv',
  '.rvm',
  '.gem',
  '.local/share/gem',
  '.composer/vendor',
  '.config/composer/vendor',
  '.ghcup',
  '.cabal/bin',
  '.opam',
  '.juliaup',
  '.julia',
  '.dotnet',
  '.mix',
  '.swiftly',
  '.local/share/swiftly',
  '.foundry/bin',
  '.linuxbrew',
  'flutter',
  'Android/Sdk',
]

/** Downloaded browsers and the like: read-only inside. */
const DOWNLOADS = [
  '.cache/node-gyp',
  '.cache/ms-playwright',
  '.cache/puppeteer',
  '.cache/Cypress',
  '.cache/electron',
  '.nuget/packages',
  '.hex/packages',
  '.pub-cache',
]

/** Downloaded packages. Installs write to them, but one session cannot change what another, or the user, has. */
export const PACKAGE_CACHES: readonly string[] = [
  '.npm/_cacache',
  '.cache/yarn',
  '.yarn/berry/cache',
  '.bun/install/cache',
  '.cargo/registry',
  '.cargo/git',
  'go/pkg/mod',
  '.m2/repository',
]

export const READABLE_HOME: readonly string[] = [...TOOLCHAINS, ...DOWNLOADS, ...PACKAGE_CACHES]

/** Logins and secrets of the home folder: hidden even where a setting makes a folder around them readable. */
export const HIDDEN_HOME: readonly string[] = [
  '.baton',
  '.local/state/baton',
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.config/git/credentials',
  '.vault-token',
  '.boto',
  '.s3cfg',
  '.terraformrc',
  '.terraform.d',
  '.oci',
  '.password-store',
  '.config/gcloud',
  '.config/gh',
  '.config/hub',
  '.config/op',
  '.config/sops',
  '.config/rclone',
  '.config/containers',
  '.config/google-chrome',
  '.config/chromium',
  '.config/BraveSoftware',
  '.config/microsoft-edge',
  '.config/Code',
  '.config/Cursor',
  '.config/github-copilot',
  '.config/opencode',
  '.mozilla',
  '.thunderbird',
  'snap/firefox',
  'snap/chromium',
  '.local/share/keyrings',
  '.local/share/opencode',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.local/share/gem/credentials',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.gradle/gradle.properties',
  '.nuget/NuGet/NuGet.Config',
  '.pub-cache/credentials.json',
  '.hex/hex.config',
  '.composer/auth.json',
  '.config/composer/auth.json',
  '.claude',
  '.claude.json',
  '.codex',
  '.gemini',
  '.copilot',
  '.cursor',
  '.pi',
  '.omp',
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
]
