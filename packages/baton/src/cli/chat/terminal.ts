import { createInterface, emitKeypressEvents, type Interface, type Key } from 'node:readline'
import { Writable } from 'node:stream'
import { printable } from '../io.ts'

export interface TerminalParts {
  stdin: NodeJS.ReadableStream
  stdout: NodeJS.WritableStream & { columns?: number; rows?: number }
  colour(style: 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'bold', text: string): string
  complete(line: string): string[]
  /** A whole prompt was typed. */
  onLine(line: string): void
  onEscape(): void
  /** Ctrl-C with nothing on the line. */
  onInterrupt(): void
  onEnd(): void
}

/** Keys that come as an escape sequence are told from Escape itself by this pause. */
const ESCAPE_MS = 60
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 120
const PROMPT = '> '

/** A line editor below, text above. While something is under way, what is typed is kept and shown when it has ended. */
export class ChatTerminal {
  readonly #parts: TerminalParts
  readonly #rl: Interface
  #muted = true
  #atLineStart = true
  #pasted: string[] | undefined
  #key: ((key: string) => void) | undefined
  #progress: NodeJS.Timeout | undefined

  constructor(parts: TerminalParts) {
    this.#parts = parts
    const { stdin, stdout } = parts
    // The editor writes here, and nothing comes through while the screen belongs to the reply.
    const output = new Writable({
      write: (chunk: Buffer, _, done) => {
        if (this.#muted) done()
        else stdout.write(chunk, done)
      },
    })
    Object.assign(output, { columns: stdout.columns, rows: stdout.rows, isTTY: true })
    stdout.on('resize', () => {
      Object.assign(output, { columns: stdout.columns, rows: stdout.rows })
      output.emit('resize')
    })
    emitKeypressEvents(stdin)
    this.#rl = createInterface({
      input: stdin,
      output,
      terminal: true,
      prompt: PROMPT,
      escapeCodeTimeout: ESCAPE_MS,
      completer: (line: string) => [parts.complete(line), line],
    })
    this.#rl.on('line', line => this.#line(line))
    this.#rl.on('SIGINT', () => this.#interrupt())
    this.#rl.on('close', () => parts.onEnd())
    stdin.on('keypress', (text: string | undefined, key: Key) => this.#press(text, key))
    // Pasted lines are one prompt.
    stdout.write('\x1b[?2004h')
  }

  /** Opens the prompt line. */
  ready(): void {
    this.#newLine()
    this.#muted = false
    this.#rl.prompt(true)
  }

  /** The screen belongs to a reply. */
  busy(): void {
    this.#muted = true
  }

  /** Text as it comes. */
  text(words: string): void {
    this.#clearProgress()
    const shown = printable(words.replaceAll('\r\n', '\n'))
    if (shown === '') return
    this.#parts.stdout.write(shown)
    this.#atLineStart = shown.endsWith('\n')
  }

  /** A line of its own. */
  line(words: string, style?: Parameters<TerminalParts['colour']>[0]): void {
    const wasOpen = !this.#muted
    this.#clearProgress()
    if (wasOpen) this.#parts.stdout.write('\r\x1b[K')
    else this.#newLine()
    const shown = printable(words)
    this.#parts.stdout.write(`${style ? this.#parts.colour(style, shown) : shown}\n`)
    this.#atLineStart = true
    if (wasOpen) this.#rl.prompt(true)
  }

  /** A line that says what is happening, until the next one. */
  progress(words: string): void {
    this.#clearProgress()
    this.#newLine()
    let frame = 0
    const draw = () => {
      const seconds = Math.floor((frame * FRAME_MS) / 1000)
      const mark = FRAMES[frame++ % FRAMES.length]
      this.#parts.stdout.write(`\r\x1b[K${this.#parts.colour('cyan', `${mark} ${words}`)} ${seconds} s`)
    }
    draw()
    this.#progress = setInterval(draw, FRAME_MS)
  }

  /** Asks for one of some keys. Aborted: the question goes away. */
  async choose(question: string, keys: string, signal: AbortSignal): Promise<string | undefined> {
    this.#clearProgress()
    this.#newLine()
    this.#parts.stdout.write(question)
    this.#atLineStart = false
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    const gone = () => resolve(undefined)
    signal.addEventListener('abort', gone, { once: true })
    this.#key = key => {
      if (keys.includes(key)) resolve(key)
    }
    const chosen = signal.aborted ? undefined : await promise
    signal.removeEventListener('abort', gone)
    this.#key = undefined
    // Neither the key nor what was typed meanwhile is part of a prompt.
    this.#rl.write(null, { ctrl: true, name: 'u' })
    this.#parts.stdout.write(`${chosen ?? '(settled elsewhere)'}\n`)
    this.#atLineStart = true
    return chosen
  }

  close(): void {
    this.#clearProgress()
    this.#parts.stdout.write('\x1b[?2004l')
    if (!this.#muted) this.#parts.stdout.write('\n')
    else this.#newLine()
    this.#muted = true
    this.#rl.close()
  }

  #line(line: string): void {
    if (this.#key) return
    if (this.#pasted) {
      this.#pasted.push(line)
      return
    }
    const whole = [...this.#kept, line].join('\n')
    this.#kept = []
    if (!this.#muted) this.#atLineStart = true
    this.#parts.onLine(whole)
  }

  /** Lines of a paste that wait for Enter. */
  #kept: string[] = []

  #press(text: string | undefined, key: Key): void {
    if (this.#key) {
      this.#key(key.name === 'escape' ? 'n' : (text ?? '').toLowerCase())
      return
    }
    if (key.name === 'paste-start') this.#pasted = []
    else if (key.name === 'paste-end') {
      this.#kept.push(...(this.#pasted ?? []))
      this.#pasted = undefined
    } else if (key.name === 'escape') this.#parts.onEscape()
  }

  #interrupt(): void {
    if (this.#key) {
      this.#key('n')
      return
    }
    const typed = this.#rl.line !== '' || this.#kept.length > 0
    this.#kept = []
    if (typed) this.#rl.write(null, { ctrl: true, name: 'u' })
    else this.#parts.onInterrupt()
  }

  #newLine(): void {
    if (this.#atLineStart) return
    this.#parts.stdout.write('\n')
    this.#atLineStart = true
  }

  #clearProgress(): void {
    if (!this.#progress) return
    clearInterval(this.#progress)
    this.#progress = undefined
    this.#parts.stdout.write('\r\x1b[K')
  }
}
