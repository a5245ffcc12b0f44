import { stripVTControlCharacters } from 'node:util'
import type { Io } from './io.ts'

/** How many columns of a terminal a text takes: colours take none, letters of East Asian scripts two. */
export function widthOf(text: string): number {
  let width = 0
  for (const letter of stripVTControlCharacters(text))
    width += MARKS.test(letter) ? 0 : letter === '\t' ? 8 : WIDE.test(letter) ? 2 : 1
  return width
}
const MARKS = /[\p{Mn}\p{Me}\p{Cf}]/u
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3001-\u303e\uff01-\uff60]/u

/** Breaks lines between words; a long word stays whole, so that it can be copied. `used` is how much of the first line is taken. */
export function wrapWords(text: string, columns: number, used = 0): string[] {
  const room = Math.max(columns, 20)
  const lines: string[] = []
  let width = used
  for (const word of text.split(/\s+/)) {
    const length = widthOf(word)
    const last = lines.at(-1)
    if (last !== undefined && width + 1 + length <= room) {
      lines[lines.length - 1] = `${last} ${word}`
      width += 1 + length
      continue
    }
    // The first line keeps what is on it already.
    if (last === undefined && used > 0 && used + length > room) lines.push('')
    width = lines.length === 0 ? used + length : length
    lines.push(word)
  }
  return lines
}

/**
 * Text of several lines for a terminal of this width: what is too long continues below, indented. Parts of a line with two blanks
 * between them, such as two commands, stay whole where they can. Without a width, as for a pipe, the text stays as it is.
 */
export function fitLines(text: string, columns: number | undefined): string {
  if (columns === undefined) return text
  return text
    .split('\n')
    .flatMap(line => fitLine(line, columns))
    .join('\n')
}

/** Writes whole lines that fit the terminal. */
export const fitted =
  ({ stdout, columns }: Pick<Io, 'stdout' | 'columns'>) =>
  (text: string): void =>
    void stdout.write(fitLines(text, columns))

/** For a command that prints messages: everything it writes fits the terminal. A diff keeps its lines, or it would read otherwise. */
export function withFittedLines(io: Io): Io {
  const { columns } = io
  if (columns === undefined) return io
  const fit = (stream: Io['stdout']): Io['stdout'] => ({
    write: text => stream.write(PATCH.test(text) ? text : fitLines(text, columns)),
  })
  return { ...io, stdout: fit(io.stdout), stderr: fit(io.stderr) }
}

const PATCH = /^(?:--- |diff --git )/

function fitLine(line: string, columns: number): string[] {
  if (widthOf(line) <= columns) return [line]
  const [indent = ''] = /^ */.exec(line) ?? []
  const below = ' '.repeat(Math.min(indent.length, columns / 3) + 2)
  const lines = [indent]
  for (const [, gap = '', part = ''] of line
    .trimEnd()
    .slice(indent.length)
    .matchAll(/(\s*)(\S+(?: \S+)*)/g)) {
    const last = lines.at(-1) ?? ''
    const start = lines.length === 1 && last === indent ? last : `${last}${gap}`
    const width = widthOf(part)
    if (widthOf(start) + width <= columns) lines[lines.length - 1] = `${start}${part}`
    // A line that is hardly begun takes as many words as it can.
    else if (widthOf(last) > columns / 3 && below.length + width <= columns) lines.push(`${below}${part}`)
    else {
      const [first = '', ...rest] = wrapWords(part, columns - below.length, widthOf(start) - below.length)
      lines[lines.length - 1] = `${start}${first}`.trimEnd()
      lines.push(...rest.map(each => `${below}${each}`))
    }
  }
  return lines
}
