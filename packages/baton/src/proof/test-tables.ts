import { type BracketEnds, pairBrackets, type Range } from './brackets.ts'
import { argumentsAt } from './live-code.ts'
import type { Language } from './strip-literals.ts'

/** Code that runs once for each row of a table. */
export interface Repeated extends Range {
  times: number
}

/** The parts of a file of tests that run once for each row of a table that the file itself lists. `code` is without literals. */
export function repeatedParts(code: string, language: Language): Repeated[] {
  if (language === 'javascript') return inJavaScript(code)
  return language === 'python' ? inPython(code) : inGo(code)
}

/** How often the code at a place runs. */
export function timesAt(parts: readonly Repeated[], at: number): number {
  let times = 1
  for (const part of parts) if (at >= part.start && at < part.end) times *= part.times
  return Math.min(times, MAX_ROWS)
}

/** Rows of the tables in Go: each is a case that a loop tests. */
export function rowsInGo(code: string): number {
  const closing = pairBrackets(code)
  let rows = 0
  for (const { index, 0: start } of code.matchAll(/(?:\[\]|\bmap\[\w{1,40}\])struct\s{0,50}\{/g)) {
    const end = closing(index + start.length - 1)
    const table = end === undefined ? undefined : /^\s{0,99}\{/.exec(code.slice(end + 1, end + 50))
    if (end !== undefined && table) rows += Math.max(0, elements(code, end + table[0].length, closing) - 1)
  }
  return rows
}

function inGo(code: string): Repeated[] {
  const found: Repeated[] = []
  const closing = pairBrackets(code)
  /** Where the rows of a list begin whose type begins here. */
  const rowsAt = (at: number): number | undefined => {
    const [type] = GO_LIST.exec(code.slice(at, at + 200)) ?? []
    if (type === undefined) return undefined
    const brace = at + type.length - 1
    if (!/\bstruct\s{0,50}\{$/.test(type)) return brace
    const end = closing(brace)
    const table = end === undefined ? undefined : /^\s{0,99}\{/.exec(code.slice(end + 1, end + 50))
    return end === undefined || !table ? undefined : end + table[0].length
  }
  // A list of another function may have the same name.
  const functions = [...code.matchAll(/^func\b/gm)].map(({ index }) => index)
  let last = 0
  const inFunction = (at: number, name: string) => {
    while (last > 0 && (functions[last - 1] ?? 0) > at) last -= 1
    while ((functions[last] ?? code.length) <= at) last += 1
    return `${last} ${name}`
  }
  const lists = new Map<string, number | undefined>()
  let left = MAX_READ
  for (const { index, 0: start, 1: name = '' } of [
    ...code.matchAll(/(?<![\w.])(\w{1,80})\s{0,20}:?=(?!=)\s{0,20}/g),
  ].slice(0, MAX_PARTS)) {
    const key = inFunction(index, name)
    // What gets another value may have no rows.
    lists.set(key, lists.has(key) ? undefined : rowsAt(index + start.length))
  }
  for (const { index, 0: start, 1: variables = '', 2: name } of [
    ...code.matchAll(/\bfor\s([^;{}\n]{0,200}?)\brange\s{1,20}(?:(\w{1,80})\s{0,20}\{)?/g),
  ].slice(0, MAX_PARTS)) {
    const rows = name === undefined ? rowsAt(index + start.length) : lists.get(inFunction(index, name))
    const end = rows === undefined ? undefined : closing(rows)
    if (rows === undefined || end === undefined) continue
    const times = elements(code, rows, closing)
    const body = name === undefined ? code.indexOf('{', end) : index + start.length - 1
    const bodyEnd = closing(body)
    if (times < 2 || bodyEnd === undefined || left <= 0) continue
    left -= Math.min(bodyEnd - body, MAX_TABLE)
    const names = variables.match(/\b(?!_\b)\w{1,80}/g) ?? []
    for (const range of testsOfRow(code, { start: body, end: bodyEnd }, names, closing))
      if (found.length < MAX_PARTS) found.push({ ...range, times })
  }
  return found
}

/** The assertions in the body of a loop that look at its row: others show the same each time. */
function testsOfRow(
  code: string,
  { start, end }: Range,
  names: readonly string[],
  closing: BracketEnds,
): Range[] {
  const found: Range[] = []
  if (names.length === 0) return found
  const row = new RegExp(`(?<![\\w.])(?:${names.join('|')})(?!\\w)`)
  let past = 0
  for (const { index, 0: head, 1: check } of code
    .slice(start, Math.min(end, start + MAX_TABLE))
    .matchAll(/\bif\s[^{}\n]{1,300}\{|\b(?:assert|require)\.(\w{1,40})\(/g)) {
    const at = start + index
    if (at < past) continue
    const close = closing(at + head.length - 1)
    if (close === undefined) continue
    // What is compared; a message may follow.
    const looked = head.startsWith('if')
      ? head
      : argumentsAt(code, code, closing, at + head.length)
          ?.list.slice(1, COMPARES_TWO.test(check ?? '') ? 3 : 2)
          .join(' ')
    if (looked === undefined || !row.test(looked)) continue
    found.push({ start: at, end: close })
    past = close
  }
  return found
}

/** Assertions of testify with two values. */
const COMPARES_TWO =
  /^(?:Not)?(?:Equal\w*|Exactly|Same|Contains|ElementsMatch|Len|Error(?:Is|As|Contains)|EqualError|Greater\w*|Less\w*|InDelta|InEpsilon|JSONEq|YAMLEq|Regexp|Subset|IsType|Implements)f?$/

/** `[]struct {`, `map[string]row{`. */
const GO_LIST = /^(?:\[\d{0,9}(?:\.{3})?\]|map\[[\w.]{1,80}\])\*?(?:struct\s{0,50}|[\w.]{1,80})\{/

const MAX_ROWS = 1000
const MAX_PARTS = 1000
const MAX_TABLE = 20_000
/** Hostile loops are in each other. */
const MAX_READ = 500_000

function inJavaScript(code: string): Repeated[] {
  const found: Repeated[] = []
  const closing = pairBrackets(code)
  const lists = new Map<string, number>()
  for (const { index, 0: start, 1: name = '', 2: rest = '' } of code.matchAll(LIST))
    if (!lists.has(name)) lists.set(name, index + start.length + rest.length)
  const rowsOf = (at: number): number | undefined => {
    const [space = '', name] = /^\s{0,99}(\w{1,80})?/.exec(code.slice(at, at + 200)) ?? []
    if (code[at + space.length] === '[' && name === undefined)
      return elements(code, at + space.length, closing)
    const listed = name === undefined ? undefined : lists.get(name)
    return listed === undefined ? undefined : elements(code, listed, closing)
  }
  for (const { index, 0: start } of [
    ...code.matchAll(/\.each\s{0,50}\(|\bfor\s{0,50}\(\s{0,50}(?:const|let|var)\s[^;()\n]{1,200}?\sof\b/g),
  ].slice(0, MAX_PARTS)) {
    const isLoop = start.startsWith('for')
    const times = rowsOf(index + start.length)
    const inner = closing(isLoop ? code.indexOf('(', index) : index + start.length - 1)
    if (times === undefined || times < 2 || inner === undefined) continue
    const after = code.slice(inner + 1, inner + 100)
    const opening = /^\s{0,99}[({]/.exec(after)
    const end = opening ? closing(inner + opening[0].length) : code.indexOf('\n', inner)
    // The name of the test is before the dot.
    const from = isLoop ? index : code.lastIndexOf('\n', index) + 1
    if (end !== undefined && end > 0) found.push({ start: from, end, times })
  }
  return found
}

/** The start of a list with a name, up to before its bracket. */
const LIST = /\b(?:const|let|var)\s{1,50}(\w{1,80})\b(?=([^=\n]{0,200}=\s{0,50})\[)/g

function inPython(code: string): Repeated[] {
  const found: Repeated[] = []
  const closing = pairBrackets(code)
  const definitions = /\n[ \t]*(?:async\s{1,50}def|def|class)\b[^\n]*/g
  let defined = definitions.exec(code)
  for (const { index, 0: start } of [
    ...code.matchAll(/^([ \t]*)@(?:pytest\.)?(?:mark\.)?parametrize\s{0,50}\(/gm),
  ].slice(0, MAX_PARTS)) {
    const open = index + start.length - 1
    const end = closing(open)
    const list = end === undefined ? -1 : code.slice(open, end).search(/,\s{0,50}[[(]/)
    if (end === undefined || list < 0) continue
    const at = open + list + code.slice(open + list).search(/[[(]/)
    const times = elements(code, at, closing)
    if (times < 2) continue
    const indent = /^[ \t]*/.exec(start)?.[0] ?? ''
    // Until the next line that is not further in, after the definition itself.
    while (defined && defined.index < end) defined = definitions.exec(code)
    if (!defined) break
    const body = defined.index + defined[0].length
    const next = new RegExp(`^[ \\t]{0,${indent.length}}\\S`, 'm').exec(code.slice(body))
    found.push({ start: index, end: next ? body + next.index : code.length, times })
  }
  return found
}

/** How many elements the list at a place has. */
function elements(code: string, open: number, closing: BracketEnds): number {
  if (closing(open) === undefined) return 1
  let depth = 0
  let count = 0
  let isEmpty = true
  for (let at = open; at < code.length && at < open + MAX_TABLE; at++) {
    const char = code[at] ?? ''
    if (depth === 1 && (char === ',' || ')]}'.includes(char))) {
      if (!isEmpty) count += 1
      isEmpty = true
    } else if (depth > 0 && /\S/.test(char)) isEmpty = false
    if ('([{'.includes(char)) depth += 1
    if (')]}'.includes(char)) depth -= 1
    if (depth === 0) return count
  }
  return 1
}
