import type { Range } from './brackets.ts'

/** An indented part of Python code. */
interface Suite {
  indent: number
  start: number
  kind: 'if' | 'try' | 'suppress' | 'dead' | 'other'
}

const swallows = (line: string): boolean =>
  /^[ \t]*except\s{0,50}:/.test(line) ||
  (/^[ \t]*except\s/.test(line) &&
    /\b(?:AssertionError|Exception|BaseException)\b/.test(line.slice(0, line.lastIndexOf(':') + 1)))
const FAILS = /\b(?:raise|assert|fail|pytest\.fail|exit)\b/

/** Ranges of Python code in which no assertion counts. */
export function deadInPython(code: string): Range[] {
  const found: Range[] = []
  const lines = code.split('\n')
  const starts: number[] = []
  let place = 0
  for (const line of lines) {
    starts.push(place)
    place += line.length + 1
  }
  const indents = lines.map(line => (line.trim() === '' ? Number.POSITIVE_INFINITY : indentOf(line)))
  const open: Suite[] = []
  /** Suites that ended and wait for what follows them at the same level. */
  let waiting: { suite: Suite; end: number } | undefined
  let depth = 0
  const endOf = (n: number, indent: number): number => {
    let next = n + 1
    while (next < lines.length && (indents[next] ?? 0) > indent) next += 1
    return next
  }
  const failing = lines.map(line => FAILS.test(line))
  const fails = (from: number, to: number): boolean => {
    for (let n = from; n < to; n++) if (failing[n]) return true
    return false
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
      if (suite.kind === 'if' && !(isNext && /^[ \t]*(?:elif|else)\b/.test(line)))
        found.push({ start: suite.start, end })
      if (suite.kind === 'try' && isNext && swallows(line)) {
        const last = endOf(n, indent)
        if (!fails(n, last)) found.push({ start: suite.start, end })
      }
      waiting = undefined
    }
    const next = at + line.length
    const inTest = open.some(({ kind }) => kind !== 'other') || /^[ \t]+/.test(line)
    if (inTest && /^[ \t]*if\b.*:\s{0,50}$/.test(line)) open.push({ indent, start: next, kind: 'if' })
    else if (inTest && /^[ \t]*if\b.*:\s{0,50}\S/.test(line)) {
      found.push({ start: at, end: next })
      if (/:\s{0,50}return\b/.test(line) && !FAILS.test(line))
        open.push({ indent: indent - 1, start: next, kind: 'dead' })
    } else if (/^[ \t]*try\s{0,50}:/.test(line)) open.push({ indent, start: next, kind: 'try' })
    else if (/^[ \t]*with\b.*\bsuppress\(/.test(line)) open.push({ indent, start: next, kind: 'suppress' })
    // What is after `if …: return` does not always run, either.
    else if (/^[ \t]+return\b/.test(line) && open.at(-1)?.kind === 'if')
      open.splice(-1, 1, { indent: (open.at(-1)?.indent ?? 1) - 1, start: next, kind: 'dead' })
    else if (/^[ \t]+(?:return|raise)\b/.test(line))
      open.push({ indent: indent - 1, start: next, kind: 'dead' })
    else open.push({ indent, start: next, kind: 'other' })
  }
  for (const { kind, start } of open)
    if (kind === 'dead' || kind === 'suppress' || kind === 'if') found.push({ start, end: code.length })
  if (waiting?.suite.kind === 'if') found.push({ start: waiting.suite.start, end: waiting.end })
  return found
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Assertions in Python that compare a value with itself or a literal with a literal, or are always true. */
export function blankSameInPython(text: string, code: string): string {
  const shown = code.split('\n')
  const variables = new Map<string, string>()
  for (const [, name = '', value = ''] of [
    ...text.matchAll(/^[ \t]+(\w{1,80})\s{0,50}=\s{0,50}([^\n]{1,300})$/gm),
  ].slice(0, MAX_VARIABLES))
    variables.set(name, value.trim())
  const plain = (value: string) => (variables.get(value.trim()) ?? value.trim()).replaceAll(/\s+/g, '')
  return text
    .split('\n')
    .map((line, n) => {
      const [, value] = /^[ \t]*assert\s{1,50}(.{1,500})$/.exec(line) ?? []
      const [, both] = /^[ \t]*self\.assertEqual\((.{1,500})\)\s{0,50}$/.exec(line) ?? []
      if (
        /^[ \t]*assert\b.*\bor\s{1,50}(?:True|1)\s{0,50}$|^[ \t]*assert\s{0,50}\(.{1,300},\s{0,50}""\s{0,50}\)\s{0,50}$/.test(
          shown[n] ?? '',
        )
      )
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
const MAX_VARIABLES = 2000
