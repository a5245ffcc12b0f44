import { mayBeCalled } from './ci-scripts.ts'
import { hasTestName, isTestFile } from './derive-checks.ts'
import { raisedLimits } from './raised-limits.ts'
import { languageOf, stripLiterals } from './strip-literals.ts'
import { type FileChange, findWeakerCi, isCi } from './weaker-ci.ts'

/** Whether a change of this file can weaken tests, so that its text is worth reading. */
export const mayWeaken = (path: string): boolean => isAboutTests(path) || mayBeCalled(path)

/** Files that are about tests themselves, and not only called by CI. */
export const isAboutTests = (path: string): boolean =>
  isTestFile(path) || isSnapshot(path) || isCi(path) || isCoverage(path) || path.endsWith('.rs')

/**
 * How the work made the tests weaker, one sentence each: fewer tests or assertions than before, tests that no longer run, raised
 * time limits, rewritten snapshots, steps that CI lost. Tests that move to another file are not fewer.
 */
export function findWeakened(changes: readonly FileChange[]): string[] {
  const tests = changes
    .filter(({ path }) => !isSnapshot(path) && !isCi(path) && !isCoverage(path))
    .map(change => ({
      ...change,
      was: measure(change.path, change.before),
      is: measure(change.path, change.after),
    }))
  const before = sum(tests.map(({ was }) => was))
  const after = sum(tests.map(({ is }) => is))
  const fewer = (what: string, from: number, to: number) =>
    to < from ? [`${from - to} ${what}${from - to === 1 ? '' : 's'} fewer`] : []
  const names = (key: keyof Measures) =>
    tests.filter(({ was, is }) => is[key] > was[key]).map(({ path }) => path)
  const more = (what: string, key: keyof Measures) =>
    after[key] > before[key] ? [`${what} in ${names(key).slice(0, 3).join(', ')}`] : []
  const gone = tests.filter(({ was, is }) => is.tests < was.tests)
  const where =
    gone.length > 0
      ? ` (${gone
          .map(({ path }) => path)
          .slice(0, 3)
          .join(', ')})`
      : ''
  return [
    ...fewer('test', before.tests, after.tests).map(words => `${words}${where}`),
    ...fewer('strict assertion', before.strict, after.strict),
    ...more('skipped tests', 'skipped'),
    ...more('tests that exclude the others (only)', 'only'),
    ...more('mocks of modules of the project', 'mocks'),
    ...tests.flatMap(removedFile),
    ...tests.flatMap(raisedLimit),
    ...changes.filter(({ path }) => isSnapshot(path)).flatMap(rewrittenSnapshot),
    ...findWeakerCi(
      changes.filter(({ path }) => isCi(path)),
      changes.filter(({ path }) => mayBeCalled(path)),
    ),
    ...changes.filter(({ path }) => isCoverage(path)).flatMap(loweredCoverage),
  ]
}

interface Measures {
  tests: number
  skipped: number
  only: number
  /** Assertions that compare with something. */
  strict: number
  mocks: number
}

const NOTHING: Measures = { tests: 0, skipped: 0, only: 0, strict: 0, mocks: 0 }

type Patterns = Partial<Record<'tests' | 'skipped' | 'only' | 'assertions' | 'loose', RegExp>>

