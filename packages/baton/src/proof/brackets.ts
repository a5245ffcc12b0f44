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
  for (const { index, 0: bracket } of code.matchAll(/[()[\]{}]/g)) {
    if ('([{'.includes(bracket)) open.push(index)
    else {
      const start = open.pop()
      if (start !== undefined) ends.set(start, index)
    }
  }
  return at => ends.get(at)
}
