/** Part of a text, from a place to before another. */
export interface Range {
  start: number
  end: number
}

/** Gives the place of the bracket that closes the one at a place; undefined if none does. */
export type BracketEnds = (open: number) => number | undefined

/** Pairs the brackets of code without literals, once: hostile text may have many that are never closed. */
export function pairBrackets(code: string): BracketEnds {
  const ends = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < code.length; at++) {
    const char = code[at] ?? ''
    if ('([{'.includes(char)) open.push(at)
    else if (')]}'.includes(char)) {
      const start = open.pop()
      if (start !== undefined) ends.set(start, at)
    }
  }
  return at => ends.get(at)
}