const JAVASCRIPT: Patterns = {
  tests: /(?<![\w.$])(?:x|f)?(?:it|test)(?:\.\w+)*\s*[(`"]|(?<![\w.$])t\.test\s*\(/g,
  skipped:
    /(?<![\w.$])(?:it|test|describe|suite|context)(?:\.\w+)*?\.(?:skip|todo|fails|fixme|skipIf|runIf|failing)\b|(?<![\w.$])x(?:it|test|describe|context)\s*\(|\.skip\(|\b(?:skip|todo)\s*:\s*(?!false\b)/g,
  only: /(?<![\w.$])(?:it|test|describe|suite|context)(?:\.\w+)*?\.only\b|(?<![\w.$])f(?:it|describe)\s*\(|\bonly\s*:\s*true/g,
  assertions:
    /(?<![\w$])(?:expect|assert)(?:\.\w+)*\s*\(|\.should\b|\bt\.(?:is|deepEqual|like|throws|true|false|assert|not)\b/g,
  loose:
    /(?<![\w$])(?:expect|assert(?:\.ok)?)\(\s*(?:true|1|"")\s*[),]|\.(?:toBeTruthy|toBeFalsy|toBeDefined|toBeUndefined|toBeTypeOf|toBeNull)\s*\(|expect\.(?:anything|any)\s*\(|\.not\.toThrow\w*\s*\(|\.to\.(?:be\.ok|exist)\b|(?<![\w$])assert(?:\.ok)?\((?![^\n]{0,200}\b(?:includes|has|test|match|every|some|startsWith|endsWith|is[A-Z]\w*|\w*[eE]qual\w*)\(|[^\n;]{0,200}\s(?:instanceof|in)\s)[^=<>!{};\n]{0,200}\)/g,
}
const PYTHON: Patterns = {
  tests: /^\s*(?:async\s+)?def test\w*\s*\(/gm,
  skipped:
    /@(?:pytest\.mark\.|unittest\.|mark\.)?(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\b|\bpytest\.(?:skip|xfail|importorskip)\s*\(|\.skipTest\s*\(/g,
  assertions: /^\s*assert\b|\bself\.assert\w+\s*\(|\bpytest\.raises\s*\(/gm,
  loose:
    /^\s*assert\s+(?:True|1|"")\s*(?:,|$)|\bself\.assertTrue\(\s*True\b|\bself\.assertIsNotNone\s*\(|^\s*assert [^=<>]*\bis not None\s*$|^\s*assert\s+(?![^\n]*(?:\b(?:in|is|not|isinstance|all|any)\b|\.(?:startswith|endswith|match|search)\())[^=<>!\n]+$|\bself\.assertTrue\((?![^\n]{0,200}\b(?:in|is|not|isinstance|all|any)\b)[^=<>!\n]{0,200}\)[ \t]*$/gm,
}
const OTHERS: readonly { name: RegExp; patterns: Patterns }[] = [
  {
    name: /_test\.go$/,
    patterns: {
      tests: /^func (?:Test|Fuzz|Example)\w*\s*\(|\bt\.Run\(/gm,
      skipped: /\b[tb]\.Skip(?:f|Now)?\s*\(/g,
      assertions: /\b[tb]\.(?:Error|Fatal)f?\s*\(|\b(?:assert|require)\.\w+\s*\(/g,
    },
  },
  {
    name: /\.rs$/,
    patterns: {
      tests: /#\[(?:\w+::)?test\b/g,
      skipped: /#\[ignore\b/g,
      assertions: /\b(?:debug_)?assert\w*!\s*\(/g,
      loose: /\bassert!\(\s*true\b/g,
    },
  },
  {
    name: /\.(?:java|kt)$/,
    patterns: {
      tests: /@(?:Test|ParameterizedTest|RepeatedTest)\b/g,
      skipped: /@(?:Disabled|Ignore)\w*\b/g,
      assertions: /\bassert\w*\s*\(|\bverify\s*\(/g,
      loose: /\bassertTrue\(\s*true\b|\bassertNotNull\s*\(/g,
    },
  },
]

function measure(path: string, text: string | undefined): Measures {
  if (text === undefined) return NOTHING
  const language = languageOf(path)
  const patterns =
    language === 'javascript'
      ? JAVASCRIPT
      : language === 'python'
        ? PYTHON
        : OTHERS.find(({ name }) => name.test(path))?.patterns
  if (!patterns) return NOTHING
  const stripped = stripLiterals(text, language)
  const code = language === 'javascript' ? withUsualNames(text, stripped) : stripped
  const count = (key: keyof Patterns) => (patterns[key] ? (code.match(patterns[key])?.length ?? 0) : 0)
  return {
    tests: count('tests'),
    skipped: count('skipped'),
    only: count('only'),
    strict: Math.max(0, count('assertions') - count('loose')),
    mocks: language === 'other' ? 0 : mocksIn(text, language),
  }
}

/** Mocks of the project's own code. Their target is in a string. */
function mocksIn(text: string, language: 'javascript' | 'python'): number {
  // A module of the project begins with a dot.
  if (language === 'javascript') return text.match(OWN_MODULE_MOCK)?.length ?? 0
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

/** The code with the usual names of `test` and `assert`, where a file imports them under others. */
function withUsualNames(text: string, code: string): string {
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

/** A file of tests that Baton cannot count, and that is gone or empty now. */
function removedFile({ path, before, after, was }: FileChange & { was: Measures }): string[] {
  const isGone = before !== undefined && before.trim() !== '' && (after ?? '').trim() === ''
  return isGone && hasTestName(path) && was.tests === 0 ? [`${path} removed`] : []
}

function sum(all: readonly Measures[]): Measures {
  return all.reduce(
    (total, each) => ({
      tests: total.tests + each.tests,
      skipped: total.skipped + each.skipped,
      only: total.only + each.only,
      strict: total.strict + each.strict,
      mocks: total.mocks + each.mocks,
    }),
    NOTHING,
  )
}

/** A time limit, tolerance or precision of a test that is weaker than before. */
function raisedLimit({ path, before, after }: FileChange): string[] {
  if (before === undefined || after === undefined) return []
  const language = languageOf(path)
  const read = (text: string) => {
    const stripped = stripLiterals(text, language)
    return { text, code: language === 'javascript' ? withUsualNames(text, stripped) : stripped }
  }
  return raisedLimits(path, read(before), read(after))
}

const isSnapshot = (path: string): boolean => /\.snap$|(^|\/)__snapshots__\//.test(path)

/** Settings that may say how much of the code tests must cover. */
const isCoverage = (path: string): boolean =>
  /(^|\/)(?:(?:vitest|vite|jest|karma)\.config\.[cm]?[jt]s|package\.json|\.(?:nycrc|c8rc)(?:\.json|\.ya?ml)?|\.coveragerc|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.?codecov\.ya?ml)$/.test(
    path,
  )

function loweredCoverage({ path, before, after }: FileChange): string[] {
  const now = thresholdsIn(after)
  return [...thresholdsIn(before)].flatMap(([key, from]) => {
    const to = now.get(key)
    if (to === undefined) return [`the coverage threshold ${key} removed in ${path}`]
    return to < from ? [`the coverage threshold ${key} lowered from ${from} to ${to} in ${path}`] : []
  })
}

/** The lowest threshold of each name. */
function thresholdsIn(text = ''): Map<string, number> {
  const found = new Map<string, number>()
  if (!/cover|nyc|c8|fail[_-]under/i.test(text)) return found
  const named =
    /\b(lines|branches|functions|statements|fail_under|cov-fail-under)\b["']?\s*[:= ]\s*["']?(\d+(?:\.\d+)?)/g
  for (const [, key = '', number] of text.matchAll(named))
    found.set(key, Math.min(found.get(key) ?? Number.POSITIVE_INFINITY, Number(number)))
  return found
}

/** New snapshots are fine; lines that were there before are what the tests compared with. */
function rewrittenSnapshot({ path, before, after }: FileChange): string[] {
  if (before === undefined) return []
  const now = new Set(after?.split('\n'))
  return before.split('\n').every(line => now.has(line)) ? [] : [`snapshots rewritten in ${path}`]
}
