import { type BracketEnds, pairBrackets, type Range } from './brackets.ts'
import { blankSameInPython, deadInPython } from './live-python.ts'
import { type Language, stripLiterals } from './strip-literals.ts'

/**
 * The text with spaces in place of assertions that cannot fail a test: code after an early return, under a condition without
 * another case, in a `try` that swallows what it catches, and comparisons of a value with itself or of two literals.
 */
export function withoutHollow(text: string, language: Language): string {
  const code = stripLiterals(text, language, 'keep-length')
  if (language === 'python') return blank(blankSameInPython(text, code), deadInPython(code))
  const dead = deadInBraces(code, language === 'javascript')
  return blank(text, language === 'javascript' ? [...dead, ...sameValues(text, code)] : dead)
}

export function blank(text: string, ranges: readonly Range[]): string {
  let out = ''
  let at = 0
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    if (end <= at) continue
    const from = Math.max(start, at)
    out += text.slice(at, from) + text.slice(from, end).replaceAll(/[^\n]/g, ' ')
    at = end
  }
  return out + text.slice(at)
}

interface Block {
  start: number
  /** What is before the brace. */
  head: string
  isObject: boolean
  /** Where a statement ended the block early. */
  returned?: number
}

/** What a handler must contain to report a failure. */
const REPORTS = /\b(?:throw|reject|fail|done|assert\w*|expect|exit|raise)\b/g
const MAX_HEAD = 300

/** Ranges of a language with braces in which no assertion counts. */
function deadInBraces(code: string, isJavaScript: boolean): Range[] {
  const found: Range[] = []
  const open: Block[] = []
  let parens = 0
  const levels: number[] = []
  /** The last `try` that ended, which waits for its handler. */
  let tried: Range | undefined
  const closing = pairBrackets(code)
  const reports = placesOf(code, REPORTS)
  const returns = placesOf(code, /\breturn\b/g)
  for (let at = 0; at < code.length; at++) {
    const char = code[at]
    if (char === '(' || char === '[') parens += 1
    else if (char === ')' || char === ']') parens = Math.max(0, parens - 1)
    else if (char === '{') {
      const head = code.slice(Math.max(0, at - MAX_HEAD), at).trimEnd()
      open.push({ start: at, head, isObject: false })
      levels.push(parens)
      parens = 0
    } else if (char === '}') {
      const block = open.pop()
      parens = levels.pop() ?? 0
      if (!block) continue
      if (block.returned !== undefined) found.push({ start: block.returned, end: at })
      const range = { start: block.start + 1, end: at }
      const around = open.at(-1)
      // What is after `if (…) { return }` does not always run, either.
      if (isJavaScript && around && around.returned === undefined && block.returned !== undefined)
        if (parens === 0 && !reports(range) && isLoneCondition(block.head, code.slice(at + 1, at + 20)))
          around.returned = at + 1
      if (/\btry$/.test(block.head)) tried = range
      else if (tried && /\bcatch\s{0,50}(?:\([^()]*\))?$/.test(block.head)) {
        if (!reports(range)) found.push(tried)
        tried = undefined
      } else if (tried && /\bfinally$/.test(block.head)) {
        if (returns(range)) found.push(tried)
      } else if (isJavaScript && mayNotRun(block.head, code, at)) found.push(range)
    } else if (parens === 0 && char === 'r' && open.length > 0 && /^return\b/.test(code.slice(at, at + 7))) {
      const block = open.at(-1)
      const before = code.slice(Math.max(0, at - MAX_HEAD), at)
      // What is after `if (…) return` does not always run, either.
      const isGuard = isJavaScript && isLoneCondition(before.trimEnd(), '')
      const last = before.slice(-60)
      const isPlain = !/[\w$.]$/.test(last) && !/(?:\)|\belse|=>|\?|:)\s{0,50}$/.test(last)
      if (block && block.returned === undefined && (isGuard || isPlain))
        block.returned = statementEnd(code, at, closing)
    }
  }
  if (isJavaScript) found.push(...unbracedConditions(code, closing), ...floatingPromises(code, closing))
  return found
}

