import { join } from 'node:path'
import {
  type HealthCheck,
  HealthCheck as HealthCheckSchema,
  type Spawn,
  Spawn as SpawnSchema,
  type WatchedSession,
} from '@batonpass/contract/watch'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { systemTimers } from '../../src/adapters/system/timers.ts'
import { replicate } from '../../src/journal/replicate.ts'
import { connectPostgres } from '../../src/store/pool.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { anEntry, aSession, at, sessionId } from '../world/journal.ts'
import { type Postgres, postgres } from '../world/postgres.ts'
import { scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

const real = { timers: systemTimers, clock: systemClock, ids: systemIds }
const watched = (n: number, parts: Partial<WatchedSession> = {}): WatchedSession => ({
  session: sessionId(n),
  project: '/home/dev/project',
  agent: 'claude-code',
  native_session: `native-${n}`,
  place: `%${n} /tmp/tmux-1000/default`,
  pid: 1000 + n,
  status: 'working',
  context_usage: 0.42,
  estimated_tokens_used: 84_000,
  last_context_check: at(1),
  last_output: at(2),
  started_at: at(),
  updated_at: at(3),
  ...parts,
})
const spawned = (n: number, parts: Partial<Spawn> = {}): Spawn =>
  SpawnSchema.parse({
    id: `spn_${String(n).padStart(20, '0')}`,
    kind: 'run',
    session: sessionId(n),
    project: '/home/dev/project',
    agent: 'claude-code',
    place: `%${n} /tmp/tmux-1000/default`,
    pid: 1000 + n,
    born: '12345',
    title: 'project-1',
    status: 'running',
    started_at: at(n),
    ended_at: null,
    ...parts,
  })
let last = 0
const check = (n: number, parts: Partial<HealthCheck> = {}): HealthCheck =>
  HealthCheckSchema.parse({
    id: `hck_${String(++last).padStart(20, '0')}`,
    session: sessionId(n),
    project: '/home/dev/project',
    check_type: 'stall',
    status: 'warning',
    details: { minutes: 16, lines: ['a "quoted" line'] },
    action_taken: 'told',
    ps_response: null,
    created_at: at(last),
    ...parts,
  })

describe('What is known of sessions under watch', () => {
  it('is kept, replaced and listed, and survives the process', async () => {
    await using folder = scratch()
    const file = join(folder.path, 'j.db')
    const first = await openSqlite(file)
    first.watch.putSession(watched(1))
    first.watch.putSession(watched(1, { status: 'stalled', context_usage: 0 }))
    first.watch.putSpawn(spawned(1))
    first.watch.putSpawn(spawned(2, { status: 'completed', ended_at: at(9), session: null }))
    const [old, calm, other] = [check(1), check(1, { status: 'ok' }), check(1, { check_type: 'errors' })]
    for (const one of [old, calm, other]) first.watch.addCheck(one)
    await first.close()
    const { watch, close } = await openSqlite(file)
    expect(watch.sessions()).toEqual([watched(1, { status: 'stalled', context_usage: 0 })])
    expect(watch.session(sessionId(2))).toBeUndefined()
    expect(watch.spawns()).toEqual([
      spawned(1),
      spawned(2, { status: 'completed', ended_at: at(9), session: null }),
    ])
    expect(watch.spawns({ status: ['running', 'stalled'] })).toEqual([spawned(1)])
    expect(watch.spawn(spawned(1).id)).toEqual(spawned(1))
    expect(watch.checks()).toEqual([other, calm, old])
    expect(watch.checks({ session: sessionId(2) })).toEqual([])
    expect(watch.currentChecks()).toEqual([other, calm])
    watch.prune(at(10_000))
    expect(watch.checks()).toEqual([])
    expect(watch.spawns()).toEqual([spawned(1)])
    await close()
  })

  it('goes with a session that is forgotten', async () => {
    const store = await openSqlite(':memory:')
    await store.record([anEntry('a')], [aSession(1)])
    for (const n of [1, 2]) {
      store.watch.putSession(watched(n))
      store.watch.putSpawn(spawned(n))
      store.watch.addCheck(check(n))
    }
    await store.forget(sessionId(1))
    expect(store.watch.sessions().map(row => row.session)).toEqual([sessionId(2)])
    expect(store.watch.spawns().map(row => row.session)).toEqual([sessionId(2)])
    expect(store.watch.checks().map(row => row.session)).toEqual([sessionId(2)])
    await store.close()
  })
})

describe('A fleet’s database', () => {
  let server: Postgres
  beforeAll(async () => {
    server = await postgres()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('gets a copy of these tables, row for row, and forgets with them', async () => {
    await using folder = scratch()
    const url = await server.database()
    const local = await openSqlite(join(folder.path, 'j.db'))
    const origin = await local.copy.origin()
    const { db, close } = await connectPostgres(url, { origin })
    const copying = replicate(local, () => openPostgres(url), real, { idleMs: 5, entries: 2 })
    for (const n of [1, 2, 3, 4]) {
      local.watch.putSession(watched(n, { project: 'odd \0 name' }))
      local.watch.putSpawn(spawned(n))
      local.watch.addCheck(check(n, { details: { text: 'nul \0 and ünï' } }))
    }
    const count = async (table: string) =>
      Number(
        (await sql<{ n: string }>`select count(*) as n from ${sql.table(`baton.${table}`)}`.execute(db))
          .rows[0]?.n,
      )
    const tables = ['ps_sessions', 'active_spawns', 'health_checks']
    await until(async () => (await Promise.all(tables.map(count))).join() === '4,4,4', { what: 'the copy' })
    const row = await db
      .selectFrom('ps_sessions')
      .selectAll()
      .where('session', '=', sessionId(1))
      .executeTakeFirst()
    expect(row).toMatchObject({
      origin,
      project: 'odd  name',
      context_usage: 0.42,
      estimated_tokens_used: 84_000,
    })
    const found = await db
      .selectFrom('health_checks')
      .select('details')
      .where('session', '=', sessionId(1))
      .execute()
    expect(found).toEqual([{ details: { text: 'nul  and ünï' } }])
    local.watch.putSession(watched(1, { status: 'gone' }))
    await local.record([anEntry('a', { session: sessionId(2) })], [aSession(2)])
    await local.forget(sessionId(2))
    await until(async () => (await Promise.all(tables.map(count))).join() === '3,3,3', {
      what: 'the forgetting',
    })
    const gone = await db
      .selectFrom('ps_sessions')
      .select('status')
      .where('session', '=', sessionId(1))
      .execute()
    expect(gone).toEqual([{ status: 'gone' }])
    await copying.stop()
    await close()
    await local.close()
  }, 60_000)
})
