import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { systemTimers } from '../../src/adapters/system/timers.ts'
import { replicate } from '../../src/journal/replicate.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { anEntry, aSession, sessionId } from '../world/journal.ts'
import { type Postgres, postgres, query } from '../world/postgres.ts'
import { until } from '../world/wait.ts'

let server: Postgres
beforeAll(async () => {
  server = await postgres()
}, 60_000)
afterAll(() => server?.[Symbol.asyncDispose]())

const real = { timers: systemTimers, clock: systemClock, ids: systemIds }
const quick = { idleMs: 5, retryMs: 5, slowestMs: 40 }
const as = (url: string, user: string) => {
  const other = new URL(url)
  other.username = user
  return other.href
}
const rows = async (url: string, table: string) =>
  Number((await query(url, `select count(*) as n from ${table}`))[0]?.n)

/** Copies two sessions, forgets one and waits until the copy has forgotten it too. */
async function copyAndForget(url: string, schema?: string) {
  const local = await openSqlite(':memory:')
  const failures: unknown[] = []
  const replication = replicate(local, () => openPostgres(url, schema ? { schema } : {}), real, {
    ...quick,
    onChange: change => failures.push(change),
  })
  const name = (table: string) => `"${schema ?? 'baton'}".${table}`
  try {
    const second = { session: sessionId(2) }
    await local.record([anEntry('a'), anEntry('b', second)], [aSession(1), aSession(2)])
    for (const session of [sessionId(1), sessionId(2)])
      local.watch.putSession({ ...WATCHED, session, native_session: session })
    replication.wake()
    await until(async () => (await rows(url, name('ps_sessions'))) === 2, { what: 'both sessions' })
    await local.forget(sessionId(1))
    replication.wake()
    await until(async () => (await rows(url, name('entries'))) === 1, {
      what: 'the copy to forget',
      evidence: () => String(failures.at(-1)),
    })
    expect(await query(url, `select session from ${name('ps_sessions')}`)).toEqual([
      { session: sessionId(2) },
    ])
    expect(await query(url, `select id from ${name('sessions')}`)).toEqual([{ id: sessionId(2) }])
    expect(failures).toEqual([])
  } finally {
    await replication.stop()
    await local.close()
  }
}

describe('the copy in PostgreSQL forgets a session', () => {
  test('for a user whose name is not the schema', async () => {
    await copyAndForget(await server.database())
  })

  test('in another schema', async () => {
    await copyAndForget(await server.database(), 'Fleet one')
  })

  test('for a role that may only read and write the tables', async () => {
    const url = await server.database()
    await (await openPostgres(url)).close()
    await query(
      url,
      `create role writer login;
       grant usage on schema baton to writer;
       grant select, insert, update, delete on all tables in schema baton to writer`,
    )
    await copyAndForget(as(url, 'writer'))
  })

  test('whatever the search path is, and leaves tables of the same name alone', async () => {
    const url = await server.database()
    await query(
      url,
      `create role strayer superuser login;
       alter role strayer set search_path to strayer, public;
       create schema strayer authorization strayer;
       create table strayer.ps_sessions (origin text, session text, changed int);
       create table public.entries (mine int);
       insert into strayer.ps_sessions select 'x', '${sessionId(1)}', 0`,
    )
    await copyAndForget(as(url, 'strayer'))
    expect(await rows(url, 'strayer.ps_sessions')).toBe(1)
  })
})

test('a batch that the server refuses stops the copy visibly, and goes through when the cause is gone', async () => {
  const url = await server.database()
  const local = await openSqlite(':memory:')
  await (await openPostgres(url)).close()
  await query(
    url,
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'no forgetting here'; end $$;
     create trigger refuse before delete on baton.entries for each row execute function refuse()`,
  )
  const replication = replicate(local, () => openPostgres(url), real, quick)
  await local.record([anEntry('a')], [aSession(1)])
  await until(async () => (await rows(url, 'baton.entries')) === 1, { what: 'the entry' })
  await local.forget(sessionId(1))
  await local.record([anEntry('b', { session: sessionId(2) })])
  await until(() => replication.state() === 'failing', { what: 'failing' })
  expect(replication.failure()?.error).toMatchObject({
    code: 'database_failed',
    message: expect.stringContaining('no forgetting here'),
    remedy: expect.stringContaining('daemon.log'),
  })
  await query(url, 'drop trigger refuse on baton.entries')
  await until(() => replication.state() === 'current', { what: 'current' })
  expect(await query(url, 'select session from baton.entries')).toEqual([{ session: sessionId(2) }])
  await replication.stop()
  await local.close()
})

test('no raw SQL of the store names a table, because the schema is not added to it', () => {
  const store = join(import.meta.dirname, '../../src/store')
  const raw = readdirSync(store).flatMap(file =>
    [...readFileSync(join(store, file), 'utf8').matchAll(/\bsql(?:<[^`]*>)?`([^`]*)`|sql\.(?:table|id)\(/g)]
      .filter(([whole, text]) => text === undefined || /\b(from|into|join|table|update)\s/i.test(whole))
      .map(([whole]) => `${file}: ${whole}`),
  )
  // The one statement that only SQLite runs.
  expect(raw.filter(one => !one.includes('hex(randomblob(10))'))).toEqual([])
})

const WATCHED = {
  project: '/home/dev/project',
  agent: 'claude-code' as const,
  place: null,
  pid: 7,
  status: 'working' as const,
  context_usage: 0.1,
  estimated_tokens_used: 10,
  last_context_check: null,
  last_output: null,
  started_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}
