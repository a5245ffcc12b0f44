import type { SessionId } from '@batonpass/contract/ids'
import type { HealthCheck, Spawn, WatchedSession } from '@batonpass/contract/watch'
import type { Kysely } from 'kysely'
import type { WatchRows, WatchStore } from '../ports/watch-store.ts'
import type { Connection } from './connection.ts'
import { failure } from './failure.ts'
import type { Tables } from './tables.ts'

export const WATCH_TABLES = ['ps_sessions', 'active_spawns', 'health_checks'] as const
type WatchTable = (typeof WATCH_TABLES)[number]

const KEY = { ps_sessions: 'session', active_spawns: 'id', health_checks: 'id' } as const
const COLUMNS = {
  ps_sessions: [
    ...['session', 'project', 'agent', 'native_session', 'place', 'pid', 'status', 'context_usage'],
    ...['estimated_tokens_used', 'last_context_check', 'last_output', 'started_at', 'updated_at'],
  ],
  active_spawns: [
    ...['id', 'kind', 'session', 'project', 'agent', 'place', 'pid', 'born', 'title', 'status'],
    ...['started_at', 'ended_at'],
  ],
  health_checks: [
    ...['id', 'session', 'project', 'check_type', 'status', 'details', 'action_taken', 'ps_response'],
    'created_at',
  ],
} as const

/** The watch tables in the local database. Every change is one synchronous transaction, so no caller sees a partial change. */
export function sqliteWatch(connection: Connection, where: string): WatchStore {
  const guarded = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw failure(error, where)
    }
  }
  const next = connection.prepare<[], { changed: number }>(
    'update origins set changed = changed + 1 returning changed',
  )
  const putInto = (table: WatchTable) => {
    const columns = [...COLUMNS[table], 'changed']
    const updates = columns.filter(name => name !== KEY[table]).map(name => `${name} = excluded.${name}`)
    const upsert = connection.prepare(
      `insert into ${table} (${columns}) values (${columns.map(() => '?')})
       on conflict (${KEY[table]}) do update set ${updates}`,
    )
    const put = connection.transaction((row: object) => {
      const values = { ...row, changed: next.get()?.changed } as Record<string, unknown>
      upsert.run(columns.map(name => plain(values[name])))
    })
    return (row: object) => guarded(() => void put.immediate(row))
  }
  const all = <Row>(text: string, ...values: unknown[]): Row[] =>
    guarded(() => connection.prepare<unknown[], Row>(text).all(...values))
  const list = (table: WatchTable) => `select ${COLUMNS[table]} from ${table}`
  const pruned = connection.transaction((before: string) => {
    connection.prepare('delete from health_checks where created_at < ?').run(before)
    connection.prepare('delete from active_spawns where ended_at < ?').run(before)
    connection
      .prepare(`delete from ps_sessions where updated_at < ? and status in ('ended', 'gone', 'dead')`)
      .run(before)
  })

  return {
    putSession: putInto('ps_sessions'),
    putSpawn: putInto('active_spawns'),
    addCheck: putInto('health_checks'),
    session: id => all<WatchedSession>(`${list('ps_sessions')} where session = ?`, id)[0],
    sessions: () => all<WatchedSession>(`${list('ps_sessions')} order by updated_at desc`),
    spawn: id => all<Spawn>(`${list('active_spawns')} where id = ?`, id)[0],
    spawns({ status, kinds } = {}) {
      const one = (column: string, values: readonly string[] | undefined) =>
        values ? `and ${column} in (${values.map(() => '?')})` : ''
      return all<Spawn>(
        `${list('active_spawns')} where true ${one('status', status)} ${one('kind', kinds)} order by started_at, id`,
        ...(status ?? []),
        ...(kinds ?? []),
      )
    },
    checks({ session, limit = 100 } = {}) {
      const which = session ? 'where session = ?' : ''
      const rows = all<TextCheck>(
        `${list('health_checks')} ${which} order by created_at desc, changed desc limit ?`,
        ...(session ? [session] : []),
        limit,
      )
      return rows.map(checkOf)
    },
    currentChecks: () =>
      all<TextCheck>(
        `select ${COLUMNS.health_checks} from (select *, row_number() over
           (partition by session, check_type order by created_at desc, changed desc) as age from health_checks)
         where age = 1 order by created_at desc`,
      ).map(checkOf),
    prune: before => guarded(() => void pruned.immediate(before)),
  }
}

/** Reads the rows of the watch tables that a copy is missing. */
export function watchSource(connection: Connection) {
  const numbers = WATCH_TABLES.map(table =>
    connection.prepare<[number, number], { changed: number }>(
      `select changed from ${table} where changed > ? order by changed limit ?`,
    ),
  )
  const rowsOf = <Row>(table: WatchTable) =>
    connection.prepare<[number, number], Row>(
      `select ${COLUMNS[table]}, changed from ${table} where changed > ? and changed <= ? order by changed`,
    )
  const sessions = rowsOf<WatchRows['ps_sessions'][number]>('ps_sessions')
  const spawns = rowsOf<WatchRows['active_spawns'][number]>('active_spawns')
  const checks = rowsOf<TextCheck & { changed: number }>('health_checks')
  return {
    numbers,
    rows: (after: number, upTo: number): WatchRows => ({
      ps_sessions: sessions.all(after, upTo),
      active_spawns: spawns.all(after, upTo),
      health_checks: checks.all(after, upTo).map(row => ({ ...checkOf(row), changed: row.changed })),
    }),
  }
}

/** Writes the latest version of each row to a copy. */
export async function copyWatch(db: Kysely<Tables>, origin: string, rows: WatchRows): Promise<void> {
  for (const row of rows.ps_sessions)
    await db
      .insertInto('ps_sessions')
      .values({ ...clean(row), origin })
      .onConflict(conflict => conflict.columns(['origin', 'session']).doUpdateSet(clean(row)))
      .execute()
  for (const row of rows.active_spawns)
    await db
      .insertInto('active_spawns')
      .values({ ...clean(row), origin })
      .onConflict(conflict => conflict.columns(['origin', 'id']).doUpdateSet(clean(row)))
      .execute()
  for (const row of rows.health_checks) {
    const values = { ...clean(row), details: JSON.stringify(row.details).replaceAll('\\u0000', '') }
    await db
      .insertInto('health_checks')
      .values({ ...values, origin })
      .onConflict(conflict => conflict.columns(['origin', 'id']).doUpdateSet(values))
      .execute()
  }
}

/** Deletes a forgotten session from the watch tables. */
export async function forgetWatched(
  db: Kysely<Tables>,
  origin: string,
  session: string,
  upTo?: number,
): Promise<void> {
  // Use the query builder, which adds the schema to the table's name. Raw SQL would depend on the search path.
  for (const table of WATCH_TABLES) {
    const mine = db
      .deleteFrom(table as 'health_checks')
      .where('origin', '=', origin)
      .where('session', '=', session as SessionId)
    await (upTo === undefined ? mine : mine.where('changed', '<=', upTo)).execute()
  }
}

type TextCheck = Omit<HealthCheck, 'details'> & { details: string }
const checkOf = (row: TextCheck): HealthCheck => ({
  ...row,
  details: JSON.parse(row.details) as HealthCheck['details'],
})

const plain = (value: unknown): unknown =>
  value === undefined ? null : typeof value === 'object' && value !== null ? JSON.stringify(value) : value

// PostgreSQL refuses NUL in text.
function clean<Row extends object>(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.replaceAll('\0', '') : value,
    ]),
  ) as Row
}
