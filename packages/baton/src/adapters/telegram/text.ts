import { visible } from '@batonpass/contract/visible'

/** On one line, and not longer than that; what was left off shows as `…`. */
export function line(text: string, longest: number): string {
  const one = visible(text).replaceAll('\n', '\\n').replaceAll('\t', ' ')
  return one.length > longest ? `${one.slice(0, cutAt(one, longest - 1))}…` : one
}

/** Pieces of at most `room` characters that joined give the text: cut after a line, else after a word, else anywhere. */
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

/** The last place up to `at` that is not inside a surrogate pair. */
function cutAt(text: string, at: number): number {
  const before = text.charCodeAt(at - 1)
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at
}
