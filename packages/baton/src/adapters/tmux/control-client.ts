import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { lineOf } from './quote.ts'

/** What a command printed, or why tmux refused it. */
export type Answer = { ok: true; lines: readonly string[] } | { ok: false; why: string }

/** If tmux is silent for this long, Baton treats it as gone. */
const SILENT_MS = 5000
/** Limit for one answer; 50 lines of a wide, coloured screen are far below it. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * A control-mode client of a tmux server: commands in, answers out, in order. It does not affect window sizes and
 * receives no output, so users notice nothing.
 */
export class ControlClient {
  readonly #tmux: ChildProcessByStdio<Writable, Readable, null>
  readonly #waiting: Waiting[] = []
  #rest = ''
  #open = true
  #silence: NodeJS.Timeout | undefined

  constructor(socket: string, session: string, env: NodeJS.ProcessEnv) {
    const flags = 'ignore-size,no-output'
    this.#tmux = spawn('tmux', ['-u', '-S', socket, '-C', 'attach-session', '-t', session, '-f', flags], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env,
    })
    this.#tmux.once('error', () => this.close())
    this.#tmux.once('exit', () => this.close())
    this.#tmux.stdin.on('error', () => this.close())
    this.#tmux.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#receive(chunk))
  }

  get open(): boolean {
    return this.#open
  }

  /** Runs a command. Undefined if the connection ended before the answer: the command may or may not have run. */
  run(args: readonly string[]): Promise<Answer | undefined> {
    if (!this.#open) return Promise.resolve(undefined)
    return new Promise(resolve => {
      // A screen can show text that looks like the end of an answer, but it cannot contain this random mark.
      const mark = `baton-${randomBytes(12).toString('hex')}`
      this.#waiting.push({ mark, lines: [], bytes: 0, resolve })
      this.#tmux.stdin.write(`${lineOf(args)}\ndisplay-message -p ${mark}\n`)
      this.#silence ??= setTimeout(() => this.close(), SILENT_MS)
    })
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    clearTimeout(this.#silence)
    this.#tmux.stdin.destroy()
    this.#tmux.kill('SIGTERM')
    for (const { resolve } of this.#waiting.splice(0)) resolve(undefined)
  }

  /** Lets the process exit while this client is open. */
  unref(): void {
    this.#tmux.unref()
    for (const stream of [this.#tmux.stdin, this.#tmux.stdout])
      if ('unref' in stream && typeof stream.unref === 'function') stream.unref()
  }

  #receive(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#handleLine(line)
    if (this.#rest.length > MAX_BYTES) this.close()
  }

  #handleLine(line: string): void {
    const [head] = this.#waiting
    // Ignore notifications between answers: Baton queries what it needs when it needs it.
    if (!head) return
    if (line !== head.mark) {
      head.lines.push(line)
      head.bytes += line.length
      if (head.bytes > MAX_BYTES) this.close()
      return
    }
    this.#waiting.shift()
    clearTimeout(this.#silence)
    this.#silence = this.#waiting.length > 0 ? setTimeout(() => this.close(), SILENT_MS) : undefined
    head.resolve(answerIn(head.lines))
  }
}

interface Waiting {
  mark: string
  lines: string[]
  bytes: number
  resolve(answer: Answer | undefined): void
}

/**
 * The answer is between `%begin` and `%end` or `%error` with the same number. The flag 1 marks commands of this client:
 * tmux answers the attach as well, and the end of that answer may arrive late, among the lines of the first command.
 */
export function answerIn(lines: readonly string[]): Answer {
  const begin = lines.findIndex(line => /^%begin \d+ \d+ 1$/.test(line))
  const number = lines[begin]?.split(' ')[2]
  const end = lines.findLastIndex(line => new RegExp(`^%(?:end|error) \\d+ ${number} 1$`).test(line))
  if (begin < 0 || end < begin) return { ok: false, why: 'tmux did not answer' }
  const inner = lines.slice(begin + 1, end)
  return lines[end]?.startsWith('%end') ? { ok: true, lines: inner } : { ok: false, why: inner.join(' ') }
}
