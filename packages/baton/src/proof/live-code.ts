import { type BracketEnds, pairBrackets } from './brackets.ts'
import { type Language, stripLiterals } from './strip-literals.ts'

/** Part of a text, from a place to before another. */
export interface Range {
  start: number
  end: number
}

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

function blank(text: string, ranges: readonly Range[]): string {
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
const REPORTS = /\b(?:throw|reject|fail|done|assert\w*|expect|exit|raise)\b/
const MAX_HEAD = 300

/** Ranges of a language with braces in which no assertion counts. */
function deadInBraces(code: string, isJavaScript: boolean): Range[] {
  const found: Range[] = []
  const open: Block[] = []
  let parens = 0
  const levels: number[] = []
  /** The last `try` that ended, which waits for its handler. */
  let tried: Range | undefined
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
      if (/\btry$/.test(block.head)) tried = range
      else if (tried && /\bcatch\s*(?:\([^()]*\))?$/.test(block.head)) {
        if (!REPORTS.test(code.slice(range.start, range.end))) found.push(tried)
        tried = undefined
      } else if (tried && /\bfinally$/.test(block.head)) {
        if (/\breturn\b/.test(code.slice(range.start, range.end))) found.push(tried)
      } else if (isJavaScript && mayNotRun(block.head, code, at)) found.push(range)
    } else if (parens === 0 && char === 'r' && open.length > 0 && /^return\b/.test(code.slice(at, at + 7))) {
      const block = open.at(-1)
      const before = code.slice(Math.max(0, at - MAX_HEAD), at)
      // What is after `if (…) return` does not always run, either.
      const isGuard = isJavaScript && isLoneCondition(before.trimEnd(), '')
      const isPlain = !/[\w$.]$/.test(before) && !/(?:\)|\belse|=>|\?|:)\s*$/.test(before)
      if (block && block.returned === undefined && (isGuard || isPlain))
        block.returned = statementEnd(code, at)
    }
  }
  if (isJavaScript) found.push(...unbracedConditions(code), ...floatingPromises(code))
  return found
}

