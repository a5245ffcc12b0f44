import type { BytePath, LeftOut, Position, SnapshotFiles, StepAbout } from '../../../ports/snapshots.ts'

/** What git trees cannot store: permission bits other than "executable", files that were left out, and stashes. */
export interface Details {
  modes: Modes
  leftOut: readonly (readonly [path: string, why: LeftOut['why']])[]
  stash: readonly (readonly [commit: string, message: string])[]
  /** The snapshot contains ignored files. */
  ignored: boolean
}

/** The most common permission bits, and the files with other bits. */
interface Modes {
  file: number
  program: number
  others: readonly (readonly [path: string, mode: number])[]
}

export function detailsOf(
  files: SnapshotFiles,
  leftOut: readonly LeftOut[],
  stash: Details['stash'],
): Details {
  return {
    modes: modesOf(files),
    leftOut: leftOut.map(({ path, why }) => [path, why] as const).sort(byPath),
    stash,
    ignored: true,
  }
}

function modesOf(files: SnapshotFiles): Modes {
  const made = lastModes.get(files)
  if (made) return made
  const counts = new Map<number, number>()
  for (const { kind, mode } of files.values())
    if (kind === 'file') counts.set(mode, (counts.get(mode) ?? 0) + 1)
  const usual = (program: boolean, otherwise: number) =>
    [...counts]
      .filter(([mode]) => isProgram(mode) === program)
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0] ?? otherwise
  const modes = { file: usual(false, 0o644), program: usual(true, 0o755) }
  const others: [string, number][] = []
  for (const [path, { kind, mode }] of files) {
    if (kind === 'file' && mode !== (isProgram(mode) ? modes.program : modes.file)) others.push([path, mode])
  }
  const found = { ...modes, others: others.sort(byPath) }
  lastModes.set(files, found)
  return found
}

const lastModes = new WeakMap<SnapshotFiles, Modes>()

export const isProgram = (mode: number): boolean => (mode & 0o100) !== 0

export function modeReader({ modes }: Details): (path: BytePath, program: boolean) => number {
  const others = new Map(modes.others)
  return (path, program) => (others.get(path) ?? (program ? modes.program : modes.file)) & 0o777
}

export function parseDetails(text: string): Details {
  const parsed: unknown = JSON.parse(text)
  if (!isRecord(parsed) || !isRecord(parsed.modes)) throw new Error('not a snapshot of Baton')
  const { file, program, others } = parsed.modes
  return {
    modes: {
      file: number(file, 0o644),
      program: number(program, 0o755),
      others: pairs(others).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
    },
    leftOut: pairs(parsed.leftOut).filter(
      (pair): pair is [string, LeftOut['why']] => typeof pair[1] === 'string',
    ),
    stash: pairs(parsed.stash).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    ignored: parsed.ignored === true,
  }
}

/** The contents of a snapshot's commit message. */
export interface Message {
  about: StepAbout
  position: Position
  state: string
  leftOut: number
}

export function messageText({ about, position, state, leftOut }: Message): string {
  const { label, ...rest } = about
  return `baton undo: ${label}\n\n${JSON.stringify({ v: 1, label, ...rest, ...position, state, leftOut })}\n`
}

export function parseMessage(text: string): Message | undefined {
  try {
    const said: unknown = JSON.parse(text.slice(text.lastIndexOf('\n{') + 1))
    if (!isRecord(said) || said.v !== 1 || typeof said.state !== 'string') return undefined
    return {
      about: {
        step: number(said.step, 0),
        kind: said.kind === 'undo' ? 'undo' : 'command',
        label: string(said.label) ?? '',
        session: string(said.session),
        event: string(said.event),
        atMs: number(said.atMs, 0),
      },
      position: { branch: refName(said.branch), head: objectId(said.head) },
      state: said.state,
      leftOut: number(said.leftOut, 0),
    }
  } catch {
    return undefined
  }
}

// An agent could forge such a commit: only a branch or an id may get into a git command.
const refName = (value: unknown) =>
  typeof value === 'string' && /^refs\/heads\/[^\s~^:?*[\\\x00-\x1f\x7f]+$/.test(value) ? value : undefined
export const objectId = (value: unknown) =>
  typeof value === 'string' && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : undefined

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise)
const string = (value: unknown) => (typeof value === 'string' ? value : undefined)
const pairs = (value: unknown): [string, unknown][] =>
  Array.isArray(value) ? value.filter(pair => Array.isArray(pair) && typeof pair[0] === 'string') : []
const byPath = (a: readonly [string, unknown], b: readonly [string, unknown]) =>
  a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0
