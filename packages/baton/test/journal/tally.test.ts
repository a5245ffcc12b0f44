import type { EntryBody } from '@batonpass/contract/journal'
import type { DecisionEntry } from '@batonpass/contract/permission'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sumHours, Tally } from '../../src/journal/tally.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { anEntry, eventId } from '../world/journal.ts'

const NOW = Date.UTC(2026, 5, 1, 12, 30)
const HOUR = 3_600_000

const decision = (of: 'allow' | 'deny' | 'ask', by: DecisionEntry['by']): DecisionEntry => ({
  kind: 'decision',
  event: eventId(1),
  tool: 'Bash',
  subject: 'ls',
  decision: of,
  reason: 'x',
  by,
  trail: [],
  tookMs: 1,
})

describe('counts by the hour', () => {
  test('hold each entry once, however far back is asked and whatever comes meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            hoursAgo: fc.integer({ min: 0, max: 60 }),
            of: fc.constantFrom('allow' as const, 'deny' as const, 'ask' as const),
            by: fc.constantFrom('rules' as const, 'undo' as const, 'person' as const),
          }),
          { maxLength: 60 },
        ),
        fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 5 }),
        async (made, asked) => {
          const store = await openSqlite(':memory:')
          const tally = new Tally()
          // The journal is written in the order of time.
          const parts = made.toSorted((a, b) => b.hoursAgo - a.hoursAgo)
          const half = Math.floor(parts.length / 2)
          const write = (list: typeof parts) =>
            store.record(
              list.map(({ hoursAgo, of, by }) =>
                anEntry('', { at: new Date(NOW - hoursAgo * HOUR).toISOString(), body: decision(of, by) }),
              ),
            )
          await write(parts.slice(0, half))
          await tally.hours(asked[0] ?? 1, NOW, store)
          await write(parts.slice(half))
          for (const hours of asked) {
            const within = parts.filter(({ hoursAgo }) => hoursAgo < hours)
            const sum = sumHours(await tally.hours(hours, NOW, store), NOW)
            expect(sum.allowed + sum.denied + sum.asked).toBe(within.length)
            expect(sum.byUndo).toBe(within.filter(({ of, by }) => of === 'allow' && by === 'undo').length)
            expect(sum.byPerson).toBe(within.filter(({ by }) => by === 'person').length)
          }
          await store.close()
        },
      ),
      { numRuns: 40 },
    )
  })

  test('add up what model calls used, as far as it is known', async () => {
    const store = await openSqlite(':memory:')
    const call = { kind: 'model', purpose: 'permission', by: 'claude', model: 'haiku' } as const
    const bodies: EntryBody[] = [
      { ...call, inputTokens: 1000, outputTokens: 20, usd: 0.25 },
      { ...call, by: 'api', inputTokens: 500, outputTokens: 10 },
      call,
    ]
    await store.record(bodies.map(body => anEntry('', { at: new Date(NOW).toISOString(), body })))
    expect(sumHours(await new Tally().hours(24, NOW, store), NOW)).toMatchObject({
      modelCalls: 3,
      modelTokens: 1530,
      modelUsd: 0.25,
    })
    await store.close()
  })

  test('count a question that an agent’s dialog repeats once, as answered by a person', async () => {
    const store = await openSqlite(':memory:')
    const bodies = [
      decision('ask', 'rules'),
      { ...decision('allow', 'person'), again: true },
      { ...decision('ask', 'rules'), again: true },
    ]
    await store.record(bodies.map(body => anEntry('', { at: new Date(NOW).toISOString(), body })))
    const [hour] = await new Tally().hours(1, NOW, store)
    expect(hour).toMatchObject({ asked: 0, allowed: 1, byPerson: 1 })
    await store.close()
  })

  test('count a yes in the dialog once, also if its command left the sandbox', async () => {
    const store = await openSqlite(':memory:')
    const entry = (body: EntryBody, toolUseId: string) =>
      anEntry('', { at: new Date(NOW).toISOString(), body, toolUseId })
    await store.record([
      entry(decision('ask', 'nobody'), 'toolu_1'),
      entry({ ...decision('allow', 'person'), again: true }, 'broker_1'),
      entry({ ...decision('allow', 'person'), again: true }, 'toolu_1'),
    ])
    const [hour] = await new Tally().hours(1, NOW, store)
    expect(hour).toMatchObject({ asked: 0, allowed: 1, byPerson: 1 })
    await store.close()
  })
})
