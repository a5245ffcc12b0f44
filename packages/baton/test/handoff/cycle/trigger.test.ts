import { Config } from '@batonpass/contract/config'
import { ContextFigure } from '@batonpass/contract/context'
import { Cycle } from '@batonpass/contract/cycle'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  describeGrowth,
  handoffReason,
  isSettled,
  lineage,
  thresholdRaise,
} from '../../../src/handoff/cycle/trigger.ts'
import { sessionId } from '../../world/journal.ts'

const config = Config.parse({})
const NOW = Date.UTC(2026, 0, 1, 12)
const figure = (percent: number, overflows = false) => ({ percent, overflows })

describe('a session is due', () => {
  it.each([
    [84.9, false, undefined],
    [85, false, 'context'],
    [72, true, 'overflow'],
    [60, true, undefined],
  ] as const)('at %s percent (next turn overflows: %s): %s', (percent, overflows, reason) => {
    expect(handoffReason(figure(percent, overflows), config, 0)).toBe(reason)
  })

  it('not without a measurement, and not if cycles are disabled', () => {
    expect(handoffReason(undefined, config, 0)).toBeUndefined()
    expect(handoffReason({ overflows: true }, config, 0)).toBeUndefined()
    expect(handoffReason(figure(99), Config.parse({ cycle: { enabled: false } }), 0)).toBeUndefined()
  })

  it('later when its threshold is raised, but never past 95 percent, and never earlier', () => {
    expect(handoffReason(figure(89), config, 5)).toBeUndefined()
    expect(handoffReason(figure(90), config, 5)).toBe('context')
    expect(handoffReason(figure(95), config, 50)).toBe('context')
    fc.assert(
      fc.property(fc.nat(100), fc.nat(30), (percent, raised) => {
        if (handoffReason(figure(percent), config, raised))
          expect(handoffReason(figure(percent), config, 0)).toBeDefined()
      }),
    )
  })
})

const handedOff = (from: number, to: number, minutesAgo: number) =>
  Cycle.parse({
    id: `cyc_${String(from).padStart(20, '0')}`,
    version: 7,
    session: sessionId(from),
    nativeSession: `native-${from}`,
    agent: 'claude-code',
    project: '/p',
    place: '%1 /t',
    reason: 'context',
    step: 'done',
    startedAt: new Date(NOW - minutesAgo * 60_000).toISOString(),
    changedAt: new Date(NOW - minutesAgo * 60_000).toISOString(),
    successor: { session: sessionId(to), nativeSession: `native-${to}` },
  })

describe('handoffs that follow each other', () => {
  const cycles = [handedOff(3, 4, 5), handedOff(2, 3, 30), handedOff(1, 2, 90), handedOff(7, 8, 1)]

  it('are counted along the chain of sessions, within an hour', () => {
    expect(lineage(sessionId(4), cycles, NOW).map(({ nativeSession }) => nativeSession)).toEqual([
      'native-3',
      'native-2',
    ])
    expect(lineage(sessionId(5), cycles, NOW)).toEqual([])
    // A circular chain ends.
    expect(lineage(sessionId(1), [handedOff(1, 2, 1), handedOff(2, 1, 1)], NOW)).toHaveLength(2)
  })

  it('raise the threshold of the session after the second', () => {
    expect([0, 1, 2, 3].map(thresholdRaise)).toEqual([0, 0, 5, 10])
  })

  it('have a cause that Baton describes', () => {
    const at = new Date(NOW).toISOString()
    const fast = ContextFigure.parse({
      used: 1,
      size: 200_000,
      perTurn: 40_000,
      growth: [40_000, 60_000],
      zone: 'fine',
      at,
    })
    expect(describeGrowth(fast)).toBe(
      'a turn usually adds 40000 tokens; the largest recent turn added 60000 (30% of the window)',
    )
  })

  it('do not happen twice in the same session, unless the first one ended early', () => {
    expect(isSettled(sessionId(3), cycles)).toBe(true)
    expect(isSettled(sessionId(4), cycles)).toBe(false)
    expect(isSettled(sessionId(3), [{ ...handedOff(3, 4, 5), step: 'cancelled', again: true }])).toBe(false)
  })
})
