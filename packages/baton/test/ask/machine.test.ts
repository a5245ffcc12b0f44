import { AskOption, AskState, WithdrawnWhy } from '@batonpass/contract/ask'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AskEvent, step } from '../../src/ask/machine.ts'
import { sampleAsk } from './sample.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const OTHER = 'f'.repeat(64)
const at = fc.integer({ min: -5000, max: 120_000 }).map(ms => new Date(START + ms).toISOString())
const fingerprint = fc.constantFrom(sampleAsk().fingerprint, OTHER)
const by = { channel: fc.constantFrom('terminal', 'telegram', 'api'), who: fc.string({ maxLength: 20 }) }
const event: fc.Arbitrary<AskEvent> = fc.oneof(
  fc.record({
    type: fc.constant('answer' as const),
    fingerprint,
    answer: fc.record(
      {
        option: fc.constantFrom(...AskOption.options),
        reason: fc.constantFrom('', ' ', 'no'),
        by: fc.record(by),
        at,
      },
      { requiredKeys: ['option', 'by', 'at'] },
    ),
  }),
  fc.record({ type: fc.constant('time' as const), at }),
  fc.record({ type: fc.constant('withdraw' as const), why: fc.constantFrom(...WithdrawnWhy.options), at }),
)

function play(events: readonly AskEvent[]) {
  const steps = []
  let ask = sampleAsk()
  for (const one of events) {
    const before = ask
    const taken = step(ask, one)
    ask = taken.ask
    steps.push({ before, event: one, ...taken })
  }
  return { ask, steps }
}

describe('an ask', () => {
  it('is settled at most once, whatever happens in whatever order', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), events => {
        const { steps } = play(events)
        const changes = steps.filter(s => s.ask.state !== s.before.state)
        expect(changes.length).toBeLessThanOrEqual(1)
        expect(steps.filter(s => s.effects.length > 0)).toEqual(changes)
        for (const s of steps.slice(steps.indexOf(changes[0] as never) + 1)) {
          if (changes.length > 0)
            expect(s).toMatchObject({ verdict: 'closed', effects: [], ask: changes[0]?.ask })
        }
      }),
    )
  })

  it('takes the first answer that fits, and tells every later one that it is closed', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), events => {
        const { ask, steps } = play(events)
        const taken = steps.filter(s => s.event.type === 'answer' && s.verdict === 'taken')
        expect(taken.length).toBe(ask.state === 'answered' ? 1 : 0)
        expect(ask.answer).toEqual(taken[0]?.event.type === 'answer' ? taken[0].event.answer : undefined)
      }),
    )
  })

  it('never takes an answer for something else, one not offered, one after its time, or a missing reason', () => {
    fc.assert(
      fc.property(event, event => {
        const { ask, verdict } = step(sampleAsk(), event)
        if (event.type !== 'answer' || verdict !== 'taken') return
        expect(event.fingerprint).toBe(ask.fingerprint)
        expect(ask.options).toContain(event.answer.option)
        expect(Date.parse(event.answer.at)).toBeLessThan(Date.parse(ask.expiresAt))
        if (event.answer.option === 'deny-with-reason') expect(event.answer.reason?.trim()).toBeTruthy()
      }),
    )
  })

  it('is kept before anybody is told', () => {
    fc.assert(
      fc.property(event, event => {
        const { effects } = step(sampleAsk(), event)
        expect(effects.map(effect => effect.do)).toEqual(
          effects.length > 0 ? ['keep', 'release', 'tell'] : [],
        )
      }),
    )
  })

  it('allows for the session only when that was the answer', () => {
    fc.assert(
      fc.property(event, event => {
        const { ask, effects } = step(sampleAsk(), event)
        const [keep] = effects
        const allowed = keep?.do === 'keep' ? keep.allowed : undefined
        expect(allowed !== undefined).toBe(
          /^allow-(session|project|everywhere)$/.test(ask.answer?.option ?? ''),
        )
      }),
    )
  })

  it('does nothing in any settled state', () => {
    fc.assert(
      fc.property(fc.constantFrom(...AskState.options.filter(s => s !== 'open')), event, (state, event) => {
        const ask = sampleAsk({ state })
        expect(step(ask, event)).toEqual({ ask, verdict: 'closed', effects: [] })
      }),
    )
  })

  it('times out when an answer arrives too late, even before its timer rang', () => {
    const answer = {
      option: 'allow-once',
      by: { channel: 'telegram', who: 'Ann' },
      at: '2026-01-01T00:01:00.000Z',
    } as const
    const { ask, verdict } = step(sampleAsk(), {
      type: 'answer',
      answer,
      fingerprint: sampleAsk().fingerprint,
    })
    expect({ state: ask.state, verdict, answer: ask.answer }).toEqual({
      state: 'timed-out',
      verdict: 'expired',
      answer: undefined,
    })
  })

  it('does not time out before its time', () => {
    expect(step(sampleAsk(), { type: 'time', at: '2026-01-01T00:00:59.999Z' }).verdict).toBe('early')
  })
})
