import { HandoffDocument } from '@batonpass/contract/handoff'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Evidence } from '../../src/handoff/evidence.ts'
import { handoffFromEvidence } from '../../src/handoff/from-evidence.ts'

const evidence = (instructions: string[]): Evidence => ({
  root: '/p',
  names: ['p'],
  agent: 'claude-code',
  session: 'n',
  git: undefined,
  commits: [],
  transcript: {
    session: 'n',
    cwd: '/p',
    startedAt: 0,
    lastAt: 0,
    messages: 2,
    instructions,
    commands: [],
    outcomes: new Map(),
    written: [],
    todos: [],
    test: undefined,
    pullRequest: undefined,
    lastReply: undefined,
  },
  contextTokens: undefined,
  issue: undefined,
  pr: undefined,
  stage: undefined,
  present: new Map(),
})
const next = (said: string[], before?: HandoffDocument) =>
  handoffFromEvidence(evidence(said), { now: 0, before })

it('A goal survives a chain of sessions without further instructions', () => {
  let document = next(['Add refresh tokens', 'never log a token'])
  for (let session = 0; session < 10; session++) document = next([], document)
  expect(document).toMatchObject({ goal: 'Add refresh tokens', constraints: ['never log a token'] })
})

it('After any number of sessions the goal is kept, the last instructions are there, none is repeated, and the document stays small', () => {
  const said = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 6 })
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 30 }), sessions => {
      let document = next(['the goal itself'])
      for (const words of sessions) {
        document = next(words, document)
        const last = words.at(-1)
        if (last !== undefined) expect(document.constraints).toContain(last)
      }
      expect(document.goal).toBe('the goal itself')
      expect(document.constraints.length).toBeLessThanOrEqual(20)
      expect(new Set(document.constraints).size).toBe(document.constraints.length)
    }),
  )
})

it('A repeated instruction counts at its last position, so that it is not dropped among many old ones', () => {
  const wishes = Array.from({ length: 25 }, (_, n) => `wish ${n}`)
  const document = next(['wish 10'], next(['the goal', ...wishes]))
  expect(document.constraints.at(-1)).toBe('wish 10')
})

it('A document without a goal does not hide what the person asks for now', () => {
  const unknown = HandoffDocument.parse({ facts: {}, goal: '' })
  expect(next(['Fix the race', 'quickly'], unknown)).toMatchObject({
    goal: 'Fix the race',
    constraints: ['quickly'],
  })
})
