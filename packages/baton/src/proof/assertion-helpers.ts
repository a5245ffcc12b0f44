import { type BracketEnds, pairBrackets, type Range } from './brackets.ts'
import { hasTestName } from './derive-checks.ts'
import { argumentsAt, blank, hasCondition, LITERAL, statementEnd, withoutHollow } from './live-code.ts'
import { type Language, languageOf, stripLiterals } from './strip-literals.ts'
import { measure, withUsualNames } from './test-measures.ts'
import { testRanges } from './test-ranges.ts'
import { repeatedParts, timesAt } from './test-tables.ts'

/** How many assertions a text makes, and how many of them compare with one exact value. */
export interface Asserted {
  strict: number
  exact: number
}

interface Helper extends Range, Asserted {
  name: string
}

interface TestFile {
  /** The text without the helpers, and with the usual names of `test` and `assert`. */
  rest: string
  helpers: ReadonlyMap<string, Asserted>
}

/** Assertions of files of tests as if each call of a function that asserts something contained its assertions. */
export class InlinedHelpers {
  readonly #given: readonly { path: string; text: string | undefined }[]
  #read: ReadonlyMap<string, TestFile> | undefined

  constructor(files: readonly { path: string; text: string | undefined }[]) {
    this.#given = files
  }

  /** The assertions of all these files. */
  total(paths: readonly string[]): Asserted {
    const sum = { strict: 0, exact: 0 }
    for (const path of paths) {
      const { strict, exact } = this.in(path)
      sum.strict += strict
      sum.exact += exact
    }
    return sum
  }

  /** The assertions in a range of a file, or all of it. The same call twice is one. */
  in(path: string, range?: Range): Asserted {
    const file = this.#files().get(path)
    if (!file) return { strict: 0, exact: 0 }
    const text = range ? file.rest.slice(range.start, range.end) : file.rest
    let { strict, exact } = measure(path, text)
    const language = languageOf(path)
    const live = stripLiterals(withoutHollow(text, language), language, 'keep-length')
    const parts = repeatedParts(live, language)
    const closing = pairBrackets(live)
    const known = new Set<string>()
    for (const { index, 0: head, 1: name = '' } of live.matchAll(CALL)) {
      const helper = file.helpers.get(name)
      if (!helper) continue
      const given = argumentsAt(text, live, closing, index + head.length)
      if (!given || hasCondition(live, index) || isTwice(given.list)) continue
      const call = text.slice(index, given.end)
      if (range && known.has(call)) continue
      known.add(call)
      const times = timesAt(parts, index)
      strict += helper.strict * times
      exact += helper.exact * times
    }
    return { strict, exact }
  }

  /** Most changes never need them. */
  #files(): ReadonlyMap<string, TestFile> {
    this.#read ??= readFiles(this.#given)
    return this.#read
  }
}

function readFiles(
  files: readonly { path: string; text: string | undefined }[],
): ReadonlyMap<string, TestFile> {
  const sources = files.flatMap(({ path, text }): Source[] => {
    if (text === undefined) return []
    const language = languageOf(path)
    const source = language === 'javascript' ? withUsualNames(text, text) : text
    const code = stripLiterals(source, language, 'keep-length')
    // A test may have the name of what it tests.
    const tests = new Set(testRanges(path, language, source, code).map(({ end }) => end))
    const functions = functionsIn(code, language).filter(({ end }) => !tests.has(end))
    return [{ path, source, code, functions }]
  })
  const called = calledIn(sources)
  const found = sources.map(each => ({ ...each, all: helpersIn(each, called) }))
  const byName = (helpers: readonly Helper[]) => helpers.map(helper => [helper.name, helper] as const)
  // Files of tests do not import each other; in Go, they are one package.
  const shared = found.filter(({ path }) => !hasTestName(path) || path.endsWith('.go'))
  const elsewhere = shared.flatMap(({ all }) => byName(all))
  return new Map(
    found.map(({ path, source, all }) => [
      path,
      { rest: blank(source, all), helpers: new Map([...elsewhere, ...byName(all)]) },
    ]),
  )
}

