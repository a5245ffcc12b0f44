import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { citationProblem, citedTests } from './cited-tests.ts'

const PAGE = join(import.meta.dirname, '../../../docs/seeds.md')

test('docs/seeds.md names only tests that exist', () => {
  const cited = citedTests(PAGE)
  expect(cited.length).toBeGreaterThan(200)
  expect(cited.flatMap(each => citationProblem(each) ?? [])).toEqual([])
})

test('docs/seeds.md has a test or a deviation for each of the 273 statements', () => {
  const [before = '', deviations = ''] = readFileSync(PAGE, 'utf8').split('\n## Deviations\n')
  const rows = (text: string) => text.split('\n').filter(line => /^\| (?!statement|document)/.test(line))
  expect(rows(before)).toHaveLength(273)
  for (const row of rows(before))
    expect(row).toMatch(/\.(?:test|contract)\.ts\)|\[deviation\]\(#deviations\)/)
  const deviating = rows(before).filter(row => row.includes('(#deviations)'))
  expect(rows(deviations)).toHaveLength(deviating.length)
})
