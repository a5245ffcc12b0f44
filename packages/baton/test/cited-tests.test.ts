import { join } from 'node:path'
import { expect, test } from 'vitest'
import { citationProblem, holdsTest } from './cited-tests.ts'

test.each([
  [`test('a hook waits', () => {`, 'a hook waits'],
  [`  it(\n    "a person's answer",\n    async () => {`, "a person's answer"],
  ['test.each([[1], [2]])(`%i of them`, n => {', '%i of them'],
  [`it('an agent\\'s answer', `, "an agent's answer"],
])('finds the title in %j', (source, title) => {
  expect(holdsTest(source, title)).toBe(true)
})

test.each([
  [`test('a hook waits long', () => {`, 'a hook waits'],
  [`test.skip('a hook waits', () => {`, 'a hook waits'],
  [`describe('a hook waits', () => {`, 'a hook waits'],
  [`// a hook waits`, 'a hook waits'],
])('finds no such test in %j', (source, title) => {
  expect(holdsTest(source, title)).toBe(false)
})

test('a missing file and a missing title are told apart', () => {
  const file = join(import.meta.dirname, 'cited-tests.test.ts')
  expect(
    citationProblem({ file, title: 'a missing file and a missing title are told apart' }),
  ).toBeUndefined()
  expect(citationProblem({ file, title: 'nothing' })).toContain('holds no test "nothing"')
  expect(citationProblem({ file: `${file}x`, title: 'nothing' })).toContain('does not exist')
})
