import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { citationProblem, citedTests } from './cited-tests.ts'

const root = join(import.meta.dirname, '../../..')
const page = join(root, 'docs/reliability.md')

/** The cells of each row of a page's tables, without heads and rules. */
const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter(line => line.startsWith('| '))
    .map(line => line.split(' | ').map(cell => cell.replace(/^\| | \|$/g, '')))
    .slice(1)

test('every test that the reliability page names exists', () => {
  const cited = citedTests(page)
  expect(cited.length).toBeGreaterThan(100)
  expect(cited.flatMap(each => citationProblem(each) ?? [])).toEqual([])
})

test('every promise of the reliability page names a test', () => {
  const unheld = rowsOf(readFileSync(page, 'utf8')).filter(([, , tests = '']) => !tests.includes('.ts)'))
  expect(unheld).toEqual([])
})

test('the reliability page has a row for each failure that ARCHITECTURE.md describes', () => {
  const [, story = ''] = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('## When something fails')
  const failures = rowsOf(story).map(([what]) => what)
  expect(failures.length).toBeGreaterThan(10)
  const promised = new Set(rowsOf(readFileSync(page, 'utf8')).map(([, promise]) => promise))
  expect(failures.filter(what => !promised.has(what))).toEqual([])
})
