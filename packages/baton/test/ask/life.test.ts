import type { AskOption } from '@batonpass/contract/ask'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AskOutcome } from '../../src/ask/ask-outcome.ts'
import type { Asks } from '../../src/ask/asks.ts'
import { settled } from '../world/time.ts'
import { askWorld, listChannel, sampleQuestion } from './sample.ts'

type Doing =
  | { do: 'ask' | 'leave' | 'answer-other'; which: number }
  | { do: 'answer'; which: number; option: AskOption; twice: boolean }
  | { do: 'wait'; ms: number }
  | { do: 'restart' }

const which = fc.integer({ min: 0, max: 2 })
const doing: fc.Arbitrary<Doing> = fc.oneof(
  fc.record({ do: fc.constantFrom('ask' as const, 'leave' as const, 'answer-other' as const), which }),
  fc.record({
    do: fc.constant('answer' as const),
    which,
    option: fc.constantFrom<AskOption>('allow-once', 'allow-session', 'deny', 'deny-with-reason', 'yes'),
    twice: fc.boolean(),
  }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 1999, 2000, 29_000, 60_000) }),
  fc.constant({ do: 'restart' as const }),
)

describe('many questions, answers, waits and restarts in any order', () => {
  it('leave each ask settled at most once, each waiter told what the store holds, and no timer behind', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(doing, { maxLength: 25 }), async steps => {
        await using world = await askWorld()
        let asks: Asks = await world.begin([listChannel('telegram')])
        let hooks: { which: number; leave: AbortController }[] = []
        const outcomes: AskOutcome[] = []
        const idOf = (which: number) => asks.open().find(ask => ask.detail === `command ${which}`)?.id
        for (const step of steps) {
          if (step.do === 'ask') {
            const leave = new AbortController()
            hooks.push({ which: step.which, leave })
            const question = sampleQuestion(`command ${step.which}`)
            void asks.ask(question, { signal: leave.signal, withinMs: 60_000 }).then(o => outcomes.push(o))
          } else if (step.do === 'leave') {
            for (const hook of hooks.filter(hook => hook.which === step.which)) hook.leave.abort()
          } else if (step.do === 'answer') {
            const given = { option: step.option, by: { channel: 'x', who: 'y' } }
            const id = idOf(step.which) ?? 'ask_nosuchnosuchnosuch00'
            const both = await Promise.all([
              asks.answer(id, given),
              ...(step.twice ? [asks.answer(id, given)] : []),
            ])
            expect(both.filter(answered => answered.verdict === 'taken').length).toBeLessThanOrEqual(1)
          } else if (step.do === 'answer-other') {
            const fingerprint = sampleQuestion('something else').fingerprint
            const given = { option: 'allow-once', by: { channel: 'x', who: 'y' }, fingerprint } as const
            const answered = await asks.answer(idOf(step.which) ?? 'ask_nosuchnosuchnosuch00', given)
            expect(answered.verdict).not.toBe('taken')
          } else if (step.do === 'wait') await world.time.advance(step.ms)
          else {
            await asks.stop()
            for (const hook of hooks) hook.leave.abort()
            hooks = []
            asks = await world.begin([listChannel('telegram')])
          }
          await settled()
        }
        await world.time.advance(120_000)

        expect(asks.open()).toEqual([])
        expect(world.time.waiting()).toBe(0)
        expect(world.faults).toEqual([])
        const kept = await world.store.asks.recent(1000)
        for (const ask of kept) {
          const entries = world.entries.flatMap(({ body }) =>
            body.kind === 'ask' && body.ask === ask.id ? [body] : [],
          )
          expect(entries.map(entry => entry.what)).toEqual(['opened', ask.state])
          expect(entries[1]?.answer).toEqual(ask.answer)
        }
        for (const outcome of outcomes)
          if (outcome.result === 'answered')
            expect(kept.find(ask => ask.id === outcome.ask.id)?.answer?.option).toBe(outcome.option)
      }),
      { numRuns: 60 },
    )
  })
})
