import { visible } from '@batonpass/contract/visible'

/** The text on one line, cut to `maxLength` with `…`. */
export function line(text: string, maxLength: number): string {
  const flat = visible(text).replaceAll('\n', '\\n').replaceAll('\t', ' ')
  return flat.length > maxLength ? `${flat.slice(0, cutAt(flat, maxLength - 1))}…` : flat
}

/** Splits the text into pieces of at most `room` characters, preferably after a line, else after a word. Joined, they give the text. */
export function split(text: string, room: number): string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > room) {
    const part = rest.slice(0, room)
    const after = [part.lastIndexOf('\n'), part.lastIndexOf(' ')].find(at => at >= room / 2)
    const at = after === undefined ? cutAt(rest, room) : after + 1
    pieces.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  return [...pieces, rest]
}

/** The last index up to `at` that is not inside a surrogate pair. */
function cutAt(text: string, at: number): number {
  const before = text.charCodeAt(at - 1)
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at
}