/** Tells whether a pattern is in a range of the code: ranges may be nested, so each place is looked for only once. */
function placesOf(code: string, pattern: RegExp): (range: Range) => boolean {
  const places = [...code.matchAll(pattern)].map(({ index }) => index)
  return ({ start, end }) => {
    let [low, high] = [0, places.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((places[middle] ?? 0) < start) low = middle + 1
      else high = middle
    }
    return (places[low] ?? end) < end
  }
}

/** A block that may not run before the test ends: a condition without another case, a callback of a timer, a function that no one calls. */
function mayNotRun(head: string, code: string, end: number): boolean {
  if (isLoneCondition(head, code.slice(end + 1, end + 20))) return true
  if (/\b(?:while|switch)\s{0,50}\([^\n]*\)$/.test(head)) return true
  if (
    /\b(?:setTimeout|setImmediate|setInterval|queueMicrotask|nextTick)\s{0,50}\(\s{0,50}(?:async\s{0,50})?\([^()]*\)\s{0,50}=>$/.test(
      head,
    )
  )
    return true
  const name =
    /^[ \t]+(?:const|let|var)\s{1,50}(\w{1,80})\s{0,50}=\s{0,50}(?:async\s{0,50})?\([^()]*\)\s{0,50}=>$/m.exec(
      head.slice(head.lastIndexOf('\n') + 1),
    )?.[1]
  // What is defined in a test is used after that.
  return (
    name !== undefined &&
    !new RegExp(`(?:[,(]\\s{0,50}|\\b(?:return|await)\\s{1,50})${name}\\b|\\b${name}\\s{0,50}\\(`).test(
      code.slice(end, end + MAX_USES),
    )
  )
}

const MAX_USES = 2000

/** `if (…)` without `else`. */
const isLoneCondition = (head: string, next: string): boolean => {
  if (/^\s{0,99}else\b/.test(next) || !head.endsWith(')')) return false
  let depth = 0
  for (let at = head.length - 1; at >= 0; at--) {
    if (head[at] === ')') depth += 1
    if (head[at] === '(') depth -= 1
    if (depth === 0) return /(?<!\belse\s{1,5})\bif\s{0,50}$/.test(head.slice(0, at))
  }
  return false
}

/** Where a statement that begins here ends: a semicolon or line break outside all brackets. Hostile text nests statements, so what is in brackets is passed in one step. */
export function statementEnd(code: string, from: number, closing: BracketEnds): number {
  const most = Math.min(code.length, from + MAX_STATEMENT)
  for (let at = from; at < most; at++) {
    const char = code[at] ?? ''
    if ('([{'.includes(char)) at = closing(at) ?? most
    else if (')]}'.includes(char) || char === ';') return at
    else if (char === '\n' && !/^\s{0,99}(?:[.?:+*/|&]|=>)/.test(code.slice(at, at + 200))) return at
  }
  return most
}

const MAX_STATEMENT = 2000
const MAX_LOOKED_AT = 1000

/** `if (…) expect(…)`, `… && expect(…)`. */
function unbracedConditions(code: string, closing: BracketEnds): Range[] {
  const found: Range[] = []
  for (const { index } of code.matchAll(/\b(?:expect|assert)(?:\.\w{1,80}){0,9}\s{0,50}\(/g)) {
    if (found.length >= MAX_LOOKED_AT) break
    if (hasCondition(code, index)) found.push({ start: index, end: statementEnd(code, index, closing) })
  }
  return found
}

/** Whether the call at a place runs only under a condition before it. */
export function hasCondition(code: string, at: number): boolean {
  const before = code
    .slice(Math.max(0, at - MAX_HEAD), at)
    .replace(/\bawait\s{0,50}$/, '')
    .trimEnd()
  return /(?:&&|\|\|)$/.test(before) || isLoneCondition(before, '')
}

/** `f().then(() => { expect(…) })` of which no one learns the result. */
function floatingPromises(code: string, closing: BracketEnds): Range[] {
  const found: Range[] = []
  for (const { index } of [...code.matchAll(/\.then\s{0,50}\(/g)].slice(0, MAX_LOOKED_AT)) {
    let line = lineStart(code, index)
    for (let n = 0; n < 10 && line > 0 && /^\s{0,99}[.)}]/.test(code.slice(line, line + 40)); n++)
      line = lineStart(code, line - 1)
    const before = code.slice(line, index).replace(/^\s{0,99}[\w.]{1,200}\([^()]{0,500}\)\s{0,50}$/, '')
    const isUsed =
      /^\s{0,99}(?:return|await|export|const|let|var)\b|=>/.test(before) ||
      /[=:,(]\s{0,50}[\w.()]{0,99}\s{0,50}$/.test(before.slice(-200))
    if (isUsed) continue
    found.push({ start: index, end: statementEnd(code, index, closing) })
  }
  return found
}

/** Where the line of a place begins, or not far before it. */
function lineStart(code: string, at: number): number {
  const from = Math.max(0, at - MAX_HEAD)
  return from + code.slice(from, at).lastIndexOf('\n') + 1
}

const MAX_VARIABLES = 2000

/** Comparisons of a value with itself, also through a variable, and of a literal with a literal. */
function sameValues(text: string, code: string): Range[] {
  const found: Range[] = []
  const closing = pairBrackets(code)
  const variables = new Map<string, string>()
  for (const [, name = '', value = ''] of [
    ...text.matchAll(/\b(?:const|let|var)\s{1,50}(\w{1,80})\s{0,50}=\s{0,50}([^\n;]{1,300})/g),
  ].slice(0, MAX_VARIABLES))
    variables.set(name, value)
  const plain = (value: string) => {
    const own = value.trim().replace(/^await\s{1,50}/, '')
    return (variables.get(own) ?? own)
      .trim()
      .replace(/^await\s{1,50}/, '')
      .replaceAll(/\s+/g, '')
  }
  for (const { index, 0: call } of code.matchAll(/\b(?:expect|assert(?:\.\w{1,80}){0,9})\s{0,50}\(/g)) {
    const first = argumentsAt(text, code, closing, index + call.length)
    if (!first) continue
    const { list, end } = first
    const after = call.startsWith('expect')
      ? /^\s{0,99}(?:\.\w{1,80}){0,9}\s{0,50}\(/.exec(code.slice(end + 1, end + 200))
      : undefined
    const second = after ? argumentsAt(text, code, closing, end + 1 + after[0].length) : undefined
    const [actual, expected] = call.startsWith('expect') ? [list[0], second?.list[0]] : list
    if (actual === undefined) continue
    const [one, other] = [plain(actual), expected === undefined ? undefined : plain(expected)]
    const isNegated =
      /^\s{0,99}\.not\b/.test(code.slice(end + 1, end + 120)) || /\.not\w*\s{0,50}\(/i.test(call)
    const isConstant = LITERAL.test(actual.trim()) && (other === undefined || LITERAL.test(other))
    const isAlwaysTrue = /\|\|\s{0,50}(?:true|1)\s{0,50}$/.test(actual)
    if (isConstant || isAlwaysTrue || (one === other && !isNegated))
      found.push({ start: index, end: (second ?? first).end + 1 })
  }
  return found
}

export const LITERAL = /^(?:true|false|null|undefined|-?[\d._]+|(['"`])[^'"`$]*\1)$/
const MAX_ARGUMENTS = 3000

/** The arguments of a call, from after its parenthesis. */
export function argumentsAt(
  text: string,
  code: string,
  closing: BracketEnds,
  from: number,
): { list: string[]; end: number } | undefined {
  const last = closing(from - 1)
  if (last === undefined || last - from > MAX_ARGUMENTS) return undefined
  const list: string[] = []
  let depth = 0
  let start = from
  for (let at = from; at <= last; at++) {
    const char = code[at] ?? ''
    if (depth === 0 && (char === ',' || char === ')')) {
      const value = text.slice(start, at)
      if (value.trim() !== '') list.push(value)
      start = at + 1
      if (char === ')') return { list, end: at }
    }
    if ('([{'.includes(char)) depth += 1
    if (')]}'.includes(char)) depth -= 1
  }
  return undefined
}
