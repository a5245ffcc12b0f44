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
  const heard: unknown[] = []
  const cycle = { id: 'cyc_1', session, step: 'writing', taken: false, percent: 87, changedAt: ASKED_AT }
  const cycles = {
    start: async () => {},
    of: () => cycle,
    happen: async (_: string, event: unknown) => heard.push(event),
    atStop: async () => false,
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
  return { said: await reactor.react(event, context), heard }
}

test('the stop that was answered with the request arrives again: it gets the same answer, and nothing has started', async () => {
  const { said, heard } = await stop(ASKED_AT)
  expect(said).toMatchObject({
    now: { continuation: { rank: 'cycle', prompt: expect.stringContaining('handoff-2026-01-22') } },
  })
  expect(heard).toEqual([])
})

test('a later stop shows that the agent had the prompt', async () => {
  const { said, heard } = await stop('2026-01-22T14:30:05.000Z')
  expect(said).toBeUndefined()
  expect(heard).toEqual([{ type: 'begun' }])
})
