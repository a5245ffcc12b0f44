import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** A test that a page names as a link: `[title](../packages/baton/test/FILE.test.ts)`. */
export interface CitedTest {
  title: string
  /** The absolute path of the test file. */
  file: string
}

/** Every test that a page names. Contract suites (`*.contract.ts`) count as test files. */
export function citedTests(page: string): CitedTest[] {
  return [...readFileSync(page, 'utf8').matchAll(CITATION)].map(([, title = '', path = '']) => ({
    title,
    file: join(dirname(page), path),
  }))
}

/** Says what is wrong with a cited test; nothing if its file holds a test with exactly this title. */
export function citationProblem({ title, file }: CitedTest): string | undefined {
  const name = relative(join(import.meta.dirname, '../../..'), file)
  if (!existsSync(file)) return `${name} does not exist`
  return holdsTest(readFileSync(file, 'utf8'), title) ? undefined : `${name} holds no test "${title}"`
}

/** Whether a test in this source has the title. The title of a table of tests (`test.each`) counts as it is written. */
export function holdsTest(source: string, title: string): boolean {
  return [...source.matchAll(TITLE)].some(
    ([, quote = '', written = '']) => written.replaceAll(`\\${quote}`, quote) === title,
  )
}

const CITATION = /\[([^\][]+)\]\(([^)\s]+\.(?:test|contract)\.ts)\)/g
/** The first argument of a test: `it('…'`, `test("…"`, or the second call of a table, `])('…'`. */
const TITLE =
  /(?:\b(?:it|test)(?:\.(?:concurrent|sequential|fails))?|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g
