import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { lineOf } from './quote.ts'

/** What a command printed, or why tmux refused it. */
export type Answer = { ok: true; lines: readonly string[] } | { ok: false; why: string }

/** A tmux that says nothing for this long is taken for gone. */
const SILENT_MS = 5000
/** One answer: 50 lines of a wide screen with colours are far below. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * One control-mode client of a tmux server: commands in, answers out, in order, for as long as both live.
 * It takes no part in the size of windows and asks for no output, so nobody sees a difference.
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
    this.#tmux.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#hear(chunk))
  }

  get open(): boolean {
    return this.#open
  }

  /** Undefined when the connection ended before the answer: nobody knows whether the command ran. */
  run(words: readonly string[]): Promise<Answer | undefined> {
    if (!this.#open) return Promise.resolve(undefined)
    return new Promise(resolve => {
      // A screen may show what looks like the end of an answer. It cannot know this word.
      const mark = `baton-${randomBytes(12).toString('hex')}`
      this.#waiting.push({ mark, lines: [], bytes: 0, resolve })
      this.#tmux.stdin.write(`${lineOf(words)}\ndisplay-message -p ${mark}\n`)
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

  /** Does not keep the process alive by itself. */
  unref(): void {
    this.#tmux.unref()
    for (const stream of [this.#tmux.stdin, this.#tmux.stdout])
      if ('unref' in stream && typeof stream.unref === 'function') stream.unref()
  }

  #hear(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
    if (this.#rest.length > MAX_BYTES) this.close()
  }

  #take(line: string): void {
    const [head] = this.#waiting
    // Notices between answers; what matters of them is asked for when it is needed.
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
 * Between `%begin` and `%end` or `%error` of one number stands the answer. The flag 1 marks what this client asked for: the
 * attaching itself is answered, too, and its end may come late, among the lines of the first question.
 */
export function answerIn(lines: readonly string[]): Answer {
  const begin = lines.findIndex(line => /^%begin \d+ \d+ 1$/.test(line))
  const number = lines[begin]?.split(' ')[2]
  const end = lines.findLastIndex(line => new RegExp(`^%(?:end|error) \\d+ ${number} 1$`).test(line))
  if (begin < 0 || end < begin) return { ok: false, why: 'tmux did not answer' }
  const inner = lines.slice(begin + 1, end)
  return lines[end]?.startsWith('%end') ? { ok: true, lines: inner } : { ok: false, why: inner.join(' ') }
}
