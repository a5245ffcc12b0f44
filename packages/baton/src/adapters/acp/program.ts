import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { BatonError } from '@batonpass/contract/errors'
import type { AcpLaunch, Launch } from '../../ports/launch.ts'
import type { Processes } from '../../ports/processes.ts'

export interface ProgramStart {
  launch: Launch & Partial<AcpLaunch>
  cwd: string
  /** The complete environment: nothing is inherited. */
  env: Readonly<Record<string, string | undefined>>
}

/** A running agent program that communicates over its standard streams. */
export interface AgentProgram {
  /** Its standard input and output. */
  input: WritableStream<Uint8Array>
  output: ReadableStream<Uint8Array>
  pid: number
  /** Resolves when the program has ended, with the last lines of its error output. */
  gone: Promise<string>
  end(): Promise<void>
}

/** Time for the agent to end what it started; after this, its whole process group is killed. */
const GRACE_MS = 3000
const STDERR_KEPT = 4000
/** Limit for one message: an image fits, an endless line does not. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024

export function startProgram({ launch, cwd, env }: ProgramStart): Promise<AgentProgram> {
  // The pane belongs to the host, not to the agent: Baton must not type there for it.
  const { BATON_MARKER: _m, TMUX: _t, TMUX_PANE: _p, ...inherited } = env
  const child = spawn(launch.program, launch.args, {
    cwd,
    env: { ...inherited, ...launch.env },
    // A separate process group: Ctrl-C in a terminal reaches only the host, and the agent's own children end with it.
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

/** Kills the agent that a killed process left running, before another works in the same folder. Only if it is certainly ours. */
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

/** Running groups; they are killed when this process exits. */
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

/** The system reports a missing folder with the same error as a missing program. */
const noFolder = (cwd: string, cause: unknown): BatonError =>
  new BatonError('not_found', `The folder ${cwd} no longer exists`, {
    cause,
    remedy: 'Start the session in an existing folder.',
  })

function notStarted({ program, remedy }: ProgramStart['launch'], cause: unknown): BatonError {
  const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
  return new BatonError('missing_tool', absent ? `${program} is not installed` : `Cannot start ${program}`, {
    ...(remedy ? { remedy } : {}),
    cause,
  })
}

const LINE_BREAK = 10

/** Fails if a line grows too long, because readers keep the line in memory until it ends. */
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
      controller.error(new RangeError('The agent sent a line that is too long'))
      onEndless()
    },
  })
}
