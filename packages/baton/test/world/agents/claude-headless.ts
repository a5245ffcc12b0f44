import { spawn } from 'node:child_process'
import type { Model } from '../model.ts'
import type { ClaudeHome } from './claude.ts'
import { installAgent } from './install.ts'

export interface ClaudeRun {
  home: ClaudeHome
  model: Model
  prompt: string
  cwd?: string
  args?: string[]
  /** Passed with --settings, on top of any settings files in the home or the project. */
  settings?: object
  pluginDir?: string
  env?: Record<string, string>
  signal?: AbortSignal
  timeout?: number
}

export interface ClaudeResult {
  exitCode: number | null
  killedBy: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Every line of stream-json; the last one is the result. */
  events: ClaudeEvent[]
  /** The final text; undefined when the run ended without a result. */
  result: string | undefined
  isError: boolean
  sessionId: string | undefined
}

export type ClaudeEvent = Record<string, unknown> & { type?: string; subtype?: string }

/** Runs `claude -p` to its end. */
export async function runClaude(run: ClaudeRun): Promise<ClaudeResult> {
  run.signal?.throwIfAborted()
  const program = await installAgent('claude-code')
  const args = ['-p', '--output-format', 'stream-json', '--verbose', ...claudeArguments(run)]
  // Its own process group, so that what it started can be ended with it.
  const child = spawn(program, args, {
    cwd: run.cwd ?? run.home.project,
    env: { ...run.home.env(run.model), ...run.env },
    detached: true,
    stdio: 'pipe',
  })
  // Hooks live in groups of their own: only a Claude Code that is asked politely ends them too.
  let last: NodeJS.Timeout | undefined
  const end = () => {
    signalGroup(child.pid, 'SIGTERM')
    last = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), 3_000)
  }
  process.once('exit', end)
  run.signal?.addEventListener('abort', end, { once: true })
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    end()
  }, run.timeout ?? 60_000)

  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  // A program that exits without reading its prompt must not fail the test with EPIPE.
  child.stdin.on('error', () => undefined)
  // By stdin, so a prompt that begins with "-" is still a prompt.
  child.stdin.end(run.prompt)
  try {
    const [exitCode, killedBy] = await new Promise<[number | null, NodeJS.Signals | null]>(
      (resolve, reject) => {
        child.once('error', reject)
        child.once('close', (code, signal) => resolve([code, signal]))
      },
    )
    if (timedOut) {
      throw new Error(
        `claude -p did not end within ${run.timeout ?? 60_000} ms\n${stdout()}\n${stderr()}\n${run.model.summary()}`,
      )
    }
    return { exitCode, killedBy, stderr: stderr(), ...readStream(stdout()) }
  } finally {
    clearTimeout(timer)
    clearTimeout(last)
    process.off('exit', end)
    run.signal?.removeEventListener('abort', end)
  }
}

/** What headless and interactive runs share on the command line. */
export function claudeArguments({
  settings,
  pluginDir,
  args = [],
}: Pick<ClaudeRun, 'settings' | 'pluginDir' | 'args'>) {
  return [
    ...(settings ? ['--settings', JSON.stringify(settings)] : []),
    ...(pluginDir ? ['--plugin-dir', pluginDir] : []),
    ...args,
  ]
}

function readStream(
  stdout: string,
): Pick<ClaudeResult, 'stdout' | 'events' | 'result' | 'isError' | 'sessionId'> {
  const events: ClaudeEvent[] = stdout
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
  const last = events.findLast(event => event.type === 'result')
  const session = events.find(event => typeof event.session_id === 'string')?.session_id
  return {
    stdout,
    events,
    result: typeof last?.result === 'string' ? last.result : undefined,
    isError: last?.is_error === true,
    sessionId: typeof session === 'string' ? session : undefined,
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString('utf8')
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (!pid) return
  try {
    process.kill(-pid, name)
  } catch {
    // Already gone.
  }
}
