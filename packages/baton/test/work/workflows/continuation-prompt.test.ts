import { describe, expect, it } from 'vitest'
import { BUILTIN } from '../../../src/work/workflows/catalogue.ts'
import { continuationPrompt, excerptOf, HEADING } from '../../../src/work/workflows/continuation-prompt.ts'

const facts = {
  session: 'abc123',
  count: 4,
  max: 10,
  issue: 42,
  plan: { path: '/p/.tmp/plan-of-issue-42.md', excerpt: '# Plan\nDo it' },
}
const promptOf = (name: string, more: object = {}) => {
  const workflow = BUILTIN.find(each => each.name === name)
  if (!workflow) throw new Error(name)
  return continuationPrompt(workflow, { ...facts, ...more })
}

describe('Every continuation prompt', () => {
  it.each(BUILTIN.map(workflow => workflow.name))(
    'of %s begins with what it is and ends with how to end',
    name => {
      const prompt = promptOf(name)
      expect(prompt.split('\n')[0]).toBe(`${HEADING}, it is currently 4/10 continuations.`)
      expect(prompt.split('\n').at(-1)).toContain('`baton done`')
      expect(prompt.length).toBeLessThan(4000)
    },
  )
})

it.each([
  [
    'ultra-planner',
    ['plan', 'GitHub issue', 'hands-off', 'recommend', 'branch', 'comment', 'session abc123'],
  ],
  [
    'issue-to-impl',
    [
      '#42',
      'milestone',
      '/p/.tmp/plan-of-issue-42.md',
      '> # Plan',
      'upstream/main, upstream/master, origin/main, origin/master',
      'test suite',
      'CLAUDE.md',
      'code-quality-reviewer',
      '2.1',
      'without asking',
    ],
  ],
  ['plan-to-issue', ['[plan]', '--body-file', 'labels', 'what blocks you', 'abc123']],
  ['setup-viewboard', ['Projects v2', 'remaining steps']],
])('The prompt of %s makes each of its points', (name, points) => {
  for (const point of points) expect(promptOf(name)).toContain(point)
})

it('The last continuation says so', () => {
  expect(promptOf('issue-to-impl', { count: 10 })).toContain('last continuation')
})

it('A stuck run is told what is stuck', () => {
  const [workflow] = BUILTIN
  if (!workflow) throw new Error('none')
  expect(continuationPrompt(workflow, facts, { stuck: 'the tests fail as before' })).toContain(
    'the tests fail as before',
  )
})

it('A plan is quoted by its first 500 characters, whole ones, without control characters', () => {
  expect(Array.from(excerptOf('🎉'.repeat(600)))).toHaveLength(500)
  expect(excerptOf('a\x1b[31mb\x07')).toBe('a[31mb')
})
