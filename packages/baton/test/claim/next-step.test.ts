import { type ClaimFile, ClaimPhase } from '@batonpass/contract/claim'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { confirmed, nextStep, opened, polled, type Situation, synced } from '../../src/claim/next-step.ts'
import { claimFile } from './sample.ts'

/** Which phase may follow which by Baton's own doing; people and agents may write any. */
const FOLLOWS: Readonly<Record<ClaimPhase, readonly ClaimPhase[]>> = {
  coding: [],
  ready_for_pr: ['pr_created'],
  pr_created: ['pr_created', 'checks_running', 'done'],
  checks_running: ['checks_running', 'done'],
  done: ['done'],
}

const at = (more: Partial<Situation> = {}): Situation => ({
  now: Date.parse('2026-01-01T12:00:00Z'),
  pollMs: 120_000,
  nudged: false,
  merged: false,
  closing: 'not-asked',
  resting: true,
  ...more,
})

const anyFile = fc.record({
  phase: fc.constantFrom(...ClaimPhase.options),
  summary: fc.constantFrom('', ' ', 'Fix the race'),
  branch: fc.constantFrom('', 'issue-42'),
  status: fc.constantFrom('', 'In Progress', 'In Review', 'Done', 'Blocked'),
  pr_number: fc.constantFrom(null, 107),
  last_check_poll: fc.constantFrom(null, 'yesterday', '2026-01-01T11:59:00Z', '2026-01-01T11:00:00Z'),
  last_synced_status: fc.constantFrom(null, 'In Progress', 'In Review', 'Done'),
})
const anySituation = fc.record({
  nudged: fc.boolean(),
  merged: fc.boolean(),
  closing: fc.constantFrom('not-asked' as const, 'asked' as const, 'yes' as const, 'no' as const),
  resting: fc.boolean(),
})

describe('the next step of a claim', () => {
  test.each<[string, Partial<ClaimFile>, Partial<Situation>, string]>([
    ['coding with an unchanged status costs nothing', {}, {}, 'wait'],
    ['a status that somebody changed goes to the board', { status: 'Blocked' }, {}, 'sync'],
    ['ready: the pull request', { phase: 'ready_for_pr', summary: 'Fix' }, {}, 'open'],
    ['ready, but the turn goes on', { phase: 'ready_for_pr', summary: 'Fix' }, { resting: false }, 'wait'],
    ['ready without a summary', { phase: 'ready_for_pr' }, {}, 'refuse'],
    ['ready without a branch', { phase: 'ready_for_pr', summary: 'Fix', branch: ' ' }, {}, 'refuse'],
    ['a fresh pull request is looked at', review({ phase: 'pr_created' }), {}, 'poll'],
    ['not again within two minutes', review({ last_check_poll: '2026-01-01T11:59:00Z' }), {}, 'wait'],
    ['again after two minutes', review({ last_check_poll: '2026-01-01T11:58:00Z' }), {}, 'poll'],
    [
      'at once when a webhook says so',
      review({ last_check_poll: '2026-01-01T11:59:59Z' }),
      { nudged: true },
      'poll',
    ],
    ['a time that cannot be read forces a look', review({ last_check_poll: 'soon' }), {}, 'poll'],
    ['merged: the person is asked', review({}), { merged: true }, 'ask'],
    ['asked once only', review({}), { merged: true, closing: 'asked' }, 'wait'],
    ['a no is a no', review({}), { merged: true, closing: 'no' }, 'wait'],
    ['done and agreed', review({ phase: 'done' }), { merged: true, closing: 'yes' }, 'close'],
    ['done, but nobody agreed', review({ phase: 'done' }), { merged: true }, 'ask'],
    ['done, but not known to be merged', review({ phase: 'done' }), { closing: 'yes' }, 'poll'],
    [
      'the phase was set by hand, the number was not',
      { phase: 'checks_running', summary: 'Fix' },
      {},
      'open',
    ],
  ])('%s', (_, file, situation, step) => {
    expect(nextStep(claimFile(file), at(situation)).do).toBe(step)
  })

  test('nothing is ever closed without a yes, nor before the merge', () => {
    fc.assert(
      fc.property(anyFile, anySituation, (file, situation) => {
        const step = nextStep(claimFile(file), at(situation))
        if (step.do !== 'close') return
        expect(situation.closing).toBe('yes')
        expect(situation.merged || file.pr_number === null).toBe(true)
        expect(file.phase).toBe('done')
      }),
    )
  })

  test('a turn that continues starts nothing that writes to the forge, except to the board', () => {
    fc.assert(
      fc.property(anyFile, anySituation, (file, situation) => {
        const step = nextStep(claimFile(file), at({ ...situation, resting: false }))
        expect(['wait', 'sync', 'poll', 'ask']).toContain(step.do)
      }),
    )
  })

  test('Baton’s own changes only move along the five phases, and keep what they do not know', () => {
    const change = fc.constantFrom(
      (file: ClaimFile) => opened(file, 107),
      (file: ClaimFile) => polled(file, 0, true),
      (file: ClaimFile) => polled(file, 0, false),
      (file: ClaimFile) => synced(file, 'x'),
    )
    fc.assert(
      fc.property(anyFile, change, (parts, apply) => {
        const before = { ...claimFile(parts), extra: 'kept' }
        const after = apply(before)
        expect([before.phase, ...FOLLOWS[before.phase]]).toContain(after.phase)
        expect(after.extra).toBe('kept')
        expect(after.issue_number).toBe(before.issue_number)
      }),
    )
    expect(confirmed(claimFile({ phase: 'checks_running' })).phase).toBe('done')
  })
})

function review(more: Partial<ClaimFile>): Partial<ClaimFile> {
  return {
    phase: 'checks_running',
    pr_number: 107,
    status: 'In Review',
    last_synced_status: 'In Review',
    ...more,
  }
}
