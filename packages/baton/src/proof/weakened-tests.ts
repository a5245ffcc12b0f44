import type { FileChange } from '../ports/compare-tests.ts'
import { type Asserted, InlinedHelpers } from './assertion-helpers.ts'
import { weakerTests } from './compare-tests.ts'
import { hasTestName } from './derive-checks.ts'
import { loosenedSettings } from './loosened-settings.ts'
import { isCoverage } from './neutral-settings.ts'
import { raisedLimits } from './raised-limits.ts'
import { isAboutTests, isCi, isSnapshot, mayBeCalled } from './relevant-files.ts'
import { languageOf, stripLiterals } from './strip-literals.ts'
import { suppressedFiles } from './suppressed-files.ts'
import { type Measures, measure, sumOf, withUsualNames } from './test-measures.ts'
import { findWeakerCi } from './weaker-ci.ts'

/**
 * How the work made the tests weaker, one sentence each: fewer tests or assertions than before, tests that no longer run, raised
 * time limits, rewritten snapshots, steps that CI lost. Tests that move to another file are not fewer. `folders`: all that had files
 * before the work, each with a slash at its end; undefined if that is not known.
 */
export function findWeakened(changes: readonly FileChange[], folders?: ReadonlySet<string>): string[] {
  const tests = changes
    .filter(({ path }) => isAboutTests(path) && !isSnapshot(path) && !isCi(path) && !isCoverage(path))
    .map(change => ({
      ...change,
      was: measure(change.path, change.before),
      is: measure(change.path, change.after),
    }))
  const before = sumOf(tests.map(({ was }) => was))
  const lost = tests.filter(({ path, was }) => was.tests > 0 && hasTestName(path)).length > 0
  // A runner finds tests by the names of files.
  const isFound = ({ path, before, was }: (typeof tests)[number]) =>
    !lost ||
    hasTestName(path) ||
    before !== undefined ||
    was.tests > 0 ||
    /\.rs$|(^|\/)__tests__\//.test(path)
  const found = tests.filter(isFound)
  const after = sumOf(found.map(({ is }) => is))
  const helpers = {
    before: new InlinedHelpers(tests.map(({ path, before }) => ({ path, text: before }))),
    after: new InlinedHelpers(tests.map(({ path, after }) => ({ path, text: after }))),
  }
  // Assertions may move into functions that tests call: they are fewer only if they are also fewer with those.
  const inlined =
    after.strict < before.strict || after.exact < before.exact
      ? {
          before: helpers.before.total(tests.map(({ path }) => path)),
          after: helpers.after.total(found.map(({ path }) => path)),
        }
      : { before, after }
  const most = Math.max(before.strict, inlined.before.strict)
  const isFewer = after.strict < before.strict && inlined.after.strict < most
  const loosened = Math.min(lessExact(before, after), lessExact(inlined.before, inlined.after))
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
    ...(isFewer ? fewer('strict assertion', before.strict, after.strict) : []),
    ...(loosened > 0 ? [`${loosened} assertion${loosened === 1 ? '' : 's'} less exact`] : []),
    // What is fewer as a whole says enough.
    ...(after.tests < before.tests || isFewer || loosened > 0 ? [] : weakerTests(tests, helpers)),
    ...more('skipped tests', 'skipped'),
    ...more('tests that exclude the others (only)', 'only'),
    ...more('mocks of modules of the project', 'mocks'),
    ...more('tests that are tried again', 'retries'),
    ...more('tests that end the runner with success', 'exits'),
    ...tests.flatMap(removedFile),
    ...tests.flatMap(raisedLimit),
    ...rewrittenSnapshots(changes.filter(({ path }) => isSnapshot(path))),
    ...findWeakerCi(
      changes.filter(({ path }) => isCi(path)),
      changes.filter(({ path }) => mayBeCalled(path)),
    ),
    ...changes.filter(({ path }) => isCoverage(path)).flatMap(loweredCoverage),
    ...loosenedSettings(changes, folders),
    ...suppressedFiles(changes),
  ]
}

/** Assertions that still compare, but accept more: `toEqual` that became `toMatchObject`. */
const lessExact = (before: Asserted, after: Asserted): number =>
  before.exact - after.exact - Math.max(0, before.strict - after.strict)

/** A file of tests that Baton cannot count, and that is gone or empty now. */
function removedFile({ path, before, after, was }: FileChange & { was: Measures }): string[] {
  const isGone = before !== undefined && before.trim() !== '' && (after ?? '').trim() === ''
  return isGone && hasTestName(path) && was.tests === 0 ? [`${path} removed`] : []
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
    /\b(lines|branches|functions|statements|fail_under|cov-fail-under)\b["']?\s{0,50}[:= ]\s{0,50}["']?(\d+(?:\.\d+)?)/g
  for (const [, key = '', number] of text.matchAll(named))
    found.set(key, Math.min(found.get(key) ?? Number.POSITIVE_INFINITY, Number(number)))
  return found
}

/** New snapshots are fine; lines that were there before are what the tests compared with. Those of a file may move with its tests. */
function rewrittenSnapshots(changes: readonly FileChange[]): string[] {
  const linesOf = (text = '') => text.split('\n')
  const elsewhere = new Set(
    changes.flatMap(({ before, after }) => (before === undefined ? linesOf(after) : [])),
  )
  return changes.flatMap(({ path, before, after }) => {
    const now = after === undefined ? elsewhere : new Set(linesOf(after))
    return before === undefined || linesOf(before).every(line => now.has(line))
      ? []
      : [`snapshots rewritten in ${path}`]
  })
}
