import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Order {
  callers?: number
  calls?: number
  /** The file each call reads; `%d` is the caller's number. */
  stdin: string
  env?: Record<string, string>
  command: readonly string[]
}

export interface Took {
  /** Milliseconds of each successful call. */
  calls: number[]
  failed: number
  whole: number
}

/** A small process that starts programs and times them, one after the other. */
export function startTimer(env: Record<string, string>) {
  const child = spawn('perl', [join(import.meta.dirname, 'timer.pl')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async time({ callers = 1, calls = 1, stdin, env = {}, command }: Order): Promise<Took> {
      const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`)
      child.stdin.write(`${[callers, calls, stdin, ...pairs, '--', ...command].join('\x1f')}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error('The timer ended. Install Perl with Time::HiRes.')
      const [whole = 0, failed = 0, ...took] = String(value).split(' ').map(Number)
      return { whole: whole / 1000, failed, calls: took.map(us => us / 1000) }
    },
    stop: () => child.stdin.end(),
  }
}