const CALL = /(?<![\w$])(\w{1,80})\s{0,50}\(/g
const MAX_HELPERS = 500

interface Source {
  path: string
  source: string
  code: string
  functions: readonly Named[]
}

/** The names that files call, other than where they define them. */
function calledIn(sources: readonly Source[]): ReadonlySet<string> {
  const calls = new Map<string, number>()
  const add = (name: string, count: number) => calls.set(name, (calls.get(name) ?? 0) + count)
  for (const { code, functions } of sources) {
    for (const [, name = ''] of code.matchAll(CALL)) add(name, 1)
    for (const { name, isCall } of functions) if (isCall) add(name, -1)
  }
  return new Set([...calls].flatMap(([name, count]) => (count > 0 ? [name] : [])))
}

/** Whether a value is given twice: compared with itself, it shows nothing. */
const isTwice = (values: readonly string[]): boolean => {
  const computed = values.map(value => value.trim()).filter(value => !LITERAL.test(value))
  return new Set(computed).size < computed.length
}

/** Functions of a file, not within others, that assert something, are called somewhere, and contain no tests. */
function helpersIn({ path, source, functions }: Source, called: ReadonlySet<string>): Helper[] {
  const found: Helper[] = []
  let last = 0
  for (const { name, start, end } of functions) {
    if (start < last || found.length >= MAX_HELPERS || !called.has(name)) continue
    last = end
    const { tests, strict, exact } = measure(path, source.slice(start, end))
    if (strict > 0 && tests === 0) found.push({ name, start, end, strict, exact })
  }
  return found
}

interface Named extends Range {
  name: string
  /** Its own definition looks like a call of it. */
  isCall: boolean
}

function functionsIn(code: string, language: Language): Named[] {
  if (language === 'python')
    return [...code.matchAll(/^([ \t]*)(?:async\s{1,50})?def (?!test)(\w{1,80})\s{0,50}\([^\n]*/gm)].map(
      ({ index, 0: head, 1: indent = '', 2: name = '' }) => {
        const from = index + head.length
        const next = new RegExp(`^[ \\t]{0,${indent.length}}[^\\s)\\]]`, 'm').exec(code.slice(from))
        return { name, start: index, end: next ? from + next.index : code.length, isCall: true }
      },
    )
  const closing = pairBrackets(code)
  return [...code.matchAll(DEFINITION)].flatMap(({ index, 0: head, 1: named, 2: assigned = '' }) => {
    const end = bodyEnd(code, index + head.length - 1, closing, named === undefined)
    return end === undefined
      ? []
      : [{ name: named ?? assigned, start: index, end, isCall: named !== undefined }]
  })
}

/** `function name(`, `func name(`, `fn name(`, `void name(`; `const name = (`. */
const DEFINITION =
  /(?<![\w$.])(?:(?:function|func|fn|fun|void)\s{1,50}(\w{1,80})\s{0,20}(?:<[^<>\n]{0,100}>|\[[^[\]\n]{0,100}\])?\(|(?:const|let)\s{1,50}(\w{1,80})\s{0,20}=\s{0,20}(?:async\s{1,20})?\()/g

/** Where a function ends whose parameters begin here. */
function bodyEnd(code: string, open: number, closing: BracketEnds, isArrow: boolean): number | undefined {
  const last = closing(open)
  if (last === undefined) return undefined
  const after = code.slice(last + 1, last + MAX_TYPE)
  const arrow = isArrow ? after.indexOf('=>') : -1
  if (isArrow && arrow < 0) return undefined
  const space = isArrow ? /^\s*/.exec(after.slice(arrow + 2))?.[0].length : undefined
  const body = last + 1 + (space === undefined ? after.indexOf('{') : arrow + 2 + space)
  if (isArrow && code[body] !== '{') return statementEnd(code, body, closing)
  const end = body > last ? closing(body) : undefined
  return end === undefined ? undefined : end + 1
}

const MAX_TYPE = 300
