import { HandoffDocument } from '@batonpass/contract/handoff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { essentialsOf, findWrongEssentials } from '../../../src/handoff/cycle/essentials.ts'

const wanted = {
  goal: 'Add refresh tokens to the login service',
  branch: 'feature/tokens',
  next: 'Write the endpoint that renews a token',
}
const block = (parts: Partial<typeof wanted>) =>
  `<handoff-check>\n${Object.entries(parts)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n</handoff-check>`

describe('the essentials', () => {
  it('come from the document; missing parts are not asked for', () => {
    const document = HandoffDocument.parse({
      goal: 'Add `refresh` tokens\n\nbecause sessions end',
      nextSteps: ['Write it', 'Test it'],
      facts: { branch: 'main' },
    })
    expect(essentialsOf(document)).toEqual({ goal: 'Add refresh tokens', branch: 'main', next: 'Write it' })
    expect(essentialsOf(HandoffDocument.parse({ work: { epic: 'Login' } }))).toEqual({ goal: 'Login' })
    expect(essentialsOf(HandoffDocument.parse({}))).toEqual({})
  })

  it.each([
    ['word for word', block(wanted)],
    ['with other punctuation', block({ ...wanted, goal: 'add refresh tokens to the `login` service.' })],
    [
      'as a list, with talk around it',
      `Sure!\n${block(wanted).replaceAll(/^(\w+):/gm, '- **$1**:')}\nReady.`,
    ],
    ['after a quoted instruction', `You want <handoff-check>…</handoff-check>:\n${block(wanted)}`],
  ])('are shown %s', (_, answer) => {
    expect(findWrongEssentials(answer, wanted)).toEqual([])
  })

  it.each([
    [
      'the right branch with another goal',
      block({ ...wanted, goal: 'Rewrite the billing service in Rust' }),
      /the goal is "Rewrite/,
    ],
    [
      'a goal that shares its common words',
      block({ ...wanted, goal: 'Remove tokens from the login page' }),
      /the goal is/,
    ],
    ['another branch', block({ ...wanted, branch: 'feature/tokens-2' }), /the branch is/],
    ['a step that is done', block({ ...wanted, next: 'Write the migration' }), /the next step is/],
    ['a part left out', block({ goal: wanted.goal, branch: wanted.branch }), /does not name the next step/],
    ['two guesses', `${block(wanted).replace('</', 'goal: something else\n</')}`, /the goal is ""/],
    [
      'everything at once',
      block({ ...wanted, goal: `${wanted.goal} ${wanted.next} and whatever else there may be to do here` }),
      /the goal is/,
    ],
    ['talk', 'Resuming work from handoff…', /does not contain the requested block/],
    ['an open block', '<handoff-check>\ngoal: x', /does not contain the requested block/],
    ['nothing', '', /does not contain the requested block/],
  ])('are not shown by %s', (_, answer, why) => {
    expect(findWrongEssentials(answer, wanted).join('; ')).toMatch(why)
  })

  it('are always accepted when copied, and never in an empty block', () => {
    const line = fc
      .string({ minLength: 1, maxLength: 150 })
      .map(text => text.replaceAll(/[\s`<>*"“”]+/g, ' ').trim())
      .filter(text => text !== '')
    fc.assert(
      fc.property(line, line, line, (goal, branch, next) => {
        const parts = { goal, branch, next }
        expect(findWrongEssentials(block(parts), parts)).toEqual([])
        expect(findWrongEssentials('<handoff-check>\n</handoff-check>', parts)).toHaveLength(3)
        expect(
          findWrongEssentials(block({ ...parts, goal: 'zq xj vk' }), { ...parts, goal: `${goal} a b c` }),
        ).not.toEqual([])
      }),
    )
  })

  it('are checked in linear time', () => {
    const hostile = `${'<handoff-check>'.repeat(20_000)}${'goal: '.repeat(50_000)}`
    expect(findWrongEssentials(hostile, wanted)).toHaveLength(1)
    expect(
      findWrongEssentials(`<handoff-check>\ngoal:${' '.repeat(200_000)}x\n</handoff-check>`, wanted),
    ).not.toEqual([])
  })
})
