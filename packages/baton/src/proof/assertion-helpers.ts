import { posix } from 'node:path'
import { type BracketEnds, pairBrackets, type Range } from './brackets.ts'
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
  /** As its file calls it: with `self.` before it if it is a method. */
  call: string
  name: string
  /** Whether it calls something else than assertions: then it shows something also of literals. */
  computes: boolean
}

interface TestFile {
  /** The text without the helpers, and with the usual names of `test` and `assert`. */
  rest: string
  helpers: ReadonlyMap<string, Helper>
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
    for (const { index, 0: head, 1: owner = '', 2: name = '' } of live.matchAll(CALL)) {
      const helper = file.helpers.get(owner === '' ? name : `self.${name}`)
      if (!helper) continue
      const given = argumentsAt(text, live, closing, index + head.length)
      if (!given || hasCondition(live, index) || isTwice(given.list)) continue
      if (!helper.computes && !hasName(live.slice(index + head.length, given.end))) continue
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
  const elsewhere = new Map<string, Helper>()
  for (const { path, all } of found)
    for (const helper of all) elsewhere.set(`${placeOf(path)}\n${helper.name}`, helper)
  return new Map(
    found.map(({ path, source, code, all }) => {
      const language = languageOf(path)
      const imports = importsIn(path, source, language)
      const bound = boundNames(blank(code, imports))
      const helpers = new Map<string, Helper>()
      const names = imports.flatMap(each => each.names.map(name => [name, each.places] as const))
      // Files of Go in a folder are one package.
      const visible = path.endsWith('.go')
        ? found.filter(other => placeOf(other.path) === placeOf(path)).flatMap(other => other.all)
        : names.flatMap(([name, places]) => {
            const place = places.find(each => elsewhere.has(`${each}\n${name}`))
            return elsewhere.get(`${place}\n${name}`) ?? []
          })
      // What the file itself defines under that name is called instead.
      for (const helper of visible) if (!bound.has(helper.name)) helpers.set(helper.call, helper)
      for (const helper of all) if (bound.get(helper.name) === 1) helpers.set(helper.call, helper)
      return [path, { rest: blank(source, all), helpers }]
    }),
  )
}

/** Where the names of a file can be imported from: its path without what imports leave out; in Go, its folder. */
const placeOf = (path: string): string =>
  path.endsWith('.go') ? posix.dirname(path) : path.replace(/(?:\/(?:index|__init__))?\.\w+$/, '')

interface Import extends Range {
  names: readonly string[]
  places: readonly string[]
}

/** What a file imports by its own name from files of the repository, as far as the path says which. */
function importsIn(path: string, source: string, language: Language): Import[] {
  const folder = posix.dirname(path)
  const own = (names: string) =>
    names.split(',').flatMap(part => /^\s{0,99}(\w{1,80})\s{0,99}$/.exec(part)?.[1] ?? [])
  if (language === 'javascript')
    return [...source.matchAll(JAVASCRIPT_IMPORT)].map(
      ({ index, 0: { length }, 1: names = '', 2: from = '' }) => ({
        start: index,
        end: index + length,
        names: own(names),
        places: [posix.join(folder, from), placeOf(posix.join(folder, from))],
      }),
    )
  if (language !== 'python') return []
  return [...source.matchAll(PYTHON_IMPORT)].map(
    ({ index, 0: { length }, 1: dots = '', 2: from = '', 3: listed, 4: line = '' }) => {
      const name = from.replaceAll('.', '/')
      const up = '../'.repeat(Math.max(0, dots.length - 1))
      return {
        start: index,
        end: index + length,
        names: own(listed ?? line),
        // Without a dot, a module is in the root or, for pytest, in the folder of the test.
        places:
          dots === '' ? [posix.join(folder, name), name, `src/${name}`] : [posix.join(folder, up, name)],
      }
    },
  )
}

const JAVASCRIPT_IMPORT =
  /\b(?:import|const|let|var)\s{0,50}\{([\w\s,$:]{1,2000})\}\s{0,50}(?:from\s{0,50}|=\s{0,50}require\(\s{0,50})['"](\.{1,2}\/[^'"\n]{1,200})['"]/g
const PYTHON_IMPORT =
  /^from\s{1,20}(\.{0,9})([\w.]{0,200})\s{1,20}import\s{1,20}(?:\(([\w\s,]{1,2000})\)|([^\n(#;]{1,500}))/gm

/** How often code says names otherwise than to call them: a function, a parameter or a variable gives the name another meaning. */
function boundNames(code: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const { 1: defines, 2: name = '', 3: call } of code.matchAll(NAME))
    if (defines !== undefined || call === undefined) found.set(name, (found.get(name) ?? 0) + 1)
  return found
}

const NAME =
  /(?<![\w$.])(?:(function\*?|def|func|fn|fun|void|class)\s{1,50})?(?!(?:function|def|func|fn|fun|void|class)\b)([A-Za-z_]\w*)(?:\s{0,20}(\())?/g

/** Methods of other objects may have the same name. */
const CALL = /(?<![\w$.:]|\.\s{1,20})((?:self|this)\.)?(\w{1,80})\s{0,50}\(/g
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
    for (const [, , name = ''] of code.matchAll(CALL)) add(name, 1)
    for (const { name, isCall } of functions) if (isCall) add(name, -1)
  }
  return new Set([...calls].flatMap(([name, count]) => (count > 0 ? [name] : [])))
}

/** Whether a value is given twice: compared with itself, it shows nothing. */
const isTwice = (values: readonly string[]): boolean => {
  const computed = values.map(value => value.trim()).filter(value => !LITERAL.test(value))
  return new Set(computed).size < computed.length
}

/** Whether the arguments of a call name something, other than the test itself. */
const hasName = (code: string): boolean =>
  /[A-Za-z_$][\w$]*(?!\s{0,9}:)(?![\w$])/.test(
    code.replaceAll(
      /\b(?:t|tb|b|self|this|true|false|True|False|null|None|nil|undefined)\b(?!\s{0,9}[.(])/g,
      '',
    ),
  )

/** Whether code calls something else than assertions, or what is a part of the language. */
const computes = (code: string): boolean =>
  [...code.matchAll(/(?<![\w$])(\w{1,80})!?\s{0,50}\(/g)].some(([, name = '']) => !OF_ASSERTIONS.test(name))
const OF_ASSERTIONS =
  /^(?:expect|assert\w*|require|to[A-Z]\w*|equals?|eql|strictEqual|deep\w*|[tT]hrows|rejects|ok|is|not|like|true|false|isEqualTo|verify|raises|approx|Helper|Errorf?|Fatalf?|Logf?|Fail\w*|Sprintf|if|for|while|switch|catch|match|return|await|function|func|String|Number|Boolean|BigInt|str|int|float|bool|list|len|repr|print|format)$|^(?:Not)?(?:Equal\w*|True|False|Nil|NoError|Empty|Len|Contains)$/

/** A value of Go, Rust, Java or Kotlin that is compared with itself. */
const SAME = /(?<![\w.])([A-Za-z_][\w.]{0,80})\s{0,10}(?:[!=]=|,)\s{0,10}\1(?![\w.([])/

/** Functions of a file, not within others, that assert something, are called somewhere, and contain no tests. */
function helpersIn({ path, source, code, functions }: Source, called: ReadonlySet<string>): Helper[] {
  const found: Helper[] = []
  let last = 0
  const language = languageOf(path)
  for (const { name, start, end } of functions) {
    if (start < last || found.length >= MAX_HELPERS || !called.has(name)) continue
    last = end
    const text = code.slice(start, end)
    if (language === 'other' && SAME.test(text)) continue
    const { tests, strict, exact } = measure(path, source.slice(start, end))
    if (strict === 0 || tests > 0) continue
    const parameters = text.indexOf('(')
    const isMethod = /^\(\s{0,50}(?:self|cls|&self|&mut self)\b/.test(text.slice(parameters, parameters + 60))
    found.push({
      call: isMethod ? `self.${name}` : name,
      name,
      start,
      end,
      strict,
      exact,
      computes: computes(text.slice(parameters + 1)),
    })
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
