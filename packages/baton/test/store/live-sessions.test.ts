import { expect, test } from 'vitest'
import { keepLiveSessions } from '../../src/store/live-sessions.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { anEntry, aSession, at, sessionId } from '../world/journal.ts'

test('the live sessions follow every write, without a cap and without reading the store again', async () => {
  const inner = await openSqlite(':memory:')
  let reads = 0
  const store = keepLiveSessions({
    ...inner,
    sessions: query => {
      reads++
      return inner.sessions(query)
    },
  })
  const live = async () => (await store.liveSessions()).map(({ id }) => id).sort()
  await store.record(
    [],
    Array.from({ length: 2500 }, (_, n) => aSession(n + 1)),
  )
  expect(await live()).toHaveLength(2500)

  await store.record([], [aSession(1, { endedAt: at(9) }), aSession(3000)])
  await store.forget(sessionId(2))
  const now = await live()
  expect(now).toHaveLength(2499)
  expect(now).toContain(sessionId(3000))
  expect(now).not.toContain(sessionId(1))
  expect(now).not.toContain(sessionId(2))
  expect(reads).toBe(1)
  expect(now).toEqual((await inner.sessions({ live: true, limit: 9999 })).map(({ id }) => id).sort())

  // Pruning deletes sessions without entries.
  await store.record([anEntry('old', { session: sessionId(5), at: at(50) })])
  await store.prune({ olderThan: at(100) })
  expect(await live()).not.toContain(sessionId(5))
  await store.close()
})

test('a session that changes while the live ones are read is not lost', async () => {
  const inner = await openSqlite(':memory:')
  await inner.record([], [aSession(1), aSession(2)])
  const gate = Promise.withResolvers<void>()
  const store = keepLiveSessions({
    ...inner,
    async sessions(query) {
      const found = await inner.sessions(query)
      await gate.promise
      return found
    },
  })
  const reading = store.liveSessions()
  await store.record([], [aSession(1, { endedAt: at(9) }), aSession(3)])
  gate.resolve()
  expect((await reading).map(({ id }) => id).sort()).toEqual([sessionId(2), sessionId(3)])
  await store.close()
})
