import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BUILTIN } from '../../../src/work/workflows/catalogue.ts'
import { detectWorkflow } from '../../../src/work/workflows/detect-workflow.ts'

const detect = (prompt: string) => {
  const found = detectWorkflow(prompt, BUILTIN)
  return found && [found.workflow.name, found.issue]
}

describe('A prompt starts a workflow', () => {
  it.each([
    ['/ultra-planner Add dark mode', 'ultra-planner', undefined],
    ['/ultra-planner', 'ultra-planner', undefined],
    ['/ultra-planner --refine 42', 'ultra-planner', 42],
    ['/ultra-planner --refine 42 make it smaller', 'ultra-planner', 42],
    ['/ultra-planner --from-issue 42', 'ultra-planner', 42],
    ['/ultra-planner --from-issue=42', 'ultra-planner', 42],
    ['/ultra-planner --dry-run --refine 42', 'ultra-planner', 42],
    ['/ultra-planner add 3 buttons to page 7', 'ultra-planner', undefined],
    ['/issue-to-impl 42', 'issue-to-impl', 42],
    ['/issue-to-impl #42', 'issue-to-impl', 42],
    ['/issue-to-impl --dry-run 42', 'issue-to-impl', 42],
    ['/issue-to-impl 42 --dry-run', 'issue-to-impl', 42],
    ['/issue-to-impl https://github.com/acme/app/issues/42', 'issue-to-impl', 42],
    ['/issue-to-impl https://github.com/acme/app/issues/42#issuecomment-9', 'issue-to-impl', 42],
    ['/issue-to-impl 42\nBe careful with the database.', 'issue-to-impl', 42],
    ['  /issue-to-impl 42', 'issue-to-impl', 42],
    ['/baton:issue-to-impl 42', 'issue-to-impl', 42],
    ['/other-plugin:issue-to-impl 42', 'issue-to-impl', 42],
    ['/issue-to-impl 0', 'issue-to-impl', undefined],
    ['/issue-to-impl 42abc', 'issue-to-impl', undefined],
    ['/issue-to-impl 99999999999999999999', 'issue-to-impl', undefined],
    ['/issue-to-impl https://github.com/acme/app/pull/42', 'issue-to-impl', undefined],
    ['/plan-to-issue 42', 'plan-to-issue', undefined],
    ['/setup-viewboard 42', 'setup-viewboard', undefined],
    ['/baton:setup-viewboard', 'setup-viewboard', undefined],
  ])('by %j, with its issue', (prompt, name, issue) => {
    expect(detect(prompt)).toEqual([name, issue])
  })

  it.each([
    'please run /issue-to-impl 42',
    'issue-to-impl 42',
    'What does /ultra-planner do?',
    '/issue-to-impl.md',
    '/issue-to-impl/42',
    '/issue-to-implement 42',
    '/tmp/issue-to-impl 42',
    'line\n/issue-to-impl 42',
    '//issue-to-impl 42',
    '/ issue-to-impl 42',
    '',
    '/',
  ])('but not by %j', prompt => {
    expect(detect(prompt)).toBeUndefined()
  })
})

it('Text before a command never starts it', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }).filter(text => text.trim() !== '' && !text.trimStart().startsWith('/')),
      fc.constantFrom(...BUILTIN.flatMap(workflow => workflow.commands)),
      fc.nat(),
      (before, command, issue) => detect(`${before} /${command} ${issue}`) === undefined,
    ),
  )
})

it('Any namespace and any issue number are understood, and nothing else is taken for the number', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/)
  fc.assert(
    fc.property(name, fc.integer({ min: 1, max: 999_999_999 }), fc.string(), (plugin, issue, rest) => {
      expect(detect(`/${plugin}:issue-to-impl ${issue} ${rest}`)).toEqual(['issue-to-impl', issue])
    }),
  )
})

it('No prompt, however odd or long, makes it throw or slow', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 500 }), text => void detect(`/${text}`)))
  const began = performance.now()
  for (const text of [
    '/'.repeat(1e6),
    `/issue-to-impl ${'--refine '.repeat(1e5)}`,
    `/${'a:'.repeat(5e5)}`,
    ' '.repeat(1e6),
  ])
    detect(text)
  expect(performance.now() - began).toBeLessThan(3000)
})
