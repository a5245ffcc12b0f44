import { expect, test } from 'vitest'
import { FleetKeeper, type OpenedFleet } from '../../src/compose/fleet-keeper.ts'
import type { AnswerHandler } from '../../src/ports/channel.ts'

test('answers of other machines arrive also if the fleet was opened before the asks', async () => {
  const started: unknown[] = []
  const asks = { start: async (answering: AnswerHandler) => void started.push(answering) }
  const opened = { fleet: {}, asks, close: async () => {} } as unknown as OpenedFleet
  const answering = {} as AnswerHandler
  const early = new FleetKeeper('/nowhere', async () => opened)
  await early.get()
  await early.answersTo(answering)
  const late = new FleetKeeper('/nowhere', async () => opened)
  await late.answersTo(answering)
  await late.get()
  expect(started).toEqual([answering, answering])
})
