import { HandoffDocument, HandoffLedger } from '@batonpass/contract/handoff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { handoffContext } from '../../../src/handoff/context-form.ts'
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
    expect(essentialsOf(document)).toMatchObject({
      goal: 'Add refresh tokens',
      branch: 'main',
      next: 'Write it',
      facts: [{ part: 'goal' }, { part: 'next', text: 'Write it' }],
    })
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

describe('facts with ids', () => {
  const document = HandoffDocument.parse({
    goal: 'Tokens for the login',
    nextSteps: ['Write the endpoint that renews a token'],
    facts: { branch: 'main' },
  })
  const ledger = HandoffLedger.parse({
    goal: 'Please add refresh tokens to our login service',
    instructions: ['Never change the database schema', `Use port 8080. ${'It is a long story. '.repeat(80)}`],
    replaced: ['Use port 3000'],
    todos: ['Document the endpoint', 'Ask Ann about the limits'],
  })
  const essentials = essentialsOf(document, ledger)
  const context = handoffContext(document, { ledger, longest: 2500 })
  const idOf = (text: string) => new RegExp(`${text}.*?\\[([0-9a-f]{8})\\]`).exec(context)?.[1] ?? ''
  const answer = (changes: Record<string, string> = {}) => {
    const lines = {
      goal: `a login that can be refreshed [${idOf('login service')}]`,
      branch: 'main',
      next: `the renewal endpoint [${idOf('renews a token')}]`,
      instructions: `[${idOf('Never change')}], [${idOf('Use port 8080')}]`,
      todos: `${idOf('Document the endpoint')} ${idOf('Ask Ann')}`,
      ...changes,
    }
    return `<handoff-check>\n${Object.entries(lines)
      .map(([name, text]) => `${name}: ${text}`)
      .join('\n')}\n</handoff-check>`
  }

  it('are shown in the context, even of a fact that is too long for it', () => {
    expect(context.length).toBeLessThanOrEqual(2500)
    const shown = new Set(context.match(/(?<=\[)[0-9a-f]{8}(?=\])/g))
    expect(shown).toEqual(new Set(essentials.facts?.map(({ id }) => id)))
    expect(context).not.toContain('Use port 3000')
  })

  it.each([
    ['in other words, by their ids', answer()],
    [
      'copied, without ids',
      answer({ instructions: ledger.instructions.join('; '), todos: ledger.todos.join('; ') }),
    ],
    [
      'as lists',
      answer({
        instructions: `\n- [${idOf('Never change')}] no schema changes\n- [${idOf('Use port 8080')}] port 8080`,
      }),
    ],
  ])('are known %s', (_, text) => {
    expect(findWrongEssentials(text, essentials)).toEqual([])
  })

  it.each([
    [
      'an instruction left out',
      answer({ instructions: `[${idOf('Use port 8080')}]` }),
      /leaves out the instruction \[[0-9a-f]{8}\] "Never change the database schema"/,
    ],
    [
      'todos left out',
      answer({ todos: 'none' }),
      /leaves out the open todo .*Document.*; it leaves out the open todo .*Ann/,
    ],
    ['the id of another fact as the goal', answer({ goal: `[${idOf('Ask Ann')}]` }), /the goal is/],
    [
      'every id as the goal',
      answer({ goal: essentials.facts?.map(({ id }) => id).join(' ') ?? '' }),
      /the goal is/,
    ],
    ['a replaced instruction', answer({ instructions: 'Use port 3000' }), /leaves out the instruction/],
  ])('are not known with %s', (_, text, why) => {
    expect(findWrongEssentials(text, essentials).join('; ')).toMatch(why)
  })

  it('keep the goal of the user if the document says only that the work continues', () => {
    const vague = essentialsOf(HandoffDocument.parse({ ...document, goal: 'Continue' }), ledger)
    expect(findWrongEssentials(answer({ goal: 'Continue' }), vague)).toEqual([
      'it says the goal is "Continue"; the user wants "Please add refresh tokens to our login service"',
    ])
    expect(findWrongEssentials(answer({ goal: ledger.goal }), vague)).toEqual([])
  })
})
