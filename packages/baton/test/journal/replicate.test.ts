import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { systemTimers } from '../../src/adapters/system/timers.ts'
import { pauseAfter, type Replication, replicate } from '../../src/journal/replicate.ts'
import type { CopyTarget } from '../../src/ports/replica.ts'
import { openPostgres, type SharedStore } from '../../src/store/postgres.ts'
import { type LocalStore, openSqlite } from '../../src/store/sqlite.ts'
import { anEntry, aSession, at, nativeOf, sessionId } from '../world/journal.ts'
import { type Postgres, postgres, query } from '../world/postgres.ts'
import { type Scratch, scratch } from '../world/scratch.ts'
import { fakeTime, settled } from '../world/time.ts'
import { until } from '../world/wait.ts'

let server: Postgres
beforeAll(async () => {
  server = await postgres()
})
afterAll(() => server[Symbol.asyncDispose]())

const real = { timers: systemTimers, clock: systemClock, ids: systemIds }
const quick = { idleMs: 5, retryMs: 5, slowestMs: 40 }
let folder: Scratch
let url: string
let local: LocalStore
let remote: SharedStore
let running: Replication[] = []

beforeEach(async () => {
  folder = scratch()
  url = await server.database()
  local = await openSqlite(join(folder.path, 'journal.db'))
  remote = await openPostgres(url, { origin: await local.copy.origin() })
})
afterEach(async () => {
  for (const one of running) await one.stop()
  running = []
  await Promise.all([local.close(), remote.close()])
  folder.remove()
})

const copying = (target: CopyTarget = remote.copies, limits = {}) => {
  const replication = replicate(local, async () => ({ copies: target, close: async () => {} }), real, {
    ...quick,
    ...limits,
  })
  running.push(replication)
  return replication
}
const caughtUp = (store: LocalStore = local, copy: SharedStore = remote) =>
  until(
    async () => {
      const [here, there] = await Promise.all([store.entries({ limit: 5000 }), copy.entries({ limit: 5000 })])
      return JSON.stringify(here) === JSON.stringify(there)
    },
    { what: 'the copy to equal the journal' },
  )

