import { execFile } from 'node:child_process'
import { accessSync, existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Mount, SandboxPlan, SandboxSession, SandboxStatus } from '../../ports/sandbox.ts'
import { PROC_SETTINGS } from './arguments.ts'
import { explainFailure, type HostHints } from './failure.ts'

const run = promisify(execFile)

/** What the sandbox knows about the machine. */
export interface HostView {
  platform: string
  architecture: string
  uid: number
  gid: number
  /** The daemon's PATH, for programs that Baton itself runs inside. */
  path: string
  procParts: readonly string[]
  hints: HostHints
}

export function viewHost(env: Readonly<Record<string, string | undefined>>): HostView {
  const read = (path: string) => {
    try {
      return readFileSync(path, 'utf8').trim()
    } catch {
      return undefined
    }
  }
  return {
    platform: process.platform,
    architecture: process.arch,
    uid: process.getuid?.() ?? -1,
    gid: process.getgid?.() ?? -1,
    path: env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    // The kernel refuses them to everyone else.
    procParts: process.getuid?.() === 0 ? PROC_SETTINGS.filter(path => existsSync(path)) : [],
    hints: {
      apparmorRestricts: read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1',
      inContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    },
  }
}

const INSTALL =
  'Install it: `baton init --sandbox`, or `sudo apt-get install bubblewrap`, `sudo dnf install bubblewrap` or `sudo pacman -S bubblewrap`.'
const OLDEST = [0, 8] as const

interface ProbeInput {
  host: HostView
  findProgram: (name: string) => string | undefined
  /** Opens a session of its own; `shared` with namespaces for all its calls. */
  open: (name: string, shared: boolean) => Promise<SandboxSession>
}

/** Contains one command for real, and looks from inside whether the boundary holds. */
export async function probeSandbox({ host, findProgram, open }: ProbeInput): Promise<SandboxStatus> {
  if (host.platform !== 'linux')
    return {
      available: false,
      code: 'unsupported-system',
      reason: 'The sandbox needs Linux.',
      remedy: 'Baton asks about commands instead.',
    }
  const bwrap = findProgram('bwrap')
  if (!bwrap)
    return {
      available: false,
      code: 'program-missing',
      reason: 'bubblewrap (`bwrap`) is not installed.',
      remedy: INSTALL,
    }
  if (!findProgram('bash'))
    return {
      available: false,
      code: 'program-missing',
      reason: 'bash is not installed; the sandbox starts commands with it.',
      remedy: 'Install bash.',
    }
  const version = await versionOf(bwrap)
  if (version && isOlder(version))
    return {
      available: false,
      code: 'program-too-old',
      reason: `bubblewrap ${version} is too old: the sandbox needs ${OLDEST.join('.')} or later.`,
      remedy: 'Install a newer version of bubblewrap.',
    }
  const shared = findProgram('nsenter')
    ? await tryOnce(host, open, true)
    : { said: 'nsenter is not installed' }
  const alone = shared === 'contained' ? shared : await tryOnce(host, open, false)
  if (alone !== 'contained')
    return 'leak' in alone
      ? {
          available: false,
          code: 'not-enforced',
          reason: `A contained command could still ${alone.leak}.`,
          remedy: 'Please report this, with the versions of your kernel and of bubblewrap.',
        }
      : explainFailure(alone.said, host.hints)
  const isShared = shared === 'contained'
  return {
    available: true,
    program: `bubblewrap ${version ?? ''}`.trim(),
    capabilities: { privateLoopback: true, sharedLoopback: isShared, backgroundProcesses: isShared },
  }
}

/** Prints what the command can do and must not; nothing but the last word if all is well. */
const LOOK = `
[ "$(id -u)" = "$1" ] || echo 'leak have another user id'
[ -w /proc/sys/kernel/core_pattern ] && echo 'leak change settings of the kernel'
[ -w /usr ] && echo 'leak write to the system'
[ -e "$2" ] && echo 'leak see files outside'
grep -q -v -e '|' -e '^ *lo:' /proc/net/dev && echo 'leak use the network'
grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || echo 'leak use capabilities'
echo done`

async function tryOnce(
  host: HostView,
  open: ProbeInput['open'],
  shared: boolean,
): Promise<'contained' | { leak: string } | { said: string }> {
  let session: SandboxSession | undefined
  try {
    session = await open(`probe-${process.pid}-${shared ? 'shared' : 'alone'}`, shared)
    const { home, temp } = session.folders
    const mounts: Mount[] = [...systemMounts(), { kind: 'writable', path: '/tmp', source: temp }]
    const plan: SandboxPlan = { mounts, cwd: '/tmp', environment: { HOME: '/tmp' } }
    const { stdout, stderr } = await session.run(
      plan,
      ['/bin/sh', '-c', LOOK, 'sh', String(host.uid), home],
      { timeoutMs: 10_000 },
    )
    const leak = /^leak (.+)$/m.exec(stdout)?.[1]
    if (leak) return { leak }
    return stdout.trim() === 'done' ? 'contained' : { said: stderr || stdout }
  } catch (error) {
    return { said: error instanceof Error ? error.message : String(error) }
  } finally {
    await session?.end().catch(() => undefined)
  }
}

/** Enough of the system for a shell. */
function systemMounts(): Mount[] {
  return ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc', '/nix', '/gnu'].flatMap(
    (path): Mount[] => {
      try {
        if (lstatSync(path).isSymbolicLink()) return [{ kind: 'link', path, target: readlinkSync(path) }]
        accessSync(path)
        return [{ kind: 'read-only', path, source: path }]
      } catch {
        return []
      }
    },
  )
}

async function versionOf(bwrap: string): Promise<string | undefined> {
  const said = await run(bwrap, ['--version'], { timeout: 5000 }).catch(() => undefined)
  return /(\d+\.\d+(?:\.\d+)?)/.exec(said?.stdout ?? '')?.[1]
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
}
