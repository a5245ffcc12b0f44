import { BatonError } from '@batonpass/contract/errors'
import { Entry } from '@batonpass/contract/journal'
import { Session } from '@batonpass/contract/session'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { anyEntry } from '../world/any-journal.ts'
import { anEntry, aSession, at, nativeOf, sessionId } from '../world/journal.ts'

/** What every store does, whichever database it stands on. `open` gives an empty one each time. */
export function storeContract(name: string, open: () => Promise<Store>, runs = 40): void {
  const stored = (test: (store: Store) => Promise<void>) => async () => {
    const store = await open()
    try {
      await test(store)
    } finally {
      await store.close()
    }
  }
  const texts = async (store: Store, query: Parameters<Store['entries']>[0] = {}) =>
    (await store.entries(query)).map(({ body }) =>
      body.kind === 'event' && body.event.type === 'PromptSubmitted' ? body.event.prompt : body.kind,
    )

  describe(`a journal in ${name}`, () => {
    test(
      'numbers entries from one, in order, and gives them back as they were',
      stored(async store => {
        const [first, second] = await store.record([
          anEntry('a'),
          anEntry('b', { request: 'r-1', promptId: 'p-1' }),
        ])
        expect([first?.seq, second?.seq]).toEqual([1, 2])
        expect(await store.entries({})).toEqual([first, second])
        expect(Entry.parse(second)).toEqual(second)
        expect(await store.stats()).toMatchObject({ entries: 2, lastSeq: 2 })
      }),
    )

    test(
      'reads back in order whatever was recorded',
      stored(async store => {
        let after = 0
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.array(anyEntry, { maxLength: 5 }), { maxLength: 5 }),
            async batches => {
              const recorded: Entry[] = []
              for (const batch of batches) recorded.push(...(await store.record(batch)))
              const read = await store.entries({ after, limit: 5000 })
              after += recorded.length
              expect(recorded.map(entry => entry.body)).toEqual(batches.flat().map(entry => entry.body))
              expect(read).toEqual(asJson(recorded))
              for (const entry of read) Entry.parse(entry)
            },
          ),
          { numRuns: runs },
        )
      }),
    )

    test(
      'keeps a body of ten megabytes, and half surrogate pairs and NUL in it',
      stored(async store => {
        const long = `\0\ud800 ${'some words '.repeat(1_000_000)}`
        await store.record([anEntry(long)])
        expect(await texts(store)).toEqual([long])
        expect((await store.stats()).bytes).toBeLessThan(2_000_000)
      }),
    )

    test(
      'records all of a batch or none, sessions included',
      stored(async store => {
        await store.record([anEntry('first', { request: 'r-1' })])
        const twice = store.record([anEntry('second'), anEntry('third', { request: 'r-1' })], [aSession(7)])
        await expect(twice).rejects.toThrow(BatonError)
        expect(await texts(store)).toEqual(['first'])
        expect(await store.sessions()).toEqual([])
        const [next] = await store.record([anEntry('fourth')])
        expect(next?.seq).toBe(2)
      }),
    )

    test(
      'numbers without a gap or a double when many write at once',
      stored(async store => {
        await Promise.all(
          Array.from({ length: 40 }, (_, n) =>
            store.record([anEntry(`a${n}`), anEntry(`b${n}`)], [aSession(n % 3)]),
          ),
        )
        const entries = await store.entries({})
        expect(entries.map(entry => entry.seq)).toEqual(Array.from({ length: 80 }, (_, n) => n + 1))
      }),
    )

    test(
      'finds the entry of a hook call that was recorded before',
      stored(async store => {
        await store.record([anEntry('a', { request: 'call-1' })])
        expect((await store.byRequest('call-1'))?.seq).toBe(1)
        expect(await store.byRequest('call-2')).toBeUndefined()
      }),
    )

    test(
      'answers by session, project, kind, time and number, from either end',
      stored(async store => {
        const config = { kind: 'config' as const, what: 'loaded' as const }
        await store.record(
          [
            anEntry('a', { at: at(1) }),
            anEntry('b', { at: at(2), session: sessionId(2), nativeSession: nativeOf(sessionId(2)) }),
            anEntry('c', { at: at(3), project: '/elsewhere' }),
            anEntry('d', { at: at(4), body: config }),
          ],
          [aSession(1), aSession(2)],
        )
        expect(await texts(store, { session: sessionId(2) })).toEqual(['b'])
        expect(await texts(store, { session: nativeOf(sessionId(2)) })).toEqual(['b'])
        expect(await texts(store, { session: 'nobody' })).toEqual([])
        expect(await texts(store, { project: '/elsewhere' })).toEqual(['c'])
        expect(await texts(store, { kind: 'config' })).toEqual(['config'])
        expect(await texts(store, { kind: 'event' })).toEqual(['a', 'b', 'c'])
        expect(await texts(store, { since: at(3) })).toEqual(['c', 'config'])
        expect(await texts(store, { since: at(3).replace('.000', '') })).toEqual(['c', 'config'])
        expect(await texts(store, { after: 1, before: 4 })).toEqual(['b', 'c'])
        expect(await texts(store, { limit: 2 })).toEqual(['a', 'b'])
        expect(await texts(store, { limit: 2, order: 'desc' })).toEqual(['config', 'c'])
        expect(await texts(store, { session: "'; drop table entries; --" })).toEqual([])
      }),
    )

    test(
      'keeps the newest snapshot of a session and lists the latest active first',
      stored(async store => {
        await store.record([anEntry('a')], [aSession(1), aSession(2)])
        await store.record([anEntry('b')], [aSession(1, { lastSeenAt: at(99), events: 2 })])
        await store.record([anEntry('c')], [aSession(3, { lastSeenAt: at(50), endedAt: at(50) })])
        const sessions = await store.sessions()
        expect(sessions.map(session => session.id)).toEqual([sessionId(1), sessionId(3), sessionId(2)])
        expect(sessions[0]?.events).toBe(2)
        for (const session of sessions) expect(Session.parse(session)).toEqual(session)
        expect((await store.sessions({ live: true })).map(session => session.id)).toEqual([
          sessionId(1),
          sessionId(2),
        ])
        expect(await store.sessions({ limit: 1 })).toHaveLength(1)
      }),
    )

    test(
      'finds a session by either id or by an unambiguous start of one',
      stored(async store => {
        await store.record([], [aSession(1), aSession(12), aSession(2, { nativeSession: 'other_%' })])
        const found = async (name: string) => (await store.findSession(name))?.id
        expect(await found(sessionId(2))).toBe(sessionId(2))
        expect(await found('native-12')).toBe(sessionId(12))
        expect(await found('oth')).toBe(sessionId(2))
        // Exactly native-1, though native-12 starts with it.
        expect(await found('native-1')).toBe(sessionId(1))
        expect(await found('native')).toBeUndefined()
        expect(await found('NATIVE-12')).toBeUndefined()
        expect(await found('oth%')).toBeUndefined()
        expect(await found('')).toBeUndefined()
      }),
    )

    test(
      'forgets a session and nothing else, and never gives its numbers again',
      stored(async store => {
        const other = { session: sessionId(2), nativeSession: nativeOf(sessionId(2)) }
        await store.record([anEntry('a'), anEntry('b', other), anEntry('c')], [aSession(1), aSession(2)])
        expect(await store.forget(sessionId(1))).toBe(2)
        expect(await texts(store)).toEqual(['b'])
        expect((await store.sessions()).map(session => session.id)).toEqual([sessionId(2)])
        expect(await store.stats()).toMatchObject({ entries: 1, lastSeq: 3 })
        expect(await store.forget(sessionId(1))).toBe(0)
        const [next] = await store.record([anEntry('d')])
        expect(next?.seq).toBe(4)
      }),
    )

    test(
      'drops what is older than the limit, with the sessions that became empty',
      stored(async store => {
        const old = { session: sessionId(1), nativeSession: nativeOf(sessionId(1)) }
        await store.record(
          Array.from({ length: 150 }, (_, n) => anEntry(`old ${n}`, { ...old, at: at(n) })),
          [aSession(1, { lastSeenAt: at(149) })],
        )
        const young = { session: sessionId(2), nativeSession: nativeOf(sessionId(2)), at: at(1000) }
        await store.record([anEntry('young', young)], [aSession(2, { lastSeenAt: at(1000) })])
        expect((await store.prune({ olderThan: at(500) })).removed).toBe(150)
        expect(await texts(store)).toEqual(['young'])
        expect((await store.sessions()).map(session => session.id)).toEqual([sessionId(2)])
        expect(await store.stats()).toMatchObject({ entries: 1, lastSeq: 151 })
        expect(await store.prune({ olderThan: at(500) })).toMatchObject({ removed: 0 })
      }),
    )

    test(
      'drops the oldest until the journal is small enough',
      stored(async store => {
        await store.record(
          Array.from({ length: 400 }, (_, n) => anEntry(`${n} ${'words '.repeat(400)}`.slice(0, 2000))),
        )
        const { bytes } = await store.stats()
        const { removed } = await store.prune({ maxBytes: bytes / 2 })
        const left = await store.entries({ limit: 1 })
        expect((await store.stats()).bytes).toBeLessThanOrEqual(bytes / 2)
        expect(removed).toBeGreaterThan(100)
        expect(removed).toBeLessThan(300)
        expect(left[0]?.seq).toBe(removed + 1)
      }),
    )
  })
}

// What a store gives back has gone through JSON: a key whose value was undefined is not there.
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
