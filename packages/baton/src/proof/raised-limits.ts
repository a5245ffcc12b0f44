/** A number as it is written in code, such as `60_000`, `0.5` or `1e-6`. */
const NUMBER = String.raw`(\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])`

/** Time limits and tolerances: a larger one lets more pass. */
const LARGER_IS_WEAKER = [
  new RegExp(
    String.raw`(?:time_?out|tolerance|epsilon|delta|[ar]tol)\w{0,60}\s{0,50}[:=(,]\s{0,50}${NUMBER}`,
    'gi',
  ),
  // pytest.approx, math.isclose
  new RegExp(
    String.raw`\b(?:approx|isclose)\([^\n]{0,200}?\b(?:rel|abs)(?:_tol)?\s{0,50}=\s{0,50}${NUMBER}`,
    'g',
  ),
]

const BLOCK_END = /^([ \t]*)\}/
const LAST_ARGUMENT = new RegExp(String.raw`\}\s{0,50},\s{0,50}${NUMBER}\s{0,50}\);?\s{0,50}$`)
/** `test('name', { timeout: 5000 }, …`, without literals. */
const OPTION = new RegExp(
  String.raw`^[^\n(]*\(\s{0,50}""\s{0,50},\s{0,50}\{[^{}]{0,200}?\btimeout\s{0,50}:\s{0,50}${NUMBER}`,
)

/** Digits that are compared: fewer let more pass. */
const SMALLER_IS_WEAKER = [
  /\bplaces\s{0,50}=\s{0,50}(\d+)/g,
  /\.toBeCloseTo\([^\n]{0,200}?,\s{0,50}(\d+)\s{0,50}\)/g,
]
/** `toBeCloseTo` with one argument compares two digits. */
const DEFAULT_DIGITS = /\.toBeCloseTo\((?:[^(),\n]|\([^()\n]{0,100}\)){0,200}\)/g

/** A file of tests: its text, and the same lines without comments and literals. */
export interface TestText {
  text: string
  code: string
}

/** Limits in a file that became weaker, compared test by test: those of a new test, or of one that is gone, are not raised. */
export function raisedLimits(path: string, before: TestText, after: TestText): string[] {
  const parts = partsOf(before)
  const pairs = pairParts(parts, partsOf(after))
  const usual = [...parts.values()].reduce((most, { own }) => largest(own, most), Number.NEGATIVE_INFINITY)
  const limit = first(pairs, ([from, to]) => weaker(from.limits, to.limits) ?? newLimit(from, to, usual))
  const digits = first(pairs, ([from, to]) => weaker(from.digits, to.digits))
  return [
    ...(limit ? [`a limit raised from ${limit.from} to ${limit.to} in ${path}`] : []),
    ...(digits ? [`a precision lowered from ${-digits.from} to ${-digits.to} in ${path}`] : []),
  ]
}

/** A test, a hook, or what is before the first of them. */
interface Part {
  limits: number[]
  /** The time limits of the test itself, not of what it calls; they are in `limits`, too. */
  own: number[]
  /** Negative, so that here, too, a larger number is weaker. */
  digits: number[]
  /** The code without numbers and names, by which a renamed test is found. */
  shape: string
}
type Pair = [from: Part, to: Part]
type Weaker = { from: number; to: number } | undefined

/** The parts of a file by name. Parts with the same name are one. */
function partsOf({ text, code }: TestText): Map<string, Part> {
  const raw = text.split('\n')
  const found = new Map<string, Part>()
  /** Tests that have begun and not ended yet, by their indentation. */
  const open = new Map<string, Part>()
  const enter = (name: string): Part => {
    const part = found.get(name) ?? { limits: [], own: [], digits: [], shape: '' }
    found.set(name, part)
    return part
  }
  let part = enter('')
  let lines: string[] = []
  const close = () => addNumbers(part, lines.join('\n'))
  for (const [n, line] of code.split('\n').entries()) {
    const start = PART_START.exec(line)
    if (start) {
      close()
      lines = []
      part = enter(nameOf(start[0], `${raw[n]}\n${raw[n + 1] ?? ''}`))
      open.set(start[1] ?? '', part)
    }
    lines.push(line)
    const indent = start?.[1] ?? BLOCK_END.exec(line)?.[1]
    const ended = indent === undefined ? undefined : open.get(indent)
    const limit = ended && LAST_ARGUMENT.exec(line)?.[1]
    if (limit !== undefined) {
      ended?.limits.push(toNumber(limit))
      ended?.own.push(toNumber(limit))
    }
    if (indent !== undefined && (!start || limit !== undefined)) open.delete(indent)
  }
  close()
  return found
}

