import { createInterface } from 'node:readline/promises'
import { BatonError } from '@batonpass/contract/errors'
import { type Io, paint } from './io.ts'

/** Questions to the person at this terminal, one line each; Enter takes what is in brackets. */
export interface Questions extends Disposable {
  text(question: string, fallback?: string): Promise<string>
  yes(question: string, fallback: boolean): Promise<boolean>
  choice<const T extends string>(question: string, options: readonly T[], fallback: NoInfer<T>): Promise<T>
}

/** Both ends are a terminal: a person can answer. */
export const isInteractive = (io: Io): boolean => io.isTTY && 'isTTY' in io.stdin && io.stdin.isTTY === true

/** `until`: a question that is open when it aborts is taken back, and the promise rejects. */
export function askAtTerminal(io: Io, until: AbortSignal = io.signal): Questions {
  // Not as a terminal: Ctrl-C then stays a signal, and the terminal itself does the editing.
  const lines = createInterface({ input: io.stdin, terminal: false })
  const heard = lines[Symbol.asyncIterator]()
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new BatonError('usage', CANCELLED))
    if (until.aborted) stop()
    else until.addEventListener('abort', stop, { once: true })
  })
  stopped.catch(() => {})
  const colour = paint(io)
  const ask = async (question: string, shown: string): Promise<string> => {
    io.stdout.write(`${colour('bold', question)}${shown ? colour('dim', ` [${shown}]`) : ''} `)
    const { value, done } = await Promise.race([heard.next(), stopped]).catch(cause => {
      io.stdout.write('\n')
      throw cause
    })
    if (done) throw new BatonError('usage', CANCELLED)
    return String(value).trim()
  }
  return {
    text: async (question, fallback = '') => (await ask(question, fallback)) || fallback,
    async yes(question, fallback) {
      for (;;) {
        const said = (await ask(question, fallback ? 'Y/n' : 'y/N')).toLowerCase()
        if (said === '') return fallback
        if (/^y(es)?$/.test(said)) return true
        if (/^no?$/.test(said)) return false
      }
    },
    async choice(question, options, fallback) {
      for (;;) {
        const said = await ask(`${question} (${options.join(', ')})`, fallback)
        const found = said === '' ? fallback : options.filter(option => option.startsWith(said))
        if (typeof found === 'string') return found
        const [only, second] = found
        if (only !== undefined && second === undefined) return only
        io.stdout.write(`Please choose one of ${options.join(', ')}.\n`)
      }
    },
    [Symbol.dispose]: () => lines.close(),
  }
}

/** Reads one line that the terminal does not show, or from a pipe: a secret does not belong on a command line. */
export async function readHidden(io: Io, question: string): Promise<string> {
  const { stdin } = io
  const raw = isInteractive(io) && 'setRawMode' in stdin ? stdin : undefined
  if (raw) io.stdout.write(`${question} `)
  raw?.setRawMode(true)
  let line = ''
  let end: 'open' | 'entered' | 'cancelled' = 'open'
  for await (const chunk of stdin) {
    // Raw: nothing is shown, and Ctrl-C and Ctrl-D are only letters.
    for (const letter of String(chunk)) {
      if (letter === '\n' || letter === '\r') end = 'entered'
      else if (raw && (letter === CTRL_C || letter === CTRL_D)) end = 'cancelled'
      else if (raw && (letter === BACKSPACE || letter === '\b')) line = line.slice(0, -1)
      else line += letter
      if (end !== 'open') break
    }
    // Before the loop ends, which closes the stream.
    if (end === 'open' && line.length <= MAX_HIDDEN) continue
    raw?.setRawMode(false)
    break
  }
  if (end === 'open') raw?.setRawMode(false)
  if (raw) io.stdout.write('\n')
  if (end === 'cancelled' || line.trim() === '') throw new BatonError('usage', CANCELLED)
  if (line.length > MAX_HIDDEN) throw new BatonError('usage', `It is longer than ${MAX_HIDDEN} characters`)
  return line.trim()
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const BACKSPACE = '\u007f'
const MAX_HIDDEN = 500
const CANCELLED = 'Cancelled. Nothing changed.'
