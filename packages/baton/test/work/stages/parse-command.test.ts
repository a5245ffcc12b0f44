import { StageName } from '@batonpass/contract/work'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { STAGES } from '../../../src/work/packs/paw/stage-table.ts'
import { parseCommand, type WorkCommand } from '../../../src/work/stages/parse-command.ts'

describe('a command', () => {
  it.each<[string, WorkCommand]>([
    ['spec', { kind: 'stage', stage: 'spec' }],
    ['Specification', { kind: 'stage', stage: 'spec' }],
    ['code', { kind: 'stage', stage: 'code-research' }],
    ['plan', { kind: 'stage', stage: 'plan' }],
    ['planner', { kind: 'stage', stage: 'plan' }],
    ['implement', { kind: 'stage', stage: 'implement' }],
    ['implement Phase 2', { kind: 'stage', stage: 'implement', phase: 2 }],
    ['IMPLEMENT  phase 12.', { kind: 'stage', stage: 'implement', phase: 12 }],
    ['review', { kind: 'stage', stage: 'review' }],
    ['reviewer', { kind: 'stage', stage: 'review' }],
    ['docs', { kind: 'stage', stage: 'docs' }],
    ['documenter', { kind: 'stage', stage: 'docs' }],
    ['pr', { kind: 'stage', stage: 'pr' }],
    ['final pr', { kind: 'stage', stage: 'pr' }],
    ['PAW-03A Implementer Phase 2', { kind: 'stage', stage: 'implement', phase: 2 }],
    ['status', { kind: 'status' }],
    ['where am I?', { kind: 'status' }],
    ['help', { kind: 'help' }],
    ['What PAW work items do I have?', { kind: 'list' }],
    ['What does Code Research stage do?', { kind: 'help', topic: 'What does Code Research stage do?' }],
    ['How do I start a PAW workflow?', { kind: 'help', topic: 'How do I start a PAW workflow?' }],
    ['What are the PAW stages?', { kind: 'help', topic: 'What are the PAW stages?' }],
    [
      "What's the difference between Manual and Semi-Auto mode?",
      { kind: 'help', topic: "What's the difference between Manual and Semi-Auto mode?" },
    ],
    ['continue', { kind: 'continue' }],
    ['`continue`', { kind: 'continue' }],
    ['please continue', { kind: 'continue' }],
    ['address comments', { kind: 'comments' }],
    ['check pr', { kind: 'comments' }],
    [
      'feedback: the names are wrong but fine',
      { kind: 'feedback', instruction: 'the names are wrong but fine' },
    ],
    ['generate prompt for implementer Phase 3', { kind: 'prompt', stage: 'implement', phase: 3 }],
    ['generate prompt for documenter', { kind: 'prompt', stage: 'docs' }],
  ])('%s', (text, command) => expect(parseCommand(text, 'plan')).toEqual(command))

  it('`research` means the specification only while it is written', () => {
    for (const from of [...StageName.options, undefined])
      expect(parseCommand('research', from)).toEqual({
        kind: 'stage',
        stage: from === 'spec' ? 'spec-research' : 'code-research',
      })
  })
})

describe('an inline instruction', () => {
  it.each<[string, WorkCommand]>([
    [
      'implement Phase 2 but add rate limiting',
      { kind: 'stage', stage: 'implement', phase: 2, instruction: 'add rate limiting' },
    ],
    [
      'continue Phase 2 but add rate limiting',
      { kind: 'continue', phase: 2, instruction: 'add rate limiting' },
    ],
    ['continue but focus on error handling', { kind: 'continue', instruction: 'focus on error handling' }],
    ['continue, but focus on errors', { kind: 'continue', instruction: 'focus on errors' }],
    ['continue with Phase 2', { kind: 'continue', phase: 2 }],
    [
      'research but skip external dependencies',
      { kind: 'stage', stage: 'code-research', instruction: 'skip external dependencies' },
    ],
    [
      'plan with small phases but no migrations',
      { kind: 'stage', stage: 'plan', instruction: 'small phases but no migrations' },
    ],
    [
      'docs but\nkeep it short\nand plain',
      { kind: 'stage', stage: 'docs', instruction: 'keep it short\nand plain' },
    ],
    [
      'implement without new dependencies',
      { kind: 'stage', stage: 'implement', instruction: 'without new dependencies' },
    ],
    [
      'implement Phase 2 and add tests',
      { kind: 'stage', stage: 'implement', phase: 2, instruction: 'and add tests' },
    ],
    [
      'implement Phase 2 and add tests but no mocks',
      { kind: 'stage', stage: 'implement', phase: 2, instruction: 'and add tests but no mocks' },
    ],
    ['implement Phase 2 but', { kind: 'stage', stage: 'implement', phase: 2 }],
    [
      'address comments but only those on security',
      { kind: 'comments', instruction: 'only those on security' },
    ],
    [
      'generate prompt for implementer Phase 3 with a note on caching',
      { kind: 'prompt', stage: 'implement', phase: 3, instruction: 'a note on caching' },
    ],
  ])('%s', (text, command) => expect(parseCommand(text, 'plan')).toEqual(command))

  test('is passed on completely after every word of the table', () => {
    const words = STAGES.flatMap(row => row.words).filter(
      word => !['status', 'help', 'feedback'].includes(word),
    )
    const said = fc
      .string({ minLength: 1, maxLength: 60 })
      .map(text => text.trim())
      .filter(text => text !== '' && !/^[,:]/.test(text))
    fc.assert(
      fc.property(
        fc.constantFrom(...words),
        fc.constantFrom('but', 'with', 'BUT'),
        said,
        (word, joint, text) => {
          const command = parseCommand(`${word} ${joint} ${text}`, undefined)
          expect(command).toMatchObject({ kind: 'stage', instruction: text })
        },
      ),
    )
  })
})

describe('work', () => {
  it.each([
    '',
    'implement the login page',
    'review src/a.ts and tell me what is wrong',
    'research how tokens are stored',
    'plan the release of next week',
    'write a spec for the parser',
    'continue where you left off yesterday',
    'status of the build?',
    'fix the code',
    'the docs are wrong',
    'butter',
    'with',
    'implement Phase two',
    'plan Phase 2',
    'generate prompt for the marketing team',
    'what is the capital of France?',
    'help me with the tests',
    `implement ${'x'.repeat(5000)}`,
  ])('is not a command: %s', text => expect(parseCommand(text, 'spec')).toBeUndefined())

  test('any text is read without failing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), text => {
        parseCommand(text, undefined)
      }),
    )
  })

  it('reads hostile texts in linear time', () => {
    const began = performance.now()
    for (const text of [
      `continue ${', '.repeat(1900)}`,
      `what ${'work item '.repeat(390)}`,
      '- '.repeat(1999),
      'ok, '.repeat(999),
    ])
      parseCommand(text, undefined)
    expect(performance.now() - began).toBeLessThan(500)
  })
})
