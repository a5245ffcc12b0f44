import { HandoffDocument, type HandoffLedger } from '@batonpass/contract/handoff'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Evidence } from '../../src/handoff/evidence.ts'
import { handoffFromEvidence } from '../../src/handoff/from-evidence.ts'
import { ledgerOfDocument, updateLedger } from '../../src/handoff/ledger.ts'

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
/** The ledger after a session in which the user said this. */
const next = (said: string[], before?: HandoffLedger) => updateLedger(before, evidence(said), undefined)

it('A goal survives a chain of sessions without further instructions', () => {
  let ledger = next(['Add refresh tokens', 'never log a token'])
  for (let session = 0; session < 10; session++) ledger = next([], ledger)
  expect(ledger).toMatchObject({ goal: 'Add refresh tokens', instructions: ['never log a token'] })
  expect(handoffFromEvidence(evidence([]), { now: 0 }, ledger)).toMatchObject({
    goal: 'Add refresh tokens',
    constraints: ['never log a token'],
  })
})

it('After any number of sessions the goal and every instruction are kept, and none is repeated', () => {
  const said = fc.array(fc.stringMatching(/^q[a-z]{4,8}x$/), { maxLength: 6 })
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 30 }), sessions => {
      let ledger = next(['the goal itself'])
      for (const words of sessions) ledger = next(words, ledger)
      expect(ledger.goal).toBe('the goal itself')
      expect(new Set(ledger.instructions)).toEqual(new Set(sessions.flat()))
      expect(ledger.instructions).toHaveLength(new Set(sessions.flat()).size)
    }),
  )
})

it('A repeated instruction counts at its last position', () => {
  const wishes = Array.from({ length: 25 }, (_, n) => `wish ${'x'.repeat(n)}`)
  expect(next(['wish xxxx'], next(['the goal', ...wishes])).instructions.at(-1)).toBe('wish xxxx')
})

it('A document without a goal does not hide what the person asks for now', () => {
  const unknown = ledgerOfDocument(HandoffDocument.parse({ facts: {}, goal: '' }))
  expect(next(['Fix the race', 'quickly'], unknown)).toMatchObject({
    goal: 'Fix the race',
    instructions: ['quickly'],
  })
})