/** The start of a test, a group of tests, a hook or a function with a name. */
const PART_START =
  /^([ \t]*)(?:(?:it|test|describe|suite|context|before|after|(?:before|after)(?:Each|All)|t\.(?:test|Run))\b(?!\.(?:setTimeout|slow|step|use|extend|info|expect)\b)(?:\.\w{1,80}){0,9}\s{0,50}[(`]|(?:(?:pub|public|private|static|async|suspend)\s{1,50})*(?:def|func|fn|fun|void)\s{1,50}\w+)/
const FUNCTION = /\b(def|func|fn|fun|void)\s{1,50}(\w+)/

const nameOf = (start: string, text: string): string =>
  FUNCTION.exec(start)?.[2] ?? /\(\s{0,50}(['"`])(.{1,300}?)\1/.exec(text)?.[2] ?? start.trim()

function addNumbers(part: Part, code: string): void {
  const compared = withoutExpected(code)
  for (const number of numbersIn(compared, LARGER_IS_WEAKER)) part.limits.push(number)
  for (const number of numbersIn(compared, SMALLER_IS_WEAKER)) part.digits.push(-number)
  for (const _ of compared.matchAll(DEFAULT_DIGITS)) part.digits.push(-2)
  const option = OPTION.exec(code)?.[1]
  if (option !== undefined) part.own.push(toNumber(option))
  part.shape += code
    .replace(FUNCTION, '$1')
    .replaceAll(/\d[\w.]*/g, '0')
    .trim()
}

/** Assertions that compare with a value. */
const COMPARISON =
  /(?:\.(?:toEqual|toStrictEqual|toMatchObject|toBe|toHaveBeen(?:Last)?CalledWith|(?:deep|strict|deepStrict)Equal|equal|eql|is)|\bassert(?:Dict)?Equals?)\s{0,50}\(/g
const MAX_COMPARED = 5000

/** The code without values that are expected, such as `{ timeout: 5000 }` as a setting. What calls among them get stays. */
function withoutExpected(code: string): string {
  let kept = ''
  let end = 0
  for (let found = COMPARISON.exec(code); found; found = COMPARISON.exec(code)) {
    kept += code.slice(end, COMPARISON.lastIndex)
    const start = COMPARISON.lastIndex
    let rest = ''
    let depth = 1
    for (end = start; end < code.length && end < start + MAX_COMPARED && depth > 0; end++) {
      const char = code[end] ?? ''
      if (char === '(') depth += 1
      if (char === ')') depth -= 1
      if (depth !== 1 || char === '\n') rest += char
    }
    kept += depth === 0 ? rest : code.slice(start, end)
    COMPARISON.lastIndex = end
  }
  return kept + code.slice(end)
}

/** The parts of two versions that belong together: those with the same name, then those whose code differs only in its numbers. */
function pairParts(before: ReadonlyMap<string, Part>, after: ReadonlyMap<string, Part>): Pair[] {
  const renamed = new Map<string, Part[]>()
  for (const [name, part] of [...after].reverse()) {
    if (before.has(name)) continue
    const alike = renamed.get(part.shape)
    if (alike) alike.push(part)
    else renamed.set(part.shape, [part])
  }
  return [...before].flatMap(([name, part]): Pair[] => {
    const same = after.get(name) ?? renamed.get(part.shape)?.pop()
    return same ? [[part, same]] : []
  })
}

const toNumber = (written: string): number => Number(written.replaceAll('_', ''))

const numbersIn = (code: string, patterns: readonly RegExp[]): number[] =>
  patterns.flatMap(pattern => [...code.matchAll(pattern)].map(found => toNumber(found[1] ?? '0')))

const largest = (numbers: readonly number[], least: number): number =>
  numbers.reduce((most, number) => Math.max(most, number), least)

/** Compares the numbers that are gone with those that are new, the largest first. */
function weaker(before: readonly number[], after: readonly number[]): Weaker {
  const added = without(after, before)
  const gone = without(before, after)
  const worst = gone.findIndex((number, n) => (added[n] ?? Number.NEGATIVE_INFINITY) > number)
  return worst < 0 ? undefined : { from: gone[worst] ?? 0, to: added[worst] ?? 0 }
}

/** A test that had no time limit of its own gets one that is larger than any in the file. */
function newLimit(before: Part, after: Part, usual: number): Weaker {
  const to = largest(after.own, Number.NEGATIVE_INFINITY)
  return before.own.length === 0 && Number.isFinite(usual) && to > usual ? { from: usual, to } : undefined
}

/** What is in the first list and not in the second, as often as it is there more; the largest first. */
function without(all: readonly number[], others: readonly number[]): number[] {
  const left = new Map<number, number>()
  for (const number of others) left.set(number, (left.get(number) ?? 0) + 1)
  const found = all.filter(number => {
    const count = left.get(number) ?? 0
    if (count > 0) left.set(number, count - 1)
    return count === 0
  })
  return found.sort((a, b) => b - a)
}

function first(pairs: readonly Pair[], compare: (pair: Pair) => Weaker): Weaker {
  for (const pair of pairs) {
    const found = compare(pair)
    if (found) return found
  }
  return undefined
}
