import { Cycle } from '@batonpass/contract/cycle'
import { EventId } from '@batonpass/contract/ids'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CycleEvent } from '../../../src/handoff/cycle/events.ts'
import { advance, hasEnded } from '../../../src/handoff/cycle/machine.ts'
import { sessionId } from '../../world/journal.ts'

const LIMITS = { documentMs: 300_000, answerMs: 300_000 }
const fresh = Cycle.parse({
  id: 'cyc_00000000000000000001',
  version: 0,
  session: sessionId(1),
  nativeSession: 'native-1',
  agent: 'claude-code',
  project: '/project',
  place: '%1 /tmp/tmux',
  reason: 'context',
  percent: 87,
  step: 'due',
  startedAt: '2026-01-01T00:00:00.000Z',
  changedAt: '2026-01-01T00:00:00.000Z',
})
const typed = fc.constantFrom('taken' as const, 'not-taken' as const, 'busy' as const, 'gone' as const)
const by = EventId.parse('evt_00000000000000000001')
const anyEvent: fc.Arbitrary<CycleEvent> = fc.oneof(
  fc
    .constantFrom('stop' as const, 'idle' as const, 'force' as const)
    .map(how => ({ type: 'moment' as const, by: how })),
  typed.map(outcome => ({ type: 'typed' as const, outcome })),
  typed.map(outcome => ({ type: 'cleared' as const, outcome })),
  fc.constantFrom<CycleEvent>(
    { type: 'begun' },
    { type: 'interfered' },
    { type: 'written', document: 'a.md', writtenBy: 'agent', essentials: { goal: 'g' } },
    { type: 'unwritten', why: 'disk full' },
    { type: 'successor', session: sessionId(2), nativeSession: 'native-2' },
    { type: 'answered', wrong: [], by },
    { type: 'answered', wrong: ['the goal'], by },
    { type: 'lost', why: 'gone' },
    { type: 'decided', yes: true },
    { type: 'decided', yes: false },
    { type: 'restart' },
    { type: 'restart', cut: true },
    { type: 'replaced', session: sessionId(3), nativeSession: 'native-3' },
    { type: 'replaced', session: sessionId(4), nativeSession: 'native-4' },
  ),
  fc.constantFrom(1000, 5000, 20_000, 400_000).map(ms => ({ type: 'time' as const, ms })),
)
const course = fc.array(anyEvent, { maxLength: 40 })

function follow(events: readonly CycleEvent[], from = fresh) {
  let cycle = from
  const steps = [
    {
      cycle,
      effects: [] as ReturnType<typeof advance>['effects'],
      event: undefined as CycleEvent | undefined,
    },
  ]
  for (const event of events) {
    const { cycle: next, effects } = advance(cycle, event, LIMITS)
    steps.push({ cycle: next, effects, event })
    cycle = next
  }
  return steps
}

/** Outcomes of actions that have no effect. */
const SWALLOWED: Partial<Record<string, CycleEvent[]>> = {
  clear: [{ type: 'cleared', outcome: 'not-taken' }],
  'write-document': [{ type: 'unwritten', why: 'x' }],
  resume: [{ type: 'typed', outcome: 'not-taken' }],
  'ask-document': [{ type: 'typed', outcome: 'not-taken' }],
}

