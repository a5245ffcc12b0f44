import { createInterface } from 'node:readline/promises'
import { BatonError } from '@batonpass/contract/errors'
import { type Io, paint } from './io.ts'

/** Questions to the person at this terminal, one line each; Enter takes what stands in brackets. */
export interface Questions extends Disposable {
  text(question: string, fallback?: string): Promise<string>
  yes(question: string, fallback: boolean): Promise<boolean>
  choice<const T extends string>(question: string, options: readonly T[], fallback: NoInfer<T>): Promise<T>
}

/** Both ends are a terminal: somebody is there to answer. */
export const isInteractive = (io: Io): boolean => io.isTTY && 'isTTY' in io.stdin && io.stdin.isTTY === true

export function askAtTerminal(io: Io): Questions {
  const lines = createInterface({ input: io.stdin, terminal: false })
  const heard = lines[Symbol.asyncIterator]()
  const colour = paint(io)
  const ask = async (question: string, shown: string): Promise<string> => {
    io.stdout.write(`${colour('bold', question)}${shown ? colour('dim', ` [${shown}]`) : ''} `)
    const { value, done } = await heard.next()
    if (done) throw new BatonError('usage', 'The set-up was broken off; nothing was written')
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
        io.stdout.write(`Please say one of ${options.join(', ')}.\n`)
      }
    },
    [Symbol.dispose]: () => lines.close(),
  }
}
