import type { ChildProcess } from 'node:child_process'
import type { ContainedRun } from '../../ports/sandbox.ts'

export interface RunLimits {
  input: string
  timeoutMs: number
  signal: AbortSignal | undefined
  /** Whether processes are left in the sandbox that may hold the program's output open. */
  hasOthers(): Promise<boolean>
}

const OUTPUT_KEPT = 4 * 1024 * 1024
/** How long the output may be silent after the program ended, if a process in the background holds it open. */
const SILENT_MS = 2000
/** How long it is read at most in that case: a service may write without end, and what the program wrote is read long before. */
const READ_MS = 5000
/** How long the output may be silent if no process is known that holds it open. */
const LOST_MS = 60_000

/** Waits for a program and for the end of its output. */
export function endOfRun(
  child: ChildProcess,
  { input, timeoutMs, signal, hasOthers }: RunLimits,
): Promise<ContainedRun> {
  return new Promise((resolve, reject) => {
    const kill = () => {
      try {
        if (child.pid) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Already gone.
      }
    }
    const timer = setTimeout(kill, timeoutMs)
    // The caller may have given up while the program was being prepared: the event does not come again.
    if (signal?.aborted) kill()
    else signal?.addEventListener('abort', kill, { once: true })
    const texts = { stdout: '', stderr: '' }
    let chunks = 0
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        chunks++
        texts[name] = (texts[name] + text).slice(-OUTPUT_KEPT)
      })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
    child.once('error', reject)
    child.once('exit', code => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', kill)
      const finish = () => resolve({ code: code ?? undefined, ...texts })
      child.once('close', finish)
      const waitForSilence = (ms: number) => {
        const before = chunks
        // What arrived while this process was busy is read before the check.
        const check = () => setImmediate(() => (chunks === before ? finish() : waitForSilence(ms)))
        setTimeout(check, ms).unref()
      }
      void hasOthers()
        .catch(() => true)
        .then(isHeld => {
          waitForSilence(isHeld ? SILENT_MS : LOST_MS)
          if (isHeld) setTimeout(finish, READ_MS).unref()
        })
    })
  })
}
