import { Config } from '@batonpass/contract/config'
import { AgentEvent } from '@batonpass/contract/event'
import { Session } from '@batonpass/contract/session'
import { expect, test } from 'vitest'
import type { Cycles } from '../../../src/handoff/cycle/cycles.ts'
import { cycleReactor } from '../../../src/handoff/cycle/reactor.ts'
import { sessionId } from '../../../src/session/id.ts'

const ASKED_AT = '2026-01-22T14:30:00.000Z'
const session = sessionId('claude-code', 's1')

/** How a stop is answered in a session that was asked for its document, and which events the cycle gets. */
async function stop(at: string) {
  const events: unknown[] = []
  const cycle = { id: 'cyc_1', session, step: 'writing', taken: false, percent: 87, changedAt: ASKED_AT }
  const cycles = {
    start: async () => {},
    findCycle: () => cycle,
    applyEvent: async (_: string, event: unknown) => events.push(event),
    startAtStop: async () => false,
  }
  const documents = {
    request: async () => 'handoff-2026-01-22-14-30.md',
    ready: async () => {},
    deliverLate: async () => ({}),
  }
  const reactor = cycleReactor(cycles as unknown as Cycles, documents)
  const about = { agent: 'claude-code', session, nativeSession: 's1' }
  const event = AgentEvent.parse({
    ...about,
    id: 'evt_00000000000000000001',
    at,
    type: 'TurnEnded',
    continued: false,
  })
  const known = Session.parse({
    ...about,
    id: session,
    startedAt: ASKED_AT,
    lastSeenAt: ASKED_AT,
    lastEvent: 'TurnEnded',
    events: 1,
  })
  const context = { session: known, project: '/p', config: Config.parse({}), now: Date.parse(at) }
  return { answer: await reactor.react(event, context), events }
}

test('the stop that was answered with the request arrives again: it gets the same answer, and nothing has started', async () => {
  const { answer, events } = await stop(ASKED_AT)
  expect(answer).toMatchObject({
    now: { continuation: { rank: 'cycle', prompt: expect.stringContaining('handoff-2026-01-22') } },
  })
  expect(events).toEqual([])
})

test('a later stop shows that the agent had the prompt', async () => {
  const { answer, events } = await stop('2026-01-22T14:30:05.000Z')
  expect(answer).toBeUndefined()
  expect(events).toEqual([{ type: 'begun' }])
})
