/**
 * A filter for system calls that reach around the namespaces: typing into the caller's terminal (TIOCSTI,
 * TIOCLINUX), the kernel's key rings, and socket families that no network namespace separates (such as vsock).
 * With it a command can stay in the caller's process group, so that Ctrl-C and time-outs reach it.
 * As root it also keeps the set-user-id bit off files: others could run them as root, outside.
 */
export function seccompFilter(architecture: string, uid: number): Buffer | undefined {
  const calls = CALLS[architecture]
  if (!calls) return undefined
  const { audit, ioctl, socket, keys, foreignBit } = calls
  const modes = uid === 0 ? Object.entries(calls.modes) : []
  const program: Instruction[] = [
    load(ARCHITECTURE),
    // Another architecture numbers its calls differently: nothing of it runs.
    jumpUnless(audit, 'foreign'),
    load(NUMBER),
    ...(foreignBit ? [jumpIfAtLeast(foreignBit, 'foreign')] : []),
    ...keys.map(number => jumpIf(number, 'refuse')),
    jumpIf(ioctl, 'ioctl'),
    jumpIf(socket, 'socket'),
    // Both take what they do from memory, which a filter cannot read; programs fall back to the older calls.
    ...(uid === 0 ? calls.unreadable.map(number => jumpIf(number, 'foreign')) : []),
    ...modes.flatMap(([argument, numbers]) => numbers.map(number => jumpIf(number, `mode-${argument}`))),
    give(ALLOW),
    ...modes.flatMap(([argument]) => [
      label(`mode-${argument}`),
      load(FIRST_ARGUMENT + 8 * Number(argument)),
      jumpIfAny(SET_ID_BITS, 'refuse'),
      give(ALLOW),
    ]),
    label('ioctl'),
    load(SECOND_ARGUMENT),
    ...TERMINAL_INJECTION.map(request => jumpIf(request, 'refuse')),
    give(ALLOW),
    label('socket'),
    load(FIRST_ARGUMENT),
    ...SOCKET_FAMILIES.map(family => jumpIf(family, 'allow')),
    give(errno(97)),
    label('allow'),
    give(ALLOW),
    label('refuse'),
    give(errno(1)),
    label('foreign'),
    give(errno(38)),
  ]
  return assemble(program)
}

interface Calls {
  audit: number
  ioctl: number
  socket: number
  /** add_key, request_key, keyctl. */
  keys: readonly number[]
  /** Calls that set permissions: which of their arguments (counted from 0) is the mode. */
  modes: Record<number, readonly number[]>
  /** openat2, io_uring_setup. */
  unreadable: readonly number[]
  /** Set in the numbers of a second table of calls (x32). */
  foreignBit?: number
}

const CALLS: Record<string, Calls> = {
  x64: {
    audit: 0xc000003e,
    ioctl: 16,
    socket: 41,
    keys: [248, 249, 250],
    // chmod, fchmod, creat, mknod; open, fchmodat, fchmodat2, mknodat; openat.
    modes: { 1: [90, 91, 85, 133], 2: [2, 268, 452, 259], 3: [257] },
    unreadable: [437, 425],
    foreignBit: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    ioctl: 29,
    socket: 198,
    keys: [217, 218, 219],
    // fchmod; fchmodat, fchmodat2, mknodat; openat.
    modes: { 1: [52], 2: [53, 452, 33], 3: [56] },
    unreadable: [437, 425],
  },
}

const TERMINAL_INJECTION = [0x5412, 0x541c]
const SET_ID_BITS = 0o6000
/** Unix, IPv4, IPv6, netlink. */
const SOCKET_FAMILIES = [1, 2, 10, 16]

// Offsets in `struct seccomp_data`. Both architectures are little-endian: the low half comes first.
const NUMBER = 0
const ARCHITECTURE = 4
const FIRST_ARGUMENT = 16
const SECOND_ARGUMENT = 24

const ALLOW = 0x7fff0000
const errno = (code: number): number => 0x00050000 | code

type Instruction = { op: number; value: number; yes?: string; no?: string } | { label: string }

const load = (offset: number): Instruction => ({ op: 0x20, value: offset })
const jumpIf = (value: number, to: string): Instruction => ({ op: 0x15, value, yes: to })
const jumpUnless = (value: number, to: string): Instruction => ({ op: 0x15, value, no: to })
const jumpIfAtLeast = (value: number, to: string): Instruction => ({ op: 0x35, value, yes: to })
const jumpIfAny = (bits: number, to: string): Instruction => ({ op: 0x45, value: bits, yes: to })
const give = (value: number): Instruction => ({ op: 0x06, value })
const label = (name: string): Instruction => ({ label: name })

/** Eight bytes for each instruction; jumps count the instructions they skip. */
function assemble(program: readonly Instruction[]): Buffer {
  const places = new Map<string, number>()
  let length = 0
  for (const step of program)
    if ('label' in step) places.set(step.label, length)
    else length++
  const out = Buffer.alloc(length * 8)
  let at = 0
  const skip = (to: string | undefined) => (to === undefined ? 0 : (places.get(to) ?? 0) - at - 1)
  for (const step of program) {
    if ('label' in step) continue
    out.writeUInt16LE(step.op, at * 8)
    out.writeUInt8(skip(step.yes), at * 8 + 2)
    out.writeUInt8(skip(step.no), at * 8 + 3)
    out.writeUInt32LE(step.value >>> 0, at * 8 + 4)
    at++
  }
  return out
}
