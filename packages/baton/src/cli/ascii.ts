import type { Environment } from '../config/places.ts'
import type { Io } from './io.ts'

/** The same command on a terminal whose locale has no UTF-8: symbols become ASCII of the same width. Pipes get every byte. */
export function withAscii(io: Io): Io {
  if (!io.isTTY || isUtf8(io.env)) return io
  return { ...io, stdout: asciiStream(io.stdout), stderr: asciiStream(io.stderr) }
}

/** Without any locale, UTF-8 is the better guess; a locale that is set is obeyed. */
const isUtf8 = (env: Environment): boolean => {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  return !locale || /utf-?8/i.test(locale)
}

function asciiStream<S extends Io['stdout']>(stream: S): S {
  return new Proxy(stream, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (key === 'write')
        return (text: string) => target.write(typeof text === 'string' ? ascii(text) : text)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

export const ascii = (text: string): string =>
  text.replaceAll(/[^\p{ASCII}]/gu, letter => SYMBOLS[letter] ?? (MARKS.test(letter) ? '' : '?'))

/** What joins or colours the symbol before it has no width of its own. */
const MARKS = /[\p{Mn}\p{Cf}]/u

const SYMBOLS: Readonly<Record<string, string>> = {
  '…': '.',
  '–': '-',
  '—': '-',
  '·': '-',
  '•': '*',
  '█': '#',
  '▓': '#',
  '░': '.',
  '▶': '>',
  '→': '>',
  '←': '<',
  '↑': '^',
  '↓': 'v',
  '✓': '+',
  '✔': '+',
  '✗': 'x',
  '✖': 'x',
  '◐': 'o',
  '●': '*',
  '○': 'o',
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '│': '|',
  '─': '-',
  '✅': '+',
  '❌': 'x',
  '⚠': '!',
  '🔔': '!',
}
