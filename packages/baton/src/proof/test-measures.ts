import { hasTestName } from './derive-checks.ts'
import { withoutHollow } from './live-code.ts'
import { languageOf, stripLiterals } from './strip-literals.ts'
import { repeatedParts, rowsInGo, timesAt } from './test-tables.ts'

/** How much the tests of a file, or of several, test. */
export interface Measures {
  tests: number
  skipped: number
  only: number
  /** Assertions that compare with something. */
  strict: number
  /** Those that compare with one exact value. */
  exact: number
  mocks: number
  /** Tests that may fail and are tried again. */
  retries: number
  /** Places that end the runner, or set its exit status to success. */
  exits: number
}

const NOTHING: Measures = {
  tests: 0,
  skipped: 0,
  only: 0,
  strict: 0,
  exact: 0,
  mocks: 0,
  retries: 0,
  exits: 0,
}

type Patterns = Partial<
  Record<
    'tests' | 'skipped' | 'only' | 'assertions' | 'loose' | 'exact' | 'vague' | 'retries' | 'exits',
    RegExp
  >
>

const JAVASCRIPT: Patterns = {
  tests: /(?<![\w.$])(?:x|f)?(?:it|test)(?:\.\w{1,80}){0,9}\s{0,50}[(`"]|(?<![\w.$])t\.test\s{0,50}\(/g,
  skipped:
    /(?<![\w.$])(?:it|test|describe|suite|context)(?:\.\w{1,80}){0,9}?\.(?:skip|todo|fails|fixme|skipIf|runIf|failing)\b|(?<![\w.$])x(?:it|test|describe|context)\s{0,50}\(|\.skip\(|\b(?:skip|todo)\s{0,50}:\s{0,50}(?!false\b)/g,
  only: /(?<![\w.$])(?:it|test|describe|suite|context)(?:\.\w{1,80}){0,9}?\.only\b|(?<![\w.$])f(?:it|describe)\s{0,50}\(|\bonly\s{0,50}:\s{0,50}true/g,
  assertions:
    /(?<![\w$])(?:expect|assert)(?:\.\w{1,80}){0,9}\s{0,50}\(|\.should\b|\bt\.(?:is|deepEqual|like|throws|true|false|assert|not)\b/g,
  loose:
    /(?<![\w$])(?:expect|assert(?:\.ok)?)\(\s{0,50}(?:true|1|"")\s{0,50}[),]|\.(?:toBeTruthy|toBeFalsy|toBeDefined|toBeUndefined|toBeTypeOf|toBeNull)\s{0,50}\(|expect\.(?:anything|any)\s{0,50}\(|\.not\.toThrow\w*\s{0,50}\(|\.to\.(?:be\.ok|exist)\b|(?<![\w$])assert(?:\.ok)?\((?![^\n]{0,200}\b(?:includes|has|test|match|every|some|startsWith|endsWith|is[A-Z]\w{0,60}|\w{0,60}[eE]qual\w{0,60})\(|[^\n;]{0,200}\s(?:instanceof|in)\s)[^=<>!{};\n]{0,200}\)/g,
  exact:
    /(?<!\.not)\.(?:toBe|toEqual|toStrictEqual|toBeCloseTo|toHaveLength|toHaveProperty|toHaveBeen(?:Last|Nth)?Called(?:With|Times)|toMatchSnapshot|toMatchInlineSnapshot|toThrow(?:Error)?(?=\s{0,50}\(\s{0,50}[^\s)]))\s{0,50}\(|(?<![\w$])assert\.(?:equal|strictEqual|deepEqual|deepStrictEqual|throws|rejects)\s{0,50}\(|\.to\.(?:deep\.)?(?:equals?|eql|be\.a)\b|\bt\.(?:is|deepEqual)\b/g,
  vague:
    /\.(?:toEqual|toStrictEqual|toBe|toHaveBeenCalledWith)\(\s{0,50}(?:expect\.\w{1,80}\([^()]{0,200}\)|[{[]\s{0,50}(?:\w{1,80}\s{0,50}:\s{0,50})?expect\.\w{1,80}\([^()]{0,200}\)(?:\s{0,50},\s{0,50}(?:\w{1,80}\s{0,50}:\s{0,50})?expect\.\w{1,80}\([^()]{0,200}\)){0,30}\s{0,50},?\s{0,50}[}\]])\s{0,50}\)/g,
  // As an option of a test: other settings of that name are what it tests.
  retries:
    /(?<![\w.$])(?:it|test|describe)(?:\.\w{1,80}){0,9}\s{0,50}\(\s{0,50}""\s{0,50},\s{0,50}\{[^{}]{0,200}?\bretr(?:y|ies)\s{0,50}:\s{0,50}[1-9]|\bjest\.retryTimes\(|\bthis\.retries\(|\b(?:test|describe)\.configure\(\s{0,50}\{[^{}]{0,200}?\bretries\s{0,50}:\s{0,50}[1-9]/g,
  exits: /\bprocess\.(?:exit\s{0,50}\(\s{0,50}0?\s{0,50}\)|exitCode\s{0,50}=\s{0,50}0)/g,
}
const PYTHON: Patterns = {
  tests: /^[ \t]*(?:async\s{1,50})?def test\w*\s{0,50}\(/gm,
  skipped:
    /(?:@(?:pytest\.mark\.|unittest\.|mark\.)?|\bmark\.)(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\b|\bpytest\.(?:skip|xfail|importorskip)\s{0,50}\(|\.skipTest\s{0,50}\(|\bSkipTest\b|\b__test__\s{0,50}=\s{0,50}False|\bcollect_ignore(?:_glob)?\b|\bpytest_(?:ignore_collect|collection_modifyitems|runtest_\w+|report_teststatus|pyfunc_call|sessionfinish|itemcollected)\b/g,
  assertions: /^[ \t]*assert\b|\bself\.assert\w+\s{0,50}\(|\bpytest\.raises\s{0,50}\(/gm,
  loose:
    /^[ \t]*assert\s{1,50}(?:True|1|"")\s{0,50}(?:,|$)|\bself\.assertTrue\(\s{0,50}True\b|\bself\.assertIsNotNone\s{0,50}\(|^[ \t]*assert [^=<>\n]*\bis not None[ \t]*$|^[ \t]*assert\s{1,50}(?=\S)(?![^\n]*(?:\b(?:in|is|not|isinstance|all|any)\b|\.(?:startswith|endswith|match|search)\())[^=<>!\n]+$|\bself\.assertTrue\((?![^\n]{0,200}\b(?:in|is|not|isinstance|all|any)\b)[^=<>!\n]{0,200}\)[ \t]*$/gm,
  exact:
    /^[ \t]*assert\b[^\n]*[^=!<>]==[^=]|\bself\.assert(?:\w{0,60}Equal|Is|Raises|RaisesRegex)\s{0,50}\(|\bpytest\.raises\s{0,50}\([^()\n]*\bmatch\s{0,50}=/gm,
  retries: /@(?:pytest\.mark\.)?(?:flaky|retry)\b|\breruns\s{0,50}=\s{0,50}[1-9]/g,
  exits: /\b(?:sys\.exit|os\._exit|pytest\.exit)\(\s{0,50}0?\s{0,50}\)|\bexitstatus\s{0,50}=/g,
}
const OTHERS: readonly { name: RegExp; patterns: Patterns }[] = [
  {
    name: /_test\.go$/,
    patterns: {
      tests: /^func (?:Test|Fuzz|Example)\w*\s{0,50}\(|\bt\.Run\(/gm,
      skipped:
        /\b[tb]\.Skip(?:f|Now)?\s{0,50}\(|\btesting\.Short\(\)|\brecover\(\)|\brange\s{1,50}\w+\[[^\]\n]{0,80}:[^\]\n]{0,80}\]/g,
      exits: /\bos\.Exit\(0\)/g,
      assertions: /\b[tb]\.(?:Error|Fatal)f?\s{0,50}\(|\b(?:assert|require)\.\w+\s{0,50}\(/g,
    },
  },
  {
    name: /\.rs$/,
    patterns: {
      tests: /#\[(?:\w+::)?test\b/g,
      skipped:
        /#\[ignore\b|#\[cfg\((?:all\(\s{0,50}test\s{0,50},|any\(\s{0,50}\)|FALSE)|#\[cfg_attr\([^\n\]]{0,200}\bignore\b/g,
      exact: /\bassert_(?:eq|matches)!\s{0,50}\(|#\[should_panic\s{0,50}\(\s{0,50}expected/g,
      exits: /\bprocess::exit\(\s{0,50}0\s{0,50}\)/g,
      assertions: /\b(?:debug_)?assert\w*!\s{0,50}\(/g,
      loose: /\bassert!\(\s{0,50}true\b/g,
    },
  },
  {
    name: /\.(?:java|kt)$/,
    patterns: {
      tests: /@(?:Test|ParameterizedTest|RepeatedTest)\b/g,
      skipped: /@(?:Disabled|Enabled|Ignore)\w*\b|\bassum(?:e|ing)\w*\s{0,50}\(/g,
      exact: /\bassert(?:Equals|Same|ArrayEquals|IterableEquals|Throws)\w*\s{0,50}\(|\.isEqualTo\s{0,50}\(/g,
      retries: /@(?:Retrying|Flaky)\w*\b|@RepeatedIfExceptions\w*/g,
      exits: /\bSystem\.exit\(\s{0,50}0\s{0,50}\)/g,
      assertions: /\bassert\w*\s{0,50}\(|\bverify\s{0,50}\(/g,
      loose: /\bassertTrue\(\s{0,50}true\b|\bassertNotNull\s{0,50}\(/g,
    },
  },
]

export function measure(path: string, text: string | undefined): Measures {
  if (text === undefined) return NOTHING
  const language = languageOf(path)
  const other = OTHERS.find(({ name }) => name.test(path))
  const patterns = language === 'javascript' ? JAVASCRIPT : language === 'python' ? PYTHON : other?.patterns
  if (!patterns) return NOTHING
  const source = language === 'javascript' ? withUsualNames(text, text) : text
  const code = stripLiterals(source, language, 'keep-length')
  const live = stripLiterals(withoutHollow(source, language), language, 'keep-length')
  const parts = repeatedParts(code, language)
  const isGo = path.endsWith('.go')
  const count = (key: keyof Patterns) => (patterns[key] ? (code.match(patterns[key])?.length ?? 0) : 0)
  const countLive = (key: keyof Patterns) => {
    let total = 0
    // The rows of a table in Go are counted as such.
    for (const { index } of patterns[key] ? live.matchAll(patterns[key]) : [])
      total += isGo && key === 'tests' ? 1 : timesAt(parts, index)
    return total
  }
  const isRunner = hasTestName(path) || /(^|\/)conftest\.py$/.test(path)
  return {
    tests: countLive('tests') + (isGo ? rowsInGo(code) : 0),
    skipped:
      count('skipped') + (isGo ? (text.match(/^\/\/(?:go:build|\s{0,50}\+build)\b/gm)?.length ?? 0) : 0),
    only: count('only'),
    strict: Math.max(0, countLive('assertions') - countLive('loose')),
    exact: Math.max(0, countLive('exact') - countLive('vague')),
    mocks: language === 'other' ? 0 : mocksIn(text, language),
    retries: count('retries'),
    exits: isRunner ? count('exits') : 0,
  }
}

export function sumOf(all: readonly Measures[]): Measures {
  const total = { ...NOTHING }
  for (const each of all) for (const key of KEYS) total[key] += each[key]
  return total
}

const KEYS = Object.keys(NOTHING) as (keyof Measures)[]

/** Mocks of the project's own code. Their target is in a string. */
function mocksIn(text: string, language: 'javascript' | 'python'): number {
  // A module of the project begins with a dot.
  if (language === 'javascript') return (text.match(OWN_MODULE_MOCK)?.length ?? 0) + replacedMembers(text)
  // What the file imports to test it.
  const imported = new Set(
    [...text.matchAll(/^[ \t]*from\s{1,50}([\w.]+)\s{1,50}import\s{1,50}\(?([\w\s,]{1,5000})/gm)].flatMap(
      ([, module = '', names = '']) =>
        names.split(',').map(name => `${module}.${name.trim().split(/\s/)[0]}`),
    ),
  )
  const targets = [...text.matchAll(/\b(?:patch|setattr)\(\s{0,50}['"]([\w.]+)['"]/g)]
  return targets.filter(([, target = '']) => imported.has(target)).length
}

const OWN_MODULE_MOCK = /\b(?:(?:vi|jest)\.(?:do)?mock|mock\.module)\(\s{0,50}['"`]\.{1,2}\//gi

/** What a file replaces in a module of the project that it imports. */
function replacedMembers(text: string): number {
  const own =
    /(?:\bimport\s{1,50}(?:\*\s{0,50}as\s{1,50})?|\b(?:const|let|var)\s{1,50})(\w{1,80})\s{0,50}(?:from\s{0,50}|=\s{0,50}(?:await\s{1,50}import|require)\(\s{0,50})['"`]\.{1,2}\//g
  const names = [...new Set([...text.matchAll(own)].map(([, name = '']) => name))].slice(0, 50)
  const any = [...names, String.raw`require\(['"\x60]\.{1,2}\/[^'"\x60\n]{1,200}['"\x60]\)`].join('|')
  const spied = new RegExp(
    String.raw`\b(?:spyOn|replaceProperty|mock\.method|stub)\(\s{0,50}(?:${any})\s{0,50},[^\n]{0,200}\)\s{0,50}\.(?:mock(?:Return|Resolved|Rejected|Implementation)|returns|resolves|callsFake)`,
    'g',
  )
  const assigned = new RegExp(String.raw`(?<![\w.$])(?:${any})\.\w+\s{0,50}=(?![=>])`, 'g')
  return (text.match(spied)?.length ?? 0) + (text.match(assigned)?.length ?? 0)
}

/** The code with the usual names of `test` and `assert`, where a file imports them under others. */
export function withUsualNames(text: string, code: string): string {
  const known = new Map<string, string>()
  const rename = (from: string, to: string) => known.size < MAX_NAMES && known.set(from, to)
  for (const [, names = '', module = ''] of text.matchAll(IMPORTS)) {
    const is = TEST_MODULE.test(module) ? 'test' : ASSERT_MODULE.test(module) ? 'assert' : undefined
    if (!is) continue
    const listed = /\{([^}]*)\}/.exec(names)?.[1] ?? ''
    const whole = /^\s{0,99}(?:\*\s{0,50}as\s{1,50})?(\w+)/.exec(names)?.[1]
    if (whole && whole !== is) rename(whole, is)
    for (const part of listed.split(',')) {
      const [, name = '', own = name] =
        /^\s{0,99}(\w+)(?:\s{0,50}(?::|as)\s{0,50}(\w+))?\s{0,50}$/.exec(part) ?? []
      const to = is === 'assert' ? (name === 'strict' || name === 'default' ? is : `${is}.${name}`) : name
      if (own !== '' && own !== to) rename(own, to === 'default' ? is : to)
    }
  }
  return known.size === 0
    ? code
    : code.replaceAll(/(?<![\w.$])\w+(?![\w$])/g, name => known.get(name) ?? name)
}

/** `import NAMES from 'MODULE'`, `const NAMES = require('MODULE')`. */
const IMPORTS =
  /(?:\bimport\s(?!\s{0,50}type\b)|\b(?:const|let|var)\s|,)([\w\s{},:*$]{1,500}?)(?:(?<![\w$])from\s{0,50}|=\s{0,50}require\(\s{0,50})['"]([^'"\n]{1,200})['"]/g
const TEST_MODULE = /^(?:node:test|tape|ava|vitest|@jest\/globals|bun:test)$/
const ASSERT_MODULE = /^(?:(?:node:)?assert(?:\/strict)?|chai)$/
const MAX_NAMES = 200
