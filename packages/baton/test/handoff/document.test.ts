import { HandoffDocument } from '@batonpass/contract/handoff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractDocument, parseHandoff } from '../../src/handoff/document/parse.ts'
import { renderHandoff } from '../../src/handoff/document/render.ts'

/** Text that looks like document structure. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        '## Next Steps',
        '# Handoff Document',
        '### Blockers / Issues',
        '---',
        '...',
        '```',
        '~~~',
        '```markdown',
        '- [x] done',
        '- [ ] open',
        '- None',
        'None',
        '1. one',
        '2) two',
        '* star',
        '**Progress**: 12%',
        '**Created**: now',
        '\\# escaped',
        '\\\\',
        '\\```',
        ' # one space',
        '    four spaces',
        '\ttab',
        '',
        '   ',
        'plain words',
        '</handoff-context>',
        'key: value',
        '&anchor *alias !!tag',
        '\u2028',
        '\u0000',
        '\uD800',
        'é ü 漢',
      ),
      { maxLength: 6 },
    )
    .map(lines => lines.join('\n')),
)
const points = fc.array(hostile, { maxLength: 4 })
const count = fc.nat(1000)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const time = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map(date => date.toISOString())

const document = fc
  .record({
    facts: fc.record({
      written_by: fc.constantFrom('agent', 'baton'),
      session: maybe(hostile),
      root: maybe(hostile),
      branch: maybe(hostile),
      head: maybe(fc.constantFrom('0123456', '1e10', 'null', '~', 'true', 'abc')),
      ahead: maybe(count),
      dirty: maybe(points),
      touched: maybe(points),
      instructions: maybe(points),
      issue: maybe(fc.integer({ min: 1, max: 99_999 })),
      tests: maybe(
        fc.record({
          command: hostile.map(command => `t ${command}`),
          result: fc.constantFrom('passed', 'failed'),
          failing: maybe(count),
          at: maybe(time),
        }),
      ),
      created_at: maybe(time),
      focus: maybe(hostile),
    }),
    created: hostile,
    contextUsage: maybe(fc.integer({ min: 0, max: 100 })),
    project: hostile,
    work: fc.record({ epic: hostile, progress: hostile, task: hostile }),
    completed: fc.array(fc.record({ text: hostile, done: fc.boolean() }), { maxLength: 4 }),
    nextSteps: fc.array(hostile, { maxLength: 12 }),
    criticalState: points,
    blockers: points,
    notes: points,
    goal: hostile,
    constraints: points,
    decisions: points,
    others: fc.array(fc.record({ title: hostile, text: hostile }), { maxLength: 3 }),
  })
  // Without empty keys.
  .map(draft => HandoffDocument.parse(JSON.parse(JSON.stringify(HandoffDocument.parse(draft)))))

const SEED = `# Handoff Document

**Created**: 2026-01-22 14:30:00
**Context Usage**: 87%
**Project**: consilio

## Current Work

**Active Epic**: Epic 003 - Authentication System
**Progress**: 65% complete
**Current Task**: Implementing JWT refresh tokens

## Completed Since Last Handoff

- [ ] Created database migration for refresh_tokens table
- [x] Implemented token generation logic

## Next Steps

1. Complete JWT refresh endpoint
2. Add token rotation logic

## Critical State

- Database schema updated (migration 005 applied)

## Blockers / Issues

- None

## Notes

- Refresh token expiry set to 30 days
`

describe('a handoff document', () => {
  it.each(['file', 'context'] as const)(
    'is read back to the letter from its %s form, whatever it holds',
    form => {
      fc.assert(
        fc.property(document, written => {
          const read = parseHandoff(renderHandoff(written, form))
          expect(read.document).toEqual(written)
          expect(read.form).toBe(form)
          expect(read.findings.filter(({ code }) => code === 'missing-section')).toEqual([])
        }),
        { numRuns: 120 },
      )
    },
  )

  it("in the seed's form is read without a finding", () => {
    const { document, form, findings } = parseHandoff(SEED)
    expect({ form, findings }).toEqual({ form: 'file', findings: [] })
    expect(document).toMatchObject({
      created: '2026-01-22 14:30:00',
      contextUsage: 87,
      project: 'consilio',
      work: {
        epic: 'Epic 003 - Authentication System',
        progress: '65% complete',
        task: 'Implementing JWT refresh tokens',
      },
      completed: [
        { text: 'Created database migration for refresh_tokens table', done: false },
        { text: 'Implemented token generation logic', done: true },
      ],
      nextSteps: ['Complete JWT refresh endpoint', 'Add token rotation logic'],
      blockers: [],
      notes: ['Refresh token expiry set to 30 days'],
    })
    expect(renderHandoff(document, 'file').replace(/^---\n[\s\S]*?\n---\n\n/, '')).toBe(SEED)
  })

  it('with small deviations is understood, and each deviation is reported', () => {
    const careless = SEED.replace('## Next Steps', '### NEXT STEPS:')
      .replace('## Blockers / Issues\n\n- None', '## Blockers\n\nNone')
      .replace('- [x] Implemented', '* Implemented')
      .replace('**Context Usage**: 87%', 'Context usage: about 87 percent')
      .replace('2. Add', '2) Add')
      .replaceAll('\n', '\r\n')
    const { document, findings } = parseHandoff(careless)
    expect(document.nextSteps).toEqual(['Complete JWT refresh endpoint', 'Add token rotation logic'])
    expect(document).toMatchObject({
      contextUsage: 87,
      blockers: [],
      completed: [{ done: false }, { done: true }],
    })
    expect(findings.map(({ code, weight, where }) => `${code} ${weight} ${where}`)).toEqual([
      'odd-section minor Completed Since Last Handoff',
      'odd-section minor Next Steps',
      'odd-section minor Blockers / Issues',
      'odd-section minor Blockers / Issues',
    ])
  })

  it('without a required section is reported with the section', () => {
    const { findings } = parseHandoff(SEED.replace(/## Critical State[\s\S]*?(?=## Blockers)/, ''))
    expect(findings).toEqual([
      {
        code: 'missing-section',
        weight: 'wrong',
        where: 'Critical State',
        message: 'The section `## Critical State` is missing',
      },
    ])
  })

  it('without any section is measured by the form that was asked for', () => {
    const missing = (requested?: 'context') =>
      parseHandoff('I am done.', requested).findings.map(({ where }) => where)
    expect(missing('context')).toEqual([
      'header',
      'Goal',
      'Constraints & Preferences',
      'Progress',
      'Key Decisions',
      'Critical Context',
      'Next Steps',
    ])
    expect(missing()).toContain('Current Work')
  })

  it('is found in a reply with other text around it, in a fence or not', () => {
    expect(extractDocument(`Here it is:\n\n${SEED}`)).toBe(SEED)
    expect(extractDocument(`Here:\n\`\`\`markdown\n${SEED}\`\`\`\nAnything else?`).trimEnd()).toBe(
      SEED.trimEnd(),
    )
    expect(extractDocument('I cannot do that.')).toBe('I cannot do that.')
  })

  it('reports unknown and malformed facts, and keeps the others', () => {
    const { document, findings } = parseHandoff(
      `---\nbranch: main\nhead: 0123456\nissue: "#42"\npr: soon\ncolour: red\ndirty: a.txt\n---\n${SEED}`,
    )
    expect(document.facts).toMatchObject({ branch: 'main', head: '0123456', issue: 42, dirty: ['a.txt'] })
    expect(findings.map(({ code, where }) => `${code} ${where}`)).toEqual([
      'odd-value pr',
      'unknown-fact colour',
    ])
  })

  it('never throws, whatever the text', () => {
    fc.assert(fc.property(hostile, hostile, (a, b) => void parseHandoff(`${a}\n${SEED}\n${b}`)))
    expect(() => parseHandoff('---\n&a [*a, *a]\n---\n')).not.toThrow()
  })

  it('is parsed in bounded time, even if crafted to be slow', () => {
    const runs = [' ', '\t', '#', '`', '- ', '**', '\n---\t', '[x] ', '**Progress**: ', 'a: &b ', '\\', '> ']
    const began = performance.now()
    for (const run of runs) parseHandoff(`${SEED}\n${run.repeat(150_000 / run.length)}x`)
    for (const run of runs) parseHandoff(`---\n${run.repeat(150_000 / run.length)}x\n---\n${SEED}`)
    expect(performance.now() - began).toBeLessThan(15_000)
  })

  it('of enormous length is cut and reported as too long', () => {
    const { findings } = parseHandoff(`${SEED}\n${'x'.repeat(1_000_000)}`)
    expect(findings[0]).toMatchObject({ code: 'unreadable', weight: 'wrong' })
  })
})