describe('the machine of a cycle', () => {
  it('sends everything to a session that replaces a lost one, and remembers all lost successors', () => {
    fc.assert(
      fc.property(course, events => {
        let before = fresh
        for (const { cycle, effects, event } of follow(events).slice(1)) {
          if (event?.type === 'replaced' && !hasEnded(before)) {
            expect(cycle.successor?.session).toBe(event.session)
            const earlier = before.successor?.session
            if (earlier && earlier !== event.session) expect(cycle.lostSuccessors).toContain(earlier)
            if (earlier !== event.session && cycle.step !== 'person')
              expect(effects.map(effect => effect.do)).toContain(
                cycle.step === 'writing' ? 'write-document' : 'resume',
              )
            // Not a session that has not been asked yet.
            expect(['writing', 'resuming', 'person', before.step]).toContain(cycle.step)
          }
          if (event?.type === 'restart' && event.cut && before.step === 'verifying')
            expect(cycle.step).toBe('resuming')
          before = cycle
        }
      }),
    )
  })

  it('stays a valid cycle after every event, and increments its version whenever there is an effect', () => {
    fc.assert(
      fc.property(course, events => {
        let before = fresh
        for (const { cycle, effects } of follow(events).slice(1)) {
          Cycle.parse(cycle)
          expect(cycle.version - before.version).toBeLessThanOrEqual(1)
          if (effects.length > 0) expect(cycle.version).toBe(before.version + 1)
          if (cycle.step !== before.step) expect(cycle.version).toBe(before.version + 1)
          before = cycle
        }
      }),
    )
  })

  it('clears nothing before a document exists, and resumes nothing before a new session has started', () => {
    fc.assert(
      fc.property(course, events => {
        for (const { cycle, effects } of follow(events)) {
          if (effects.some(effect => effect.do === 'clear')) expect(cycle.document).toBeDefined()
          if (effects.some(effect => effect.do === 'resume')) expect(cycle.successor).toBeDefined()
          if (cycle.step === 'done' || cycle.step === 'continuing') expect(cycle.successor).toBeDefined()
        }
      }),
    )
  })

  it('sends the first prompt of an agent that starts with a prompt only after the clear, and only once', () => {
    const late: Cycle = { ...fresh, startsWithPrompt: true }
    fc.assert(
      fc.property(course, events => {
        let before = late
        for (const { cycle, effects, event } of follow(events, late)) {
          if (effects.some(effect => effect.do === 'clear')) expect(cycle.document).toBeDefined()
          if (effects.some(effect => effect.do === 'resume'))
            expect(cycle.successor !== undefined || (cycle.step === 'clearing' && cycle.taken)).toBe(true)
          if (before.step === 'clearing' && event?.type === 'successor')
            expect(effects).not.toContainEqual({ do: 'resume' })
          if (cycle.step === 'done' || cycle.step === 'continuing') expect(cycle.successor).toBeDefined()
          before = cycle
        }
      }),
    )
  })

  it('does not call a cycle verified whose document came from neither the agent nor a transcript', () => {
    const known = { goal: 'Add tokens', branch: 'main' }
    const verifying: Cycle = {
      ...fresh,
      step: 'verifying',
      document: 'h.md',
      successor: { session: fresh.session, nativeSession: 'next' },
    }
    const journaled = (essentials: Cycle['essentials']) =>
      advance(
        { ...verifying, essentials },
        { type: 'answered', wrong: [], by: EventId.parse('evt_00000000000000000001') },
        {
          documentMs: 1,
          answerMs: 1,
        },
      ).effects.flatMap(effect => (effect.do === 'journal' ? [effect.what] : []))
    expect(journaled(known)).toEqual(['verified'])
    expect(journaled({ ...known, unproven: true })).toEqual(['unproven'])
  })

  it('lets a session continue only after a correct answer, or if a person allows it', () => {
    fc.assert(
      fc.property(course, events => {
        for (const { effects, event } of follow(events)) {
          if (!effects.some(effect => effect.do === 'continue')) continue
          const right = event?.type === 'answered' && event.wrong.length === 0
          const said = event?.type === 'decided' && event.yes
          // Time only repeats an earlier prompt.
          expect(right || said || event?.type === 'time').toBe(true)
        }
      }),
    )
  })

  it('carries the work over whenever a new session takes it, and never leaves its final step', () => {
    fc.assert(
      fc.property(course, events => {
        let ended: Cycle | undefined
        for (const { cycle, effects } of follow(events)) {
          if (ended) expect({ cycle, effects }).toEqual({ cycle: ended, effects: [] })
          if (effects.some(effect => effect.do === 'resume')) expect(cycle.successor).toBeDefined()
          if (hasEnded(cycle)) ended = cycle
        }
      }),
    )
  })

  it('reaches a person or an end by time alone, unless it waits for a good moment', () => {
    fc.assert(
      fc.property(course, events => {
        let cycle = follow(events).at(-1)?.cycle ?? fresh
        // Nothing answers: everything that is typed is ignored.
        for (let n = 0; n < 400 && !hasEnded(cycle); n++) {
          const todo: CycleEvent[] = [{ type: 'time', ms: 15_000 }]
          for (let event = todo.shift(); event; event = todo.shift()) {
            const change = advance(cycle, event, LIMITS)
            cycle = change.cycle
            todo.push(...change.effects.flatMap(({ do: what }): CycleEvent[] => SWALLOWED[what] ?? []))
          }
        }
        expect(['due', 'person', 'done', 'failed', 'cancelled']).toContain(cycle.step)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a session that no longer answers', () => {
  const hung = Cycle.parse({ ...fresh, reason: 'hung' })

  it.each(['stop', 'idle', 'force'] as const)('is not asked for its document (%s)', by => {
    const { cycle, effects } = advance(hung, { type: 'moment', by }, LIMITS)
    expect(cycle.step).toBe('writing')
    expect(effects).toEqual([{ do: 'write-document' }])
  })

  it('is not asked after a restart or a timeout either', () => {
    const { cycle } = advance(hung, { type: 'moment', by: 'force' }, LIMITS)
    const { cycle: resumed } = advance(cycle, { type: 'restart' }, LIMITS)
    expect(advance(resumed, { type: 'time', ms: 5000 }, LIMITS).effects).toEqual([{ do: 'write-document' }])
    const late = advance(cycle, { type: 'time', ms: 400_000 }, LIMITS).effects
    expect(late).toContainEqual({ do: 'write-document' })
    expect(late).not.toContainEqual(expect.objectContaining({ do: 'ask-document' }))
  })
})
