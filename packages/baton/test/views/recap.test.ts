import type { EntryBody } from '@batonpass/contract/journal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildRecap } from '../../src/journal/recap.ts'
import { readTest } from '../../src/session/transcript/test-runs.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { Recaps } from '../../src/views/recap.ts'
import { anEntry, aPrompt, aSession, eventId, sessionId } from '../world/journal.ts'

const NOW = Date.UTC(2026, 5, 1, 12, 30)
const MINUTE = 60_000
const at = (minutesAgo: number) => new Date(NOW - minutesAgo * MINUTE).toISOString()

const decision = (subject: string, undo: boolean): EntryBody => ({
  kind: 'decision',
  event: eventId(1),
  tool: 'Bash',
  subject,
  decision: 'allow',
  reason: subject < 'c' ? 'reads only' : 'is a test',
  by: 'rules',
  trail: [],
  tookMs: 1,
  ...(undo ? { undo: '4' } : {}),
})

function finished(name: string): EntryBody {
  const { prompt: _, ...common } = { ...aPrompt(''), prompt: '' }
  const call = { tool: 'Edit', input: {}, failed: false, response: '' }
  const action =
    name < 'c'
      ? { kind: 'write' as const, paths: [`/home/dev/project/${name}`] }
      : { kind: 'shell' as const, command: `npx vitest run ${name}` }
  return { kind: 'event', source: 'user', event: { ...common, ...call, type: 'ToolFinished', action } }
}

const anyBody = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 4 }))
  .map(
    ([name, kind]): EntryBody =>
      [
        decision(name, false),
        decision(name, true),
        finished(name),
        { kind: 'workflow', what: 'ended', workflow: name, reason: 'done' } as const,
        { kind: 'fault', during: name, error: { code: 'internal', message: name } } as const,
      ][kind] ?? decision(name, false),
  )

async function world() {
  const store = await openSqlite(':memory:')
  const counted = { entries: 0 }
  const recaps = new Recaps({
    store: {
      sessions: store.sessions,
      async entries(query) {
        const found = await store.entries(query)
        counted.entries += found.length
        return found
      },
    },
    asks: { open: () => [] },
    clock: { now: () => NOW, elapsed: () => 0 },
    git: { commitsBetween: async () => [] },
  })
  const fromAll = async (since: string) =>
    buildRecap({
      since,
      until: at(0),
      entries: await store.entries({ limit: 9999 }),
      sessions: await store.sessions(),
      asks: [],
      commits: new Map(),
      readTest,
    })
  return { store, recaps, counted, fromAll }
}

test('a recap by hours is the recap of all entries, whatever was asked and written before', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 900 }), anyBody), { maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 4 }),
      async (made, asked) => {
        const { store, recaps, fromAll } = await world()
        // The journal is written in the order of time.
        const entries = made
          .toSorted(([a], [b]) => b - a)
          .map(([ago, body]) => anEntry('', { at: at(ago), body }))
        const half = entries.length >> 1
        await store.record(entries.slice(0, half), [aSession(1, { endedAt: at(5), endReason: 'other' })])
        await recaps.make(at(asked[0] ?? 1))
        await store.record(entries.slice(half))
        for (const ago of asked) expect(await recaps.make(at(ago))).toEqual(await fromAll(at(ago)))
        await store.close()
      },
    ),
    { numRuns: 25 },
  )
})

test('a second recap reads only what is new, and the hour in which its time begins', async () => {
  const { store, recaps, counted } = await world()
  const entries = Array.from({ length: 600 }, (_, n) =>
    anEntry('', { at: at(600 - n), body: decision('a', false) }),
  )
  await store.record(entries)
  const first = await recaps.make(at(590))
  expect(first.decisions.all).toBe(590)
  counted.entries = 0
  await store.record([anEntry('', { at: at(0), body: decision('b', false) })])
  expect((await recaps.make(at(590))).decisions.all).toBe(591)
  // At most: the hour in part, read up to a batch, and the new entry.
  expect(counted.entries).toBeLessThan(502)
})

test('what was forgotten is in no recap, even if it was before', async () => {
  const { store, recaps } = await world()
  const secret = sessionId(7)
  await store.record(
    [
      anEntry('', { session: secret, at: at(90), body: decision('rm secret', false) }),
      anEntry('', { at: at(80), body: decision('a', false) }),
    ],
    [aSession(7), aSession(1)],
  )
  const subjects = async () => (await recaps.make(at(300))).decided.flatMap(group => group.subjects)
  expect(await subjects()).toContain('rm secret')
  const removed = await store.forget(secret)
  await store.record([
    anEntry('', { at: at(1), body: { kind: 'forgotten', session: secret, entries: removed } }),
  ])
  expect(await subjects()).toEqual(['a'])
})
