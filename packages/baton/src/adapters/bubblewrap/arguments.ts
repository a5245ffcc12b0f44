import type { Mount, SandboxPlan } from '../../ports/sandbox.ts'

/** Files that every sandbox uses. */
export interface CommonFiles {
  /** Empty, and never written: what hidden files and folders look like inside. */
  emptyFile: string
  emptyFolder: string
}

/**
 * Whether a call has namespaces of its own or enters those of its session. The boundary is the same; a session's are
 * shared by its calls.
 */
export type Namespaces = 'of-the-session' | 'of-the-call'

export interface BubblewrapInput {
  plan: SandboxPlan
  namespaces: Namespaces
  uid: number
  gid: number
  files: CommonFiles
  /** Parts of `/proc` that exist on this machine and that root could write. */
  procParts: readonly string[]
  /** Extra mounts of one call, such as its command. */
  extra?: readonly Mount[]
  hasSeccomp: boolean
}

/** Settings of the running kernel. As root they would be writable inside, user namespace or not. */
export const PROC_SETTINGS: readonly string[] = [
  '/proc/sys',
  '/proc/sysrq-trigger',
  '/proc/irq',
  '/proc/bus',
  '/proc/fs',
  '/proc/acpi',
  '/proc/scsi',
  '/proc/driver',
  '/proc/mtrr',
]

/** The options of one `bwrap` call, without the command. */
export function bubblewrapArguments(input: BubblewrapInput): string[] {
  const { plan, namespaces, uid, gid } = input
  const own = namespaces === 'of-the-call'
  return [
    ...['--unshare-user', '--uid', String(uid), '--gid', String(gid)],
    // Otherwise a command could mount over what is protected, in a namespace of its own.
    ...['--disable-userns', '--cap-drop', 'ALL', '--die-with-parent'],
    ...(own ? ['--unshare-net', '--unshare-pid', '--unshare-ipc'] : []),
    // Without the filter, a terminal of its own is what keeps a command from typing into the caller's.
    ...(input.hasSeccomp ? [] : ['--new-session']),
    // The session's namespaces have their own /proc already; only its owner could mount another one.
    ...(own ? ['--proc', '/proc'] : ['--bind', '/proc', '/proc']),
    ...input.procParts.flatMap(path => ['--ro-bind', path, path]),
    ...['--dev', '/dev'],
    ...[...plan.mounts, ...(input.extra ?? [])].flatMap(mount => mountArguments(mount, input.files)),
    // The root is a fresh folder of this call: nothing written next to the mounts would last, so it says so.
    ...['--remount-ro', '/'],
    ...Object.entries(plan.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', plan.cwd],
  ]
}

function mountArguments(mount: Mount, files: CommonFiles): string[] {
  switch (mount.kind) {
    // Where nothing has put a layer over it, it cannot be changed.
    case 'layered':
    case 'read-only':
      return ['--ro-bind', mount.source, mount.path]
    case 'writable':
      return ['--bind', mount.source, mount.path]
    case 'hidden-file':
      return ['--ro-bind', files.emptyFile, mount.path]
    case 'hidden-folder':
      return ['--ro-bind', files.emptyFolder, mount.path]
    case 'fresh-folder':
      return ['--tmpfs', mount.path]
    case 'link':
      return ['--symlink', mount.target, mount.path]
  }
}

/** `bwrap --args` takes its options separated by zero bytes, which none of them can contain. */
export function argumentsFile(args: readonly string[]): string {
  const bad = args.find(arg => arg.includes('\0'))
  if (bad !== undefined) throw new Error('An argument of bubblewrap contains a zero byte.')
  return args.map(arg => `${arg}\0`).join('')
}

/** The options of a session's holder: namespaces with nothing but a clock in them, which calls enter. */
export const holderArguments = (infoFd: number): string[] => [
  ...['--unshare-user', '--uid', '0', '--gid', '0'],
  ...['--unshare-net', '--unshare-pid', '--unshare-ipc'],
  ...['--dev-bind', '/', '/', '--proc', '/proc', '--as-pid-1', '--clearenv', '--chdir', '/'],
  ...['--cap-drop', 'ALL', '--info-fd', String(infoFd)],
]
