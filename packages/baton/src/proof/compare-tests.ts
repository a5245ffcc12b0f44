import type { FileChange } from '../ports/compare-tests.ts'
import type { Asserted, InlinedHelpers } from './assertion-helpers.ts'
import { languageOf, stripLiterals } from './strip-literals.ts'
import { measure, withUsualNames } from './test-measures.ts'
import { testRanges } from './test-ranges.ts'

/** One test of a file. */
interface Test {
  path: string
  name: string
  strict: number
  exact: number
  /** The same, with those of the functions that it calls. */
  inlined(): Asserted
  /** Its lines that assert something. */
  lines: string[]
  /** Functions that it calls, other than those of the runner. */
  calls: ReadonlySet<string>
  /** Its code without names and values. */
  shape: string
}

/**
 * Tests that became weaker, or are gone, although the work as a whole added as much. A test may get another name, move, or be split,
 * and its assertions may move into a function that it calls.
 */
export function weakerTests(
  changes: readonly FileChange[],
  helpers: Readonly<Record<'before' | 'after', InlinedHelpers>>,
): string[] {
  const before = sideOf(changes, 'before', helpers.before)
  const after = sideOf(changes, 'after', helpers.after)
  const known = new Map(after.map(test => [keyOf(test), test]))
  const names = new Set(before.map(({ name }) => name))
  const added = after.filter(({ name }) => !names.has(name))
  const moved = new Set(added.flatMap(({ lines }) => lines))
  const shapes = new Set(added.map(({ shape }) => shape))
  const calls = new Set(added.flatMap(test => [...test.calls]))
  const replaced = (was: Test) =>
    shapes.has(was.shape) ||
    [...was.calls].some(call => calls.has(call)) ||
    was.lines.some(line => moved.has(line))
  const kept = new Set(after.map(({ name }) => name))
  return before
    .flatMap(was => {
      const is = known.get(keyOf(was))
      if (is) {
        const left = new Set(is.lines)
        const elsewhere = was.lines.filter(line => !left.has(line) && moved.has(line)).length
        const isFewer = (key: keyof Asserted) =>
          is[key] + elsewhere < was[key] &&
          is.inlined()[key] + elsewhere < Math.max(was[key], was.inlined()[key])
        const isAsMany = () => is.strict >= was.strict || is.inlined().strict >= was.inlined().strict
        return isFewer('strict') || (isFewer('exact') && isAsMany())
          ? [`weaker assertions in the test "${shown(was)}" (${was.path})`]
          : []
      }
      const isGone = !kept.has(was.name) && was.strict > 0 && was.calls.size > 0
      return isGone && !replaced(was) ? [`the test "${shown(was)}" is gone (${was.path})`] : []
    })
    .slice(0, MAX_FINDINGS)
}

const MAX_FINDINGS = 3
const MAX_TESTS = 5000
const keyOf = ({ path, name }: Test): string => `${path}\n${name}`
const shown = ({ name }: Test): string => name.slice(0, 60)

function sideOf(changes: readonly FileChange[], side: 'before' | 'after', inlined: InlinedHelpers): Test[] {
  const tests: Test[] = []
  for (const { path, [side]: text } of changes)
    if (text !== undefined && tests.length <= MAX_TESTS) tests.push(...testsIn(path, text, inlined))
  return tests
}

/** The tests of a file with a name that no other test in it has. */
function testsIn(path: string, text: string, inlined: InlinedHelpers): Test[] {
  const language = languageOf(path)
  const source = language === 'javascript' ? withUsualNames(text, text) : text
  const code = stripLiterals(source, language, 'keep-length')
  const found = new Map<string, Test | undefined>()
  let last = 0
  for (const { name, start, end } of testRanges(path, language, source, code)) {
    // A test within another one is a part of it.
    if (start < last || found.size > MAX_TESTS) continue
    last = end
    const body = source.slice(start, end)
    const { strict, exact } = measure(path, body)
    const part = code.slice(start, end)
    const calls = [...part.matchAll(/(?<![\w$])(\w{1,80})\s{0,50}\(/g)].map(([, call = '']) => call)
    const test = {
      path,
      name,
      strict,
      exact,
      inlined: () => inlined.in(path, { start, end }),
      lines: body
        .split('\n')
        .map(line => line.trim().replace(/;$/, ''))
        .filter(line => ASSERTS.test(line)),
      calls: new Set(calls.filter(call => !OF_RUNNER.test(call))),
      shape: part.replaceAll(/\b(?!expect|assert|to[A-Z])\w+/g, 'x').replaceAll(/\s+/g, ''),
    }
    found.set(name, found.has(name) ? undefined : test)
  }
  return [...found.values()].filter(test => test !== undefined)
}

const ASSERTS = /\b(?:expect|assert\w*|pytest\.raises|t\.(?:Error|Fatal)f?|require)\b/
const OF_RUNNER =
  /^(?:it|test\w*|describe|expect|assert\w*|to[A-Z]\w*|each|equal\w*|strictEqual|deepEqual|deepStrictEqual|throws|rejects|ok|any|raises|approx|func|function|if|for|while|switch|catch|match|Errorf?|Fatalf?|Run|self|super|len|str|int|list|dict|range|print|require|await|return|fn|void|Test\w*)$/
