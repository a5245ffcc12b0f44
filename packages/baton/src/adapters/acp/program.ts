import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { BatonError } from '@batonpass/contract/errors'
import type { AcpLaunch, Launch } from '../../ports/launch.ts'
import type { Processes } from '../../ports/processes.ts'

export interface ProgramStart {
  launch: Launch & Partial<AcpLaunch>
  cwd: string
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string | undefined>>
}

/** An agent's program that speaks on its standard streams. */
export interface AgentProgram {
  /** What it reads, and what it says. */
  input: WritableStream<Uint8Array>
  output: ReadableStream<Uint8Array>
  pid: number
  /** Resolves when it has ended, with the last lines of its error output. */
  gone: Promise<string>
  end(): Promise<void>
}

/** A politely asked agent ends what it started; after this it is killed with its whole group. */
const GRACE_MS = 3000
const STDERR_KEPT = 4000
/** One message: a picture fits, what never ends does not. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024

export function startProgram({ launch, cwd, env }: ProgramStart): Promise<AgentProgram> {
  // The pane is its host's, not its own: nobody may type there on its behalf.
  const { BATON_MARKER: _m, TMUX: _t, TMUX_PANE: _p, ...inherited } = env
  const child = spawn(launch.program, launch.args, {
    cwd,
    env: { ...inherited, ...launch.env },
    // A group of its own: Ctrl-C in a terminal is for whoever hosts it, and what it started ends with it.
    detached: true,
    stdio: 'pipe',
  })
  return new Promise((resolve, reject) => {
    child.once('error', cause => reject(existsSync(cwd) ? notStarted(launch, cause) : noFolder(cwd, cause)))
    child.once('spawn', () => resolve(running(child, child.pid ?? 0)))
  })
}

function running(child: ChildProcess, pid: number): AgentProgram {
  if (!child.stdin || !child.stdout) throw new BatonError('internal', 'The agent has no standard streams')
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-STDERR_KEPT)
  })
  child.stdin.on('error', () => {})
  const gone = new Promise<string>(resolve => {
    child.once('exit', () => {
      signalGroup(pid, 'SIGKILL')
      RUNNING.delete(pid)
      resolve(said.trim())
    })
  })
  RUNNING.add(pid)
  if (!watching) process.once('exit', killAll)
  watching = true
  return {
    input: Writable.toWeb(child.stdin),
    output: (Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>).pipeThrough(
      limitLineLength(MAX_LINE_LENGTH, () => signalGroup(pid, 'SIGKILL')),
    ),
    pid,
    gone,
    async end() {
      signalGroup(pid, 'SIGTERM')
      const last = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS)
      await gone
      clearTimeout(last)
    },
  }
}

/** Ends what a program that was killed left of its agent, before another works in the same place. Only one that is surely ours. */
export async function endRemains(
  processes: Pick<Processes, 'born'>,
  pid: number | undefined,
  born: string | undefined,
): Promise<void> {
  if (pid === undefined || born === undefined || (await processes.born(pid)) !== born) return
  signalGroup(pid, 'SIGTERM')
  const late = AbortSignal.timeout(GRACE_MS)
  while ((await processes.born(pid)) === born) {
    if (late.aborted) signalGroup(pid, 'SIGKILL')
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

/** Groups that still run: they go when this process goes. */
const RUNNING = new Set<number>()
let watching = false

function killAll(): void {
  for (const pid of RUNNING) signalGroup(pid, 'SIGTERM')
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  if (pid <= 1) return
  try {
    process.kill(-pid, name)
  } catch {
    // Already gone.
  }
}

/** The system's words for a folder that is gone are those for a program that is. */
const noFolder = (cwd: string, cause: unknown): BatonError =>
  new BatonError('not_found', `The folder ${cwd} is gone`, { cause, remedy: 'Begin in one that is there.' })

function notStarted({ program, remedy }: ProgramStart['launch'], cause: unknown): BatonError {
  const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
  return new BatonError(
    'missing_tool',
    absent ? `${program} is not installed` : `${program} could not be started`,
    {
      ...(remedy ? { remedy } : {}),
      cause,
    },
  )
}

const LINE_BREAK = 10

/** Breaks off where a line grows beyond reason: whoever reads it holds it in memory until it ends. */
export function limitLineLength(
  longest: number,
  onEndless: () => void,
): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(LINE_BREAK)
      size = end < 0 ? size + chunk.length : chunk.length - end - 1
      if (size <= longest) return controller.enqueue(chunk)
      controller.error(new RangeError('A line without end'))
      onEndless()
    },
  })
}
