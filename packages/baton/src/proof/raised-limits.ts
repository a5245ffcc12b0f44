/** A number as it is written in code, such as `60_000`, `0.5` or `1e-6`. */
const NUMBER = String.raw`(\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])`

/** Time limits and tolerances: a larger one lets more pass. */
const LARGER_IS_WEAKER = [
  new RegExp(String.raw`(?:time_?out|tolerance|epsilon|delta|[ar]tol)\w*\s*[:=(,]\s*${NUMBER}`, 'gi'),
  // pytest.approx, math.isclose
  new RegExp(String.raw`\b(?:approx|isclose)\([^\n]{0,200}?\b(?:rel|abs)(?:_tol)?\s*=\s*${NUMBER}`, 'g'),
]

/** The start of a test or a hook, and an end with a time limit: `test('name', () => { … }, 5000)`. */
const TEST_START = /^([ \t]*)(?:it|test|before|after)\w*(?:\.\w+)*\(/
const BLOCK_END = /^([ \t]*)\}/
const LAST_ARGUMENT = new RegExp(String.raw`\}\s*,\s*${NUMBER}\s*\);?\s*$`)

/** Digits that are compared: fewer let more pass. */
const SMALLER_IS_WEAKER = [/\bplaces\s*=\s*(\d+)/g, /\.toBeCloseTo\([^\n]{0,200}?,\s*(\d+)\s*\)/g]
/** `toBeCloseTo` with one argument compares two digits. */
const DEFAULT_DIGITS = /\.toBeCloseTo\((?:[^(),\n]|\([^()\n]{0,100}\)){0,200}\)/g

/**
 * Limits of the tests in a file that became weaker. `before` and `after` are its code without literals. Limits of new tests are
 * not raised ones: `newTests` says how many there are.
 */
export function raisedLimits(path: string, before: string, after: string, newTests: number): string[] {
  const limits = weakest(limitsIn(before), limitsIn(after), newTests)
  const digits = weakest(digitsIn(before), digitsIn(after), newTests)
  return [
    ...(limits ? [`a limit raised from ${limits.from} to ${limits.to} in ${path}`] : []),
    ...(digits ? [`a precision lowered from ${-digits.from} to ${-digits.to} in ${path}`] : []),
  ]
}

const limitsIn = (code: string): number[] => [...numbersIn(code, LARGER_IS_WEAKER), ...lastArguments(code)]

/** Time limits after the function of a test. One after another function, such as that of a timer, is not a limit. */
function lastArguments(code: string): number[] {
  const found: number[] = []
  /** Tests that have begun and not ended yet, by their indentation. */
  const open = new Set<string>()
  for (const line of code.split('\n')) {
    const start = TEST_START.exec(line)?.[1]
    const end = BLOCK_END.exec(line)?.[1]
    const isEnd = start !== undefined || (end !== undefined && open.delete(end))
    const limit = isEnd ? LAST_ARGUMENT.exec(line)?.[1] : undefined
    if (limit !== undefined) found.push(Number(limit.replaceAll('_', '')))
    else if (start !== undefined) open.add(start)
  }
  return found
}

const numbersIn = (code: string, patterns: readonly RegExp[]): number[] =>
  patterns.flatMap(pattern =>
    [...code.matchAll(pattern)].map(found => Number(found[1]?.replaceAll('_', '') ?? 0)),
  )

/** Negative, so that here, too, a larger number is weaker. */
const digitsIn = (code: string): number[] => [
  ...numbersIn(code, SMALLER_IS_WEAKER).map(number => -number),
  ...[...code.matchAll(DEFAULT_DIGITS)].map(() => -2),
]

/** Compares the numbers that are gone with those that are new, the largest first. */
function weakest(
  before: readonly number[],
  after: readonly number[],
  newTests: number,
): { from: number; to: number } | undefined {
  const gone = without(before, after)
  const added = without(after, before)
  if (before.length === 0 || (gone.length === 0 && added.length <= newTests)) return undefined
  const from = gone.length === 0 ? [Math.max(...before)] : gone
  const worst = from.findIndex((number, n) => (added[n] ?? Number.NEGATIVE_INFINITY) > number)
  return worst < 0 ? undefined : { from: from[worst] ?? 0, to: added[worst] ?? 0 }
}

/** What is in the first list and not in the second, as often as it is there more; the largest first. */
function without(all: readonly number[], others: readonly number[]): number[] {
  const left = [...others]
  const found = all.filter(number => {
    const at = left.indexOf(number)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  return found.sort((a, b) => b - a)
}