describe('the copy of a journal', () => {
  test('comes to equal the journal, sessions included, and says so', async () => {
    await local.record([anEntry('a'), anEntry('b')], [aSession(1)])
    const replication = copying()
    await caughtUp()
    await local.record([anEntry('c')], [aSession(1, { events: 9 }), aSession(2)])
    await caughtUp()
    await until(async () => (await remote.sessions()).length === 2, { what: 'both sessions' })
    expect(await remote.sessions()).toEqual(await local.sessions())
    await until(() => replication.state() === 'current', { what: 'current' })
    await replication.stop()
    expect(replication.state()).toBe('off')
  })

  test('resumes at its position, in batches that respect both limits', async () => {
    const sizes: number[] = []
    const counting: CopyTarget = {
      ...remote.copies,
      apply: (origin, batch) => {
        sizes.push(batch.entries.length)
        return remote.copies.apply(origin, batch)
      },
    }
    for (let n = 0; n < 60; n++) await local.record([anEntry(`${n}`)], [aSession(n)])
    await local.record([anEntry('large '.repeat(2000)), anEntry('x'.repeat(3000)), anEntry('y'.repeat(3000))])
    const first = copying(counting, { entries: 10, bytes: 4000 })
    await caughtUp()
    await first.stop()
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10)
    expect(await remote.sessions({ limit: 100 })).toHaveLength(60)
    sizes.length = 0
    await local.record([anEntry('one more')])
    copying(counting)
    await caughtUp()
    expect(sizes).toEqual([1])
  })

  test('holds nothing twice when the answer to a batch is lost', async () => {
    let lost = 0
    const losing: CopyTarget = {
      ...remote.copies,
      apply: async (origin, batch) => {
        await remote.copies.apply(origin, batch)
        if (++lost % 2 === 1) throw new Error('the line broke after the commit')
      },
    }
    for (let n = 0; n < 30; n++) await local.record([anEntry(`${n}`)])
    copying(losing, { entries: 7 })
    await caughtUp()
    expect(lost).toBeGreaterThan(2)
    expect((await remote.stats()).entries).toBe(30)
  })

  test('applies a batch again without a change, as two daemons do while one hands over', async () => {
    await local.record([anEntry('a'), anEntry('b')], [aSession(1)])
    const batch = await local.copy.changesAfter({ seq: 0, changed: 0 }, { entries: 10, bytes: 1e6 })
    const origin = await local.copy.origin()
    await Promise.all([remote.copies.apply(origin, batch), remote.copies.apply(origin, batch)])
    await remote.copies.apply(origin, batch)
    expect(await remote.stats()).toMatchObject({ entries: 2, lastSeq: 2 })
    await caughtUp()
  })

  test('waits until a server that is away comes back, while the journal keeps recording', async () => {
    await using own = await postgres()
    const address = await own.database()
    const copy = await openPostgres(address, { origin: await local.copy.origin() })
    const changes: { failing?: unknown; attempts?: number }[] = []
    const replication = replicate(local, async () => copy, real, {
      ...quick,
      onChange: change => changes.push(change),
    })
    running.push(replication)
    await local.record([anEntry('before')])
    await caughtUp(local, copy)
    await own.stop()
    await local.record([anEntry('meanwhile')])
    await until(() => replication.state() === 'failing', { what: 'failing' })
    expect(replication.failure()?.error).toMatchObject({ code: 'database_failed' })
    await local.record([anEntry('and more')])
    await own.start()
    await caughtUp(local, copy)
    await until(() => replication.state() === 'current', { what: 'current' })
    // While the server starts it refuses with other words than before: each reason is reported once.
    expect(changes.at(-1)).toEqual({ attempts: expect.any(Number) })
    const failures = changes.slice(0, -1).map(({ failing }) => failing)
    expect(failures[0]).toMatchObject({ code: 'database_failed' })
    expect(new Set(failures.map(failing => (failing as Error).message)).size).toBe(failures.length)
    expect(replication.failure()).toBeUndefined()
    await replication.stop()
  })

  test('forgets what the journal forgot, whether it was copied or not', async () => {
    const other = { session: sessionId(2), nativeSession: nativeOf(sessionId(2)) }
    await local.record([anEntry('a'), anEntry('b', other)], [aSession(1), aSession(2)])
    const replication = copying()
    await caughtUp()
    await local.forget(sessionId(1))
    await caughtUp()
    await until(async () => (await remote.sessions()).length === 1, { what: 'the session to go' })
    await replication.stop()
    // Forgotten while no copy is running, and continued afterwards.
    await local.record([anEntry('c', other)])
    await local.forget(sessionId(2))
    await local.record([anEntry('d', other)], [aSession(2, { events: 1 })])
    copying()
    await caughtUp()
    await until(async () => (await remote.sessions())[0]?.id === sessionId(2), {
      what: 'the session to be back',
    })
    expect((await remote.entries({})).map(entry => entry.seq)).toEqual([4])
  })

  test('keeps what the journal prunes later, and passes over what was pruned before it was copied', async () => {
    await local.record(Array.from({ length: 20 }, (_, n) => anEntry(`${n}`, { at: at(n) })))
    await local.prune({ olderThan: at(10) })
    copying()
    await until(async () => (await remote.stats()).entries === 10, { what: 'ten entries' })
    await local.prune({ olderThan: at(15) })
    const [late] = await local.record([anEntry('late', { at: at(99) })])
    await until(async () => (await remote.stats()).lastSeq === late?.seq, { what: 'the late one' })
    expect((await remote.stats()).entries).toBe(11)
  })

  test('of a cloned machine goes under a new name instead of mixing two histories', async () => {
    await local.record([anEntry('common')])
    const first = copying()
    await caughtUp()
    await first.stop()
    const name = await local.copy.origin()
    await local.close()
    const cloned = join(folder.path, 'clone.db')
    copyFileSync(join(folder.path, 'journal.db'), cloned)
    local = await openSqlite(join(folder.path, 'journal.db'))
    const clone = await openSqlite(cloned)
    await local.record([anEntry('mine')])
    await clone.record([anEntry('theirs'), anEntry('theirs too')])
    copying()
    await caughtUp()
    const second = replicate(clone, () => openPostgres(url), real, quick)
    running.push(second)
    await until(async () => (await clone.copy.origin()) !== name, { what: 'a new name' })
    const copy = await openPostgres(url, { origin: await clone.copy.origin() })
    await caughtUp(clone, copy)
    await caughtUp()
    await second.stop()
    await Promise.all([copy.close(), clone.close()])
  })

  test('is never waited for by a write', async () => {
    const never = () => new Promise<never>(() => {})
    const replication = replicate(local, never, real, quick)
    await local.record([anEntry('a')])
    expect((await local.stats()).entries).toBe(1)
    expect(replication.state()).toBe('behind')
  })

  test('tries a server that is away ever more rarely, whatever is written meanwhile, and reports it once', async () => {
    await using own = await postgres()
    const address = await own.database()
    await (await openPostgres(address)).close()
    await own.stop()
    const time = fakeTime()
    const changes: object[] = []
    let connects = 0
    const connect = () => {
      connects++
      return openPostgres(address)
    }
    const replication = replicate(
      local,
      connect,
      { ...time, ids: systemIds },
      {
        onChange: change => changes.push(change),
      },
    )
    running.push(replication)
    const resting = () =>
      until(() => time.waiting() === 1 && replication.failure()?.retryAt, { what: 'a pause after a failure' })
    const pauses: number[] = []
    for (let attempt = 1; attempt <= 10; attempt++) {
      await resting()
      expect(connects).toBe(attempt)
      // As with hook calls: each writes and wakes.
      for (let n = 0; n < 20; n++) {
        await local.record([anEntry(`${attempt} ${n}`)])
        replication.wake()
      }
      await settled()
      expect(connects).toBe(attempt)
      const failure = replication.failure()
      expect(failure).toMatchObject({ attempts: attempt, error: { code: 'database_failed' } })
      const pause = (failure?.retryAt ?? 0) - time.clock.now()
      const most = Math.min(60_000, 500 * 2 ** (attempt - 1))
      expect(pause).toBeGreaterThanOrEqual(most / 2)
      expect(pause).toBeLessThanOrEqual(most)
      pauses.push(pause / most)
      if (attempt < 10) await time.advance(pause)
    }
    // Half of a pause is random.
    expect(new Set(pauses).size).toBeGreaterThan(5)
    expect(changes).toHaveLength(1)
    await own.start()
    await time.advance(60_000)
    await until(() => replication.state() === 'current', { what: 'current' })
    expect(changes).toEqual([{ failing: expect.anything() }, { attempts: 10 }])
    expect(replication.failure()).toBeUndefined()
    // What was written meanwhile is there at once, without another pause.
    expect(await query(address, 'select count(*) as n from baton.entries')).toEqual([{ n: '200' }])
    const stopped = replication.stop()
    await time.advance(5000)
    await stopped
  })

  test('pauses longer after each failure, up to a bound, half of it by chance', () => {
    const pauses = (id: string) =>
      [1, 2, 3, 8, 1000].map(failures =>
        pauseAfter(failures, { id: () => id }, { retryMs: 500, slowestMs: 60_000 }),
      )
    expect(pauses('0000')).toEqual([250, 500, 1000, 30_000, 30_000])
    expect(pauses('i000')).toEqual([375, 750, 1500, 45_000, 45_000])
  })
})