/** A block that may not run before the test ends: a condition without another case, a callback of a timer, a function that no one calls. */
function mayNotRun(head: string, code: string, end: number): boolean {
  if (isLoneCondition(head, code.slice(end + 1, end + 20))) return true
  if (/\b(?:while|switch)\s*\([^\n]*\)$/.test(head)) return true
  if (
    /\b(?:setTimeout|setImmediate|setInterval|queueMicrotask|nextTick)\s*\(\s*(?:async\s*)?\([^()]*\)\s*=>$/.test(
      head,
    )
  )
    return true
  const name = /^[ \t]+(?:const|let|var)\s+(\w{1,80})\s*=\s*(?:async\s*)?\([^()]*\)\s*=>$/m.exec(
    head.slice(head.lastIndexOf('\n') + 1),
  )?.[1]
  // What is defined in a test is used after that.
  return (
    name !== undefined &&
    !new RegExp(`(?:[,(]\\s*|\\b(?:return|await)\\s+)${name}\\b|\\b${name}\\s*\\(`).test(
      code.slice(end, end + MAX_USES),
    )
  )
}

const MAX_USES = 2000

/** `if (…)` without `else`. */
const isLoneCondition = (head: string, next: string): boolean => {
  if (/^\s*else\b/.test(next) || !head.endsWith(')')) return false
  let depth = 0
  for (let at = head.length - 1; at >= 0; at--) {
    if (head[at] === ')') depth += 1
    if (head[at] === '(') depth -= 1
    if (depth === 0) return /(?<!\belse\s{1,5})\bif\s*$/.test(head.slice(0, at))
  }
  return false
}

/** Where a statement that begins here ends: a semicolon or line break outside all brackets. */
function statementEnd(code: string, from: number): number {
  let depth = 0
  for (let at = from; at < code.length && at < from + MAX_STATEMENT; at++) {
    const char = code[at] ?? ''
    if ('([{'.includes(char)) depth += 1
    if (')]}'.includes(char)) depth -= 1
    if (depth < 0) return at
    if (
      depth === 0 &&
      (char === ';' || (char === '\n' && !/^\s*(?:[.?:+*/|&]|=>)/.test(code.slice(at, at + 200))))
    )
      return at
  }
  return Math.min(code.length, from + MAX_STATEMENT)
}

const MAX_STATEMENT = 2000
const MAX_LOOKED_AT = 1000
const _ASSERTS = /^\s*(?:await\s+)?(?:expect|assert)\b/

/** `if (…) expect(…)`, `… && expect(…)`. */
function unbracedConditions(code: string): Range[] {
  const found: Range[] = []
  for (const { index } of code.matchAll(/\b(?:expect|assert)(?:\.\w+)*\s*\(/g)) {
    if (found.length >= MAX_LOOKED_AT) break
    const before = code
      .slice(Math.max(0, index - MAX_HEAD), index)
      .replace(/\bawait\s*$/, '')
      .trimEnd()
    if (/(?:&&|\|\|)$/.test(before) || isLoneCondition(before, ''))
      found.push({ start: index, end: statementEnd(code, index) })
  }
  return found
}

/** `f().then(() => { expect(…) })` of which no one learns the result. */
function floatingPromises(code: string): Range[] {
  const found: Range[] = []
  for (const { index } of [...code.matchAll(/\.then\s*\(/g)].slice(0, MAX_LOOKED_AT)) {
    let line = Math.max(code.lastIndexOf('\n', index) + 1, index - MAX_HEAD)
    for (let n = 0; n < 10 && line > 0 && /^\s*[.)}]/.test(code.slice(line, line + 40)); n++)
      line = Math.max(code.lastIndexOf('\n', line - 2) + 1, line - MAX_HEAD)
    if (
      /^\s*(?:return|await|export)\b|=>|[=:,(]\s*[\w.()]*\s*$|^\s*(?:const|let|var)\b/.test(
        code.slice(line, index).replace(/^\s*[\w.]+\([^()]*\)\s*$/, ''),
      )
    )
      continue
    found.push({ start: index, end: statementEnd(code, index) })
  }
  return found
}

const MAX_VARIABLES = 2000

/** Comparisons of a value with itself, also through a variable, and of a literal with a literal. */
function sameValues(text: string, code: string): Range[] {
  const found: Range[] = []
  const closing = pairBrackets(code)
  const variables = new Map<string, string>()
  for (const [, name = '', value = ''] of [
    ...text.matchAll(/\b(?:const|let|var)\s+(\w{1,80})\s*=\s*([^\n;]{1,300})/g),
  ].slice(0, MAX_VARIABLES))
    variables.set(name, value)
  const plain = (value: string) => {
    const own = value.trim().replace(/^await\s+/, '')
    return (variables.get(own) ?? own)
      .trim()
      .replace(/^await\s+/, '')
      .replaceAll(/\s+/g, '')
  }
  for (const { index, 0: call } of code.matchAll(/\b(?:expect|assert(?:\.\w+)*)\s*\(/g)) {
    const first = argumentsAt(text, code, closing, index + call.length)
    if (!first) continue
    const { list, end } = first
    const after = call.startsWith('expect')
      ? /^\s*(?:\.\w+)*\s*\(/.exec(code.slice(end + 1, end + 200))
      : undefined
    const second = after ? argumentsAt(text, code, closing, end + 1 + after[0].length) : undefined
    const [actual, expected] = call.startsWith('expect') ? [list[0], second?.list[0]] : list
    if (actual === undefined) continue
    const [one, other] = [plain(actual), expected === undefined ? undefined : plain(expected)]
    const isConstant = LITERAL.test(actual.trim()) && (other === undefined || LITERAL.test(other))
    const isAlwaysTrue = /\|\|\s*(?:true|1)\s*$/.test(actual)
    if (isConstant || isAlwaysTrue || one === other)
      found.push({ start: index, end: (second ?? first).end + 1 })
  }
  return found
}

const LITERAL = /^(?:true|false|null|undefined|-?[\d._]+|(['"`])[^'"`$]*\1)$/
const MAX_ARGUMENTS = 3000

/** The arguments of a call, from after its parenthesis. */
function argumentsAt(
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

/** An indented part of Python code. */
interface Suite {
  indent: number
  start: number
  kind: 'if' | 'try' | 'suppress' | 'dead' | 'other'
}

const SWALLOWS = /^\s*except(?:\s*|\s[^\n]*\b(?:AssertionError|Exception|BaseException)\b[^\n]*):/
const FAILS = /\b(?:raise|assert|fail|pytest\.fail|exit)\b/

function deadInPython(code: string): Range[] {
  const found: Range[] = []
  const lines = code.split('\n')
  const starts: number[] = []
  let place = 0
  for (const line of lines) {
    starts.push(place)
    place += line.length + 1
  }
  const open: Suite[] = []
  /** Suites that ended and wait for what follows them at the same level. */
  let waiting: { suite: Suite; end: number } | undefined
  let depth = 0
  const endOf = (n: number, indent: number): number => {
    let next = n + 1
    while (next < lines.length && ((lines[next] ?? '').trim() === '' || indentOf(lines[next] ?? '') > indent))
      next += 1
    return next
  }
  for (const [n, line] of lines.entries()) {
    const at = starts[n] ?? 0
    const isContinued = depth > 0
    for (const char of line) depth += '([{'.includes(char) ? 1 : ')]}'.includes(char) ? -1 : 0
    if (line.trim() === '' || isContinued) continue
    const indent = indentOf(line)
    while ((open.at(-1)?.indent ?? -1) >= indent) {
      const suite = open.pop()
      if (!suite) break
      if (suite.kind === 'dead' || suite.kind === 'suppress') found.push({ start: suite.start, end: at })
      if (suite.kind === 'if' || suite.kind === 'try') {
        if (waiting?.suite.kind === 'if') found.push({ start: waiting.suite.start, end: waiting.end })
        waiting = { suite, end: at }
      }
    }
    if (waiting && indent <= waiting.suite.indent) {
      const { suite, end } = waiting
      const isNext = indent === suite.indent
      if (suite.kind === 'if' && !(isNext && /^\s*(?:elif|else)\b/.test(line)))
        found.push({ start: suite.start, end })
      if (suite.kind === 'try' && isNext && SWALLOWS.test(line)) {
        const last = endOf(n, indent)
        if (!FAILS.test(lines.slice(n, last).join('\n'))) found.push({ start: suite.start, end })
      }
      waiting = undefined
    }
    const next = at + line.length
    const inTest = open.some(({ kind }) => kind !== 'other') || /^\s+/.test(line)
    if (inTest && /^\s*if\b.*:\s*$/.test(line)) open.push({ indent, start: next, kind: 'if' })
    else if (inTest && /^\s*if\b.*:\s*\S/.test(line)) found.push({ start: at, end: next })
    else if (/^\s*try\s*:/.test(line)) open.push({ indent, start: next, kind: 'try' })
    else if (/^\s*with\b.*\bsuppress\(/.test(line)) open.push({ indent, start: next, kind: 'suppress' })
    // What is after `if …: return` does not always run, either.
    else if (/^\s+return\b/.test(line) && open.at(-1)?.kind === 'if')
      open.splice(-1, 1, { indent: (open.at(-1)?.indent ?? 1) - 1, start: next, kind: 'dead' })
    else if (/^\s+(?:return|raise)\b/.test(line)) open.push({ indent: indent - 1, start: next, kind: 'dead' })
    else open.push({ indent, start: next, kind: 'other' })
  }
  for (const { kind, start } of open)
    if (kind === 'dead' || kind === 'suppress' || kind === 'if') found.push({ start, end: code.length })
  if (waiting?.suite.kind === 'if') found.push({ start: waiting.suite.start, end: waiting.end })
  return found
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Assertions in Python that compare a value with itself or a literal with a literal, or are always true. */
function blankSameInPython(text: string, code: string): string {
  const shown = code.split('\n')
  const variables = new Map<string, string>()
  for (const [, name = '', value = ''] of [...text.matchAll(/^\s+(\w{1,80})\s*=\s*([^\n]{1,300})$/gm)].slice(
    0,
    MAX_VARIABLES,
  ))
    variables.set(name, value.trim())
  const plain = (value: string) => (variables.get(value.trim()) ?? value.trim()).replaceAll(/\s+/g, '')
  return text
    .split('\n')
    .map((line, n) => {
      const [, value] = /^\s*assert\s+(.{1,500})$/.exec(line) ?? []
      const [, both] = /^\s*self\.assertEqual\((.{1,500})\)\s*$/.exec(line) ?? []
      if (/^\s*assert\b.*\bor\s+(?:True|1)\s*$|^\s*assert\s*\(.{1,300},\s*""\s*\)\s*$/.test(shown[n] ?? ''))
        return ''.padEnd(line.length)
      const sides = value?.split(/\s*==\s*/) ?? both?.split(/\s*,\s*/) ?? []
      const [one = '', other = ''] = sides
      if (sides.length !== 2) return line
      const isConstant = [one, other].every(side => PYTHON_LITERAL.test(side.trim()))
      const isSame = plain(one) === plain(other) && /[A-Za-z_]/.test(plain(one))
      return isConstant || isSame ? ''.padEnd(line.length) : line
    })
    .join('\n')
}

const PYTHON_LITERAL = /^(?:True|False|None|-?[\d._]+|(['"])[^'"]*\1)$/
