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
  tests: /(?<![\w.$])(?:x|f)?(?:it|test)(?:\.\w+)*\s*[(`"]|(?<![\w.$])t\.test\s*\(/g,
  skipped:
    /(?<![\w.$])(?:it|test|describe|suite|context)(?:\.\w+)*?\.(?:skip|todo|fails|fixme|skipIf|runIf|failing)\b|(?<![\w.$])x(?:it|test|describe|context)\s*\(|\.skip\(|\b(?:skip|todo)\s*:\s*(?!false\b)/g,
  only: /(?<![\w.$])(?:it|test|describe|suite|context)(?:\.\w+)*?\.only\b|(?<![\w.$])f(?:it|describe)\s*\(|\bonly\s*:\s*true/g,
  assertions:
    /(?<![\w$])(?:expect|assert)(?:\.\w+)*\s*\(|\.should\b|\bt\.(?:is|deepEqual|like|throws|true|false|assert|not)\b/g,
  loose:
    /(?<![\w$])(?:expect|assert(?:\.ok)?)\(\s*(?:true|1|"")\s*[),]|\.(?:toBeTruthy|toBeFalsy|toBeDefined|toBeUndefined|toBeTypeOf|toBeNull)\s*\(|expect\.(?:anything|any)\s*\(|\.not\.toThrow\w*\s*\(|\.to\.(?:be\.ok|exist)\b|(?<![\w$])assert(?:\.ok)?\((?![^\n]{0,200}\b(?:includes|has|test|match|every|some|startsWith|endsWith|is[A-Z]\w*|\w*[eE]qual\w*)\(|[^\n;]{0,200}\s(?:instanceof|in)\s)[^=<>!{};\n]{0,200}\)/g,
  exact:
    /(?<!\.not)\.(?:toBe|toEqual|toStrictEqual|toBeCloseTo|toHaveLength|toHaveProperty|toHaveBeen(?:Last|Nth)?Called(?:With|Times)|toMatchSnapshot|toMatchInlineSnapshot|toThrow(?:Error)?(?=\s*\(\s*[^\s)]))\s*\(|(?<![\w$])assert\.(?:equal|strictEqual|deepEqual|deepStrictEqual|throws|rejects)\s*\(|\.to\.(?:deep\.)?(?:equals?|eql|be\.a)\b|\bt\.(?:is|deepEqual)\b/g,
  vague:
    /\.(?:toEqual|toStrictEqual|toBe|toHaveBeenCalledWith)\(\s*(?:expect\.\w+\([^()]*\)|[{[](?:\s*(?:\w+\s*:\s*)?expect\.\w+\([^()]*\)\s*,?)+\s*[}\]])\s*\)/g,
  // As an option of a test: other settings of that name are what it tests.
  retries:
    /(?<![\w.$])(?:it|test|describe)(?:\.\w+)*\s*\(\s*""\s*,\s*\{[^{}]{0,200}?\bretr(?:y|ies)\s*:\s*[1-9]|\bjest\.retryTimes\(|\bthis\.retries\(|\b(?:test|describe)\.configure\(\s*\{[^{}]{0,200}?\bretries\s*:\s*[1-9]/g,
  exits: /\bprocess\.(?:exit\s*\(\s*0?\s*\)|exitCode\s*=\s*0)/g,
}
const PYTHON: Patterns = {
  tests: /^\s*(?:async\s+)?def test\w*\s*\(/gm,
  skipped:
    /(?:@(?:pytest\.mark\.|unittest\.|mark\.)?|\bmark\.)(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\b|\bpytest\.(?:skip|xfail|importorskip)\s*\(|\.skipTest\s*\(|\bSkipTest\b|\b__test__\s*=\s*False|\bcollect_ignore(?:_glob)?\b|\bpytest_(?:ignore_collect|collection_modifyitems|runtest_\w+|report_teststatus|pyfunc_call|sessionfinish|itemcollected)\b/g,
  assertions: /^\s*assert\b|\bself\.assert\w+\s*\(|\bpytest\.raises\s*\(/gm,
  loose:
    /^\s*assert\s+(?:True|1|"")\s*(?:,|$)|\bself\.assertTrue\(\s*True\b|\bself\.assertIsNotNone\s*\(|^\s*assert [^=<>]*\bis not None\s*$|^\s*assert\s+(?![^\n]*(?:\b(?:in|is|not|isinstance|all|any)\b|\.(?:startswith|endswith|match|search)\())[^=<>!\n]+$|\bself\.assertTrue\((?![^\n]{0,200}\b(?:in|is|not|isinstance|all|any)\b)[^=<>!\n]{0,200}\)[ \t]*$/gm,
  exact:
    /^\s*assert\b[^\n]*[^=!<>]==[^=]|\bself\.assert(?:\w*Equal|Is|Raises|RaisesRegex)\s*\(|\bpytest\.raises\s*\([^()\n]*\bmatch\s*=/gm,
  retries: /@(?:pytest\.mark\.)?(?:flaky|retry)\b|\breruns\s*=\s*[1-9]/g,
  exits: /\b(?:sys\.exit|os\._exit|pytest\.exit)\(\s*0?\s*\)|\bexitstatus\s*=/g,
}
const OTHERS: readonly { name: RegExp; patterns: Patterns }[] = [
  {
    name: /_test\.go$/,
    patterns: {
      tests: /^func (?:Test|Fuzz|Example)\w*\s*\(|\bt\.Run\(/gm,
      skipped:
        /\b[tb]\.Skip(?:f|Now)?\s*\(|\btesting\.Short\(\)|\brecover\(\)|\brange\s+\w+\[[^\]\n]{0,80}:[^\]\n]{0,80}\]/g,
      exits: /\bos\.Exit\(0\)/g,
      assertions: /\b[tb]\.(?:Error|Fatal)f?\s*\(|\b(?:assert|require)\.\w+\s*\(/g,
    },
  },
  {
    name: /\.rs$/,
    patterns: {
      tests: /#\[(?:\w+::)?test\b/g,
      skipped:
        /#\[ignore\b|#\[cfg\((?:all\(\s*test\s*,|any\(\s*\)|FALSE)|#\[cfg_attr\([^\n\]]{0,200}\bignore\b/g,
      exact: /\bassert_(?:eq|matches)!\s*\(|#\[should_panic\s*\(\s*expected/g,
      exits: /\bprocess::exit\(\s*0\s*\)/g,
      assertions: /\b(?:debug_)?assert\w*!\s*\(/g,
      loose: /\bassert!\(\s*true\b/g,
    },
  },
  {
    name: /\.(?:java|kt)$/,
    patterns: {
      tests: /@(?:Test|ParameterizedTest|RepeatedTest)\b/g,
      skipped: /@(?:Disabled|Enabled|Ignore)\w*\b|\bassum(?:e|ing)\w*\s*\(/g,
      exact: /\bassert(?:Equals|Same|ArrayEquals|IterableEquals|Throws)\w*\s*\(|\.isEqualTo\s*\(/g,
      retries: /@(?:Retrying|Flaky)\w*\b|@RepeatedIfExceptions\w*/g,
      exits: /\bSystem\.exit\(\s*0\s*\)/g,
      assertions: /\bassert\w*\s*\(|\bverify\s*\(/g,
      loose: /\bassertTrue\(\s*true\b|\bassertNotNull\s*\(/g,
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
  const count = (key: keyof Patterns) => (patterns[key] ? (code.match(patterns[key])?.length ?? 0) : 0)
  const countLive = (key: keyof Patterns) => {
    let total = 0
    for (const { index } of patterns[key] ? live.matchAll(patterns[key]) : []) total += timesAt(parts, index)
    return total
  }
  const isGo = path.endsWith('.go')
  const isRunner = hasTestName(path) || /(^|\/)conftest\.py$/.test(path)
  return {
    tests: countLive('tests') + (isGo ? rowsInGo(code) : 0),
    skipped: count('skipped') + (isGo ? (text.match(/^\/\/(?:go:build|\s*\+build)\b/gm)?.length ?? 0) : 0),
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
    [...text.matchAll(/^\s*from\s+([\w.]+)\s+import\s+\(?([\w\s,]+)/gm)].flatMap(
      ([, module = '', names = '']) =>
        names.split(',').map(name => `${module}.${name.trim().split(/\s/)[0]}`),
    ),
  )
  const targets = [...text.matchAll(/\b(?:patch|setattr)\(\s*['"]([\w.]+)['"]/g)]
  return targets.filter(([, target = '']) => imported.has(target)).length
}

const OWN_MODULE_MOCK = /\b(?:(?:vi|jest)\.(?:do)?mock|mock\.module)\(\s*['"`]\.{1,2}\//gi

/** What a file replaces in a module of the project that it imports. */
function replacedMembers(text: string): number {
  const own =
    /(?:\bimport\s+(?:\*\s*as\s+)?|\b(?:const|let|var)\s+)(\w{1,80})\s*(?:from\s*|=\s*(?:await\s+import|require)\(\s*)['"`]\.{1,2}\//g
  const names = [...new Set([...text.matchAll(own)].map(([, name = '']) => name))].slice(0, 50)
  const any = [...names, String.raw`require\(['"\x60]\.{1,2}\/[^'"\x60\n]{1,200}['"\x60]\)`].join('|')
  const spied = new RegExp(
    String.raw`\b(?:spyOn|replaceProperty|mock\.method|stub)\(\s*(?:${any})\s*,[^\n]{0,200}\)\s*\.(?:mock(?:Return|Resolved|Rejected|Implementation)|returns|resolves|callsFake)`,
    'g',
  )
  const assigned = new RegExp(String.raw`(?<![\w.$])(?:${any})\.\w+\s*=(?![=>])`, 'g')
  return (text.match(spied)?.length ?? 0) + (text.match(assigned)?.length ?? 0)
}

/** The code with the usual names of `test` and `assert`, where a file imports them under others. */
export function withUsualNames(text: string, code: string): string {
  let usual = code
  for (const [, names = '', module = ''] of text.matchAll(IMPORTS)) {
    const is = TEST_MODULE.test(module) ? 'test' : ASSERT_MODULE.test(module) ? 'assert' : undefined
    if (!is) continue
    const listed = /\{([^}]*)\}/.exec(names)?.[1] ?? ''
    const whole = /^\s*(?:\*\s*as\s+)?(\w+)/.exec(names)?.[1]
    if (whole && whole !== is) usual = renamed(usual, whole, is)
    for (const part of listed.split(',')) {
      const [, name = '', own = name] = /^\s*(\w+)(?:\s*(?::|as)\s*(\w+))?\s*$/.exec(part) ?? []
      const to = is === 'assert' ? (name === 'strict' || name === 'default' ? is : `${is}.${name}`) : name
      if (own !== '' && own !== to) usual = renamed(usual, own, to === 'default' ? is : to)
    }
  }
  return usual
}

/** `import NAMES from 'MODULE'`, `const NAMES = require('MODULE')`. */
const IMPORTS =
  /(?:\bimport\s+(?!type\b)|\b(?:const|let|var)\s+|,\s*)([\w\s{},:*$]{1,500}?)\s*(?:\bfrom\s*|=\s*require\(\s*)['"]([^'"\n]{1,200})['"]/g
const TEST_MODULE = /^(?:node:test|tape|ava|vitest|@jest\/globals|bun:test)$/
const ASSERT_MODULE = /^(?:(?:node:)?assert(?:\/strict)?|chai)$/

const renamed = (code: string, from: string, to: string): string =>
  code.replaceAll(new RegExp(`(?<![\\w.$])${from}(?![\\w$])`, 'g'), to)
