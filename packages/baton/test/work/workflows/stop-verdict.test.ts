import { EndKind } from '@batonpass/contract/workflow'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Course } from '../../../src/work/workflows/progress.ts'
import { decideStop, type StopFacts } from '../../../src/work/workflows/stop-verdict.ts'

const facts = (
  rest: Partial<StopFacts> & { word?: string; count?: number; stuck?: number } = {},
): StopFacts => {
  const { word = 'initial', count = 0, stuck = 0, ...given } = rest
  const state = { workflow: 'issue-to-impl', state: word, continuation_count: count }
  return {
    enabled: true,
    max: 10,
    state: { kind: 'state', state, text: JSON.stringify(state) },
    ended: undefined,
    outcome: 'completed',
    refused: undefined,
    overBudget: undefined,
    delivered: undefined,
    judged: { progress: stuck === 0, why: 'nothing changed', course: Course.parse({ stuck }) },
    ...given,
  }
}

it.each<[string, Partial<StopFacts> & { word?: string; count?: number; stuck?: number }, string]>([
  ['continues', {}, 'continue 1'],
  ['continues up to the last one', { count: 9 }, 'continue 10'],
  ['is left alone when disabled', { enabled: false }, 'aside'],
  ['disabled comes before everything', { enabled: false, word: 'done', count: 99 }, 'aside'],
  ['is left alone when a person interrupted', { outcome: 'aborted' }, 'aside'],
  ['ends when done', { word: 'done' }, 'complete'],
  ['a done one is announced once', { word: 'done', ended: 'complete' }, 'aside'],
  ['done comes before the cap', { word: 'done', count: 10 }, 'complete'],
  ['ends at the cap', { count: 10 }, 'capped'],
  ['ends beyond the cap', { count: 11 }, 'capped'],
  ['a cap is announced once', { count: 10, ended: 'capped', word: 'capped' }, 'aside'],
  ['a lower count lifts the cap', { count: 3, ended: 'capped', word: 'capped' }, 'continue 4'],
  ['max 0 never continues', { max: 0 }, 'capped'],
  ['ends when delivered', { delivered: 'pull request #5 is open' }, 'complete'],
  ['delivered comes before the cap', { delivered: 'x', count: 10 }, 'complete'],
  ['ends over budget', { overBudget: '5 of 5 tokens' }, 'over-budget'],
  ['a refusing service ends it', { refused: 'Credit balance is too low' }, 'failed'],
  ['an error ends it', { outcome: 'error' }, 'failed'],
  ['one stop without progress is forgiven', { stuck: 1 }, 'continue 1'],
  ['the second names what is stuck', { stuck: 2 }, 'continue 1 stuck'],
  ['the third gives up', { stuck: 3 }, 'stalled'],
  ['a deleted file stops it', { state: { kind: 'absent' } }, 'blocked'],
  ['an unreadable file stops it', { state: { kind: 'unreadable', why: 'garbled' } }, 'blocked'],
  ["a person's own word stops it", { word: 'paused' }, 'blocked'],
  ['a handed-off run stops', { word: 'handed-off' }, 'handed-off'],
])('A stop %s', (_, given, expected) => {
  const verdict = decideStop(facts(given))
  const shown =
    verdict.kind === 'continue'
      ? `continue ${verdict.count}${verdict.stuck ? ' stuck' : ''}`
      : verdict.kind === 'end'
        ? verdict.end
        : 'aside'
  expect(shown).toBe(expected)
})

it('For any facts, only an unfinished run below its cap continues, by exactly one', () => {
  const arbitrary = fc.record({
    enabled: fc.boolean(),
    max: fc.nat(30),
    count: fc.nat(40),
    word: fc.constantFrom('initial', 'done', 'capped', 'paused', 'stalled', 'handed-off', ''),
    stuck: fc.nat(5),
    ended: fc.constantFrom(undefined, ...EndKind.options),
    outcome: fc.constantFrom('completed' as const, 'aborted' as const, 'error' as const),
    refused: fc.constantFrom(undefined, 'credit'),
    overBudget: fc.constantFrom(undefined, 'too much'),
    delivered: fc.constantFrom(undefined, 'there'),
  })
  fc.assert(
    fc.property(arbitrary, given => {
      const verdict = decideStop(facts(given))
      if (verdict.kind !== 'continue') return
      expect(verdict.count).toBe(given.count + 1)
      expect(verdict.count).toBeLessThanOrEqual(given.max)
      expect(given.enabled && ['initial', 'capped'].includes(given.word)).toBe(true)
      expect([given.refused, given.overBudget, given.delivered]).toEqual([undefined, undefined, undefined])
      expect(given.stuck).toBeLessThan(3)
    }),
    { numRuns: 2000 },
  )
})
