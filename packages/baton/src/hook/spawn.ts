import { type ChildProcess, spawn } from 'node:child_process'
import { AGENTS } from '@batonpass/contract/agents'
import type { Environment } from '../config/places.ts'

/**
 * The daemon lives long and does little at a time, so memory matters more than speed: a small young generation,
 * and no optimising compilers: 91 MB instead of 119 after 1,600 calls, for about a sixth more processor time.
 * Optimising for size saves 3 MB more (94 instead of 97 after 6,000 calls) for no processor time that could be measured.
 */
export const DAEMON_FLAGS = [
  '--max-semi-space-size=2',
  '--no-opt',
  '--no-maglev',
  // V8 then gives unused pages of its heap back, and lets the heap grow less before it looks for garbage, in small steps.
  '--optimize-for-size',
  '--disable-warning=ExperimentalWarning',
] as const

/**
 * How glibc manages the daemon's memory; other C libraries ignore it. By default it keeps what is smaller than a threshold that
 * grows to 32 MB, and each thread has a heap of its own. Node reads sockets and pipes into pieces of 64 kB, so a daemon that had taken
 * snapshots of 5,000 files kept 88 MB, of which it used 52.
 */
export const DAEMON_MEMORY = {
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_ARENA_MAX: '1',
} as const

/** On the daemon's command line, so that its process can be told from any other. */
export const stateArgument = (stateDir: string): string => `--state-dir=${stateDir}`

/** What the daemon takes over from the program that starts it: where things are, and the secrets its services need. */
export const KEPT_ENVIRONMENT = [
  ...['HOME', 'USER', 'LOGNAME', 'PATH', 'SHELL', 'LANG', 'LC_.*', 'TZ', 'TMPDIR', 'TMUX_TMPDIR', 'XDG_.*'],
  ...[
    'BATON_HOME',
    'AGENTIZE_HOME',
    'BATON_TELEGRAM_TOKEN',
    'TELEGRAM_BOT_TOKEN',
    'BATON_STORE_URL',
    'BATON_FLEET_POSTGRES',
  ],
  ...['GITHUB_TOKEN', 'GH_TOKEN', 'GH_HOST'],
  ...['BATON_GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'SSH_AUTH_SOCK'],
  // How a person's own agents log in, for the calls that Baton makes with them.
  ...Object.values(AGENTS).flatMap(({ env }) => env),
  ...['HTTPS?_PROXY', 'https?_proxy', 'NO_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_(?:FILE|DIR)'],
].join('|')
const KEEP = new RegExp(`^(?:${KEPT_ENVIRONMENT})$`)

/** Starts the daemon as its own process group with a clean environment, tied to nothing of the caller's. */
export function spawnDaemon(
  node: string,
  daemon: string,
  stateDir: string,
  env: Environment,
  foreground = false,
): ChildProcess {
  const clean = Object.fromEntries(Object.entries(env).filter(([name]) => KEEP.test(name)))
  const child = spawn(node, [...DAEMON_FLAGS, daemon, stateArgument(stateDir)], {
    detached: !foreground,
    stdio: foreground ? 'inherit' : 'ignore',
    cwd: '/',
    env: { ...clean, ...DAEMON_MEMORY },
  })
  // A daemon that cannot be started shows as one that never answers.
  child.on('error', () => {})
  if (!foreground) child.unref()
  return child
}
