import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { EntryQuery } from '@batonpass/contract/journal'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import {
  selectEntries,
  selectSessions,
  selectSessionsNamed,
  selectSessionsStarting,
} from '../../src/store/queries.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import type { Tables } from '../../src/store/tables.ts'
import { anEntry, aSession, at, nativeOf, sessionId } from '../world/journal.ts'
import { scratch } from '../world/scratch.ts'

const folder = scratch()
afterAll(folder.remove)
let made = 0
const file = () => join(folder.path, `${++made}`, 'journal.db')

describe('what views and hooks ask a large journal', () => {
  /** How SQLite would answer, one line for each step. */
  async function planOf(
    make: (db: Kysely<Tables>) => { compile(): { sql: string; parameters: readonly unknown[] } },
  ) {
    const path = file()
    await (await openSqlite(path)).close()
    const connection = new Database(path)
    const { sql, parameters } = make(
      new Kysely({ dialect: new SqliteDialect({ database: connection }) }),
    ).compile()
    const plan = connection
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...parameters)
    connection.close()
    return plan.map(({ detail }) => detail)
  }

  const session = { sessions: [sessionId(1)] }
  const queries: [string, Partial<EntryQuery>, typeof session | undefined][] = [
    ['the newest entries of a session', { session: sessionId(1), order: 'desc', limit: 6 }, session],
    ['measured contexts', { kind: 'event', type: 'ContextMeasured', since: at(5), order: 'desc' }, undefined],
    ['prompts', { kind: 'event', type: 'PromptSubmitted', since: at(5), order: 'desc' }, undefined],
    ['finished tools', { kind: 'event', type: 'ToolFinished', after: 5 }, undefined],
    ['new decisions', { kind: 'decision', after: 5 }, undefined],
  ]
  test.each(queries)('%s are read from an index, in its order', async (_, query, given) => {
    const plan = await planOf(db => selectEntries(db, query, given))
    expect(plan.join('\n')).toMatch(/^SEARCH entries USING INDEX entries_(session|type|rare) /)
  })

  test.each([true, false])(
    'sessions by activity (live: %s) are read from an index, in its order',
    async live => {
      const plan = await planOf(db => selectSessions(db, { live }))
      expect(plan).toEqual([`SCAN sessions USING INDEX sessions_${live ? 'live' : 'ended'}`])
    },
  )

  test.each([
    ['name', selectSessionsNamed],
    ['start of its name', selectSessionsStarting],
  ] as const)('a session is found by the %s without reading the others', async (_, select) => {
    const plan = await planOf(db => select(db, nativeOf(sessionId(1))))
    expect(plan.filter(step => step.startsWith('SCAN'))).toEqual([])
  })
})

test('a journal of the last version gets its indexes when it is opened, and keeps its entries', async () => {
  const path = file()
  const old = await openSqlite(path)
  await old.record([anEntry('kept')], [aSession(1)])
  await old.close()
  const connection = new Database(path)
  const added = ['sessions_native', 'sessions_changed', 'sessions_live', 'sessions_ended', 'entries_type']
  for (const name of added) connection.exec(`drop index ${name}`)
  connection.exec(`delete from kysely_migration where name = '0006_growth'`)
  connection.close()

  const store = await openSqlite(path)
  expect(await store.entries({ session: nativeOf(sessionId(1)) })).toHaveLength(1)
  await store.close()
  const reopened = new Database(path, { readonly: true })
  const indexes = reopened
    .prepare<[], { name: string }>(`select name from sqlite_schema where type = 'index'`)
    .all()
  reopened.close()
  expect(indexes.map(({ name }) => name)).toEqual(expect.arrayContaining(added))
})

test('a session with two names lists its entries in order, by either name', async () => {
  const store = await openSqlite(file())
  // One session's own id is another one's id in Baton.
  const odd = aSession(2, { nativeSession: sessionId(1) })
  await store.record(
    [anEntry('a'), anEntry('b', { session: sessionId(2) }), anEntry('c')],
    [aSession(1), odd],
  )
  const seqs = async (name: string) =>
    (await store.entries({ session: name, order: 'desc' })).map(({ seq }) => seq)
  expect(await seqs(sessionId(1))).toEqual([3, 2, 1])
  expect(await seqs(sessionId(2))).toEqual([2])
  await store.close()
})

test('sessions of both kinds are listed by their last activity', async () => {
  const store = await openSqlite(file())
  const all = Array.from({ length: 9 }, (_, n) => aSession(n + 1, n % 3 === 0 ? { endedAt: at(n + 1) } : {}))
  await store.record([], all)
  const seen = await store.sessions({ limit: 5 })
  expect(seen.map(({ id }) => id)).toEqual([9, 8, 7, 6, 5].map(sessionId))
  expect((await store.stats()).liveSessions).toBe(6)
  await store.close()
})

test('pruning works in small steps and keeps the write-ahead file short', async () => {
  const path = file()
  const filled = await openSqlite(path)
  const entries = 1500
  for (let n = 0; n < entries; n += 500)
    await filled.record(
      Array.from({ length: 500 }, (_, index) => anEntry(noise(n + index), { at: at(n + index) })),
    )
  // Closing empties the write-ahead file.
  await filled.close()
  const store = await openSqlite(path)
  let turns = 0
  let longest = 0
  let running = true
  const pruning = store.prune({ olderThan: at(entries - 1) }).finally(() => {
    running = false
  })
  while (running) {
    await turn()
    turns++
    longest = Math.max(longest, statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0)
  }
  expect((await pruning).removed).toBe(entries - 1)
  // A hook that arrives waits for one step: 32 entries, or 64 KB of them.
  expect(turns).toBeGreaterThan(entries / 32)
  // Each checkpoint copies the file on the thread that answers hooks.
  expect(longest).toBeLessThan(6 * 1024 * 1024)
  await store.close()
})

/** Text that does not compress, of about 3 KB. */
function noise(seed: number): string {
  let state = seed * 7919 + 1
  return Array.from({ length: 3000 }, () => {
    state = (state * 48_271) % 2_147_483_647
    return String.fromCharCode(33 + (state % 90))
  }).join('')
}
