import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import type { Kysely } from 'kysely'
import type { Connection } from './connection.ts'
import { sessionRowOf, type UnnumberedRow } from './rows.ts'
import type { EntryRow, SessionRow, Tables } from './tables.ts'
import { WATCH_TABLES } from './watch.ts'

/** The write path of SQLite. Prepares its statements once, because hooks wait for them. */
export function writer(connection: Connection, db: Kysely<Tables>) {
  const insertEntry = connection.prepare(db.insertInto('entries').values(ANY_ENTRY).compile().sql)
  const upsertSession = connection.prepare(
    db
      .insertInto('sessions')
      .values(ANY_SESSION)
      .onConflict(conflict =>
        conflict.column('id').doUpdateSet(row => ({
          native_session: row.ref('excluded.native_session'),
          started_at: row.ref('excluded.started_at'),
          last_seen_at: row.ref('excluded.last_seen_at'),
          ended_at: row.ref('excluded.ended_at'),
          changed: row.ref('excluded.changed'),
          data: row.ref('excluded.data'),
        })),
      )
      .compile().sql,
  )
  const count = connection.prepare<[number, number, number], { last_seq: number; changed: number }>(
    `update origins set last_seq = last_seq + ?, changed = changed + 1, entries = entries + ?, bytes = bytes + ?
     returning last_seq, changed`,
  )
  const byRequest = connection.prepare<[string], EntryRow>('select * from entries where request = ?')
  const ofSession = connection.prepare<[string], { seq: number; bytes: number }>(
    'select seq, bytes from entries where session = ?',
  )
  const removeEntry = connection.prepare('delete from entries where seq = ?')
  const removeSession = connection.prepare('delete from sessions where id = ?')
  const removeWatched = WATCH_TABLES.map(table =>
    connection.prepare(`delete from ${table} where session = ?`),
  )
  const addForgotten = connection.prepare('insert into forgotten (changed, session, up_to) values (?, ?, ?)')

  const tally = (appended: number, entries: number, bytes: number) => {
    const counters = count.get(appended, entries, bytes)
    if (!counters) throw new Error('the journal has no row in `origins`')
    return counters
  }

  const append = connection.transaction(
    (rows: readonly UnnumberedRow[], sessions: readonly Session[]): number => {
      const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
      const { last_seq, changed } = tally(rows.length, rows.length, bytes)
      const first = last_seq - rows.length + 1
      rows.forEach((row, index) => {
        insertEntry.run(entryValues({ ...row, seq: first + index }))
      })
      for (const session of sessions) upsertSession.run(sessionValues(sessionRowOf(session, changed)))
      return first
    },
  )

  const forget = connection.transaction((session: SessionId): number => {
    const entries = ofSession.all(session)
    for (const { seq } of entries) removeEntry.run(seq)
    removeSession.run(session)
    for (const remove of removeWatched) remove.run(session)
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
    const { last_seq, changed } = tally(0, -entries.length, -bytes)
    addForgotten.run(changed, session, last_seq)
    return entries.length
  })

  return {
    byRequest,
    /** Appends all entries or none. Returns the number of the first one. */
    append: (rows: readonly UnnumberedRow[], sessions: readonly Session[]) =>
      append.immediate(rows, sessions),
    forget: (session: SessionId) => forget.immediate(session),
  }
}

// Only the columns and their order matter here; the values are bound at each run.
const ANY_ENTRY: EntryRow = {
  seq: 0,
  id: '',
  at: '',
  kind: '',
  type: '',
  agent: '',
  session: '',
  native_session: '',
  prompt_id: '',
  tool_use_id: '',
  project: '',
  request: '',
  bytes: 0,
  body: '',
}
const ENTRY_COLUMNS = Object.keys(ANY_ENTRY) as (keyof EntryRow)[]
const entryValues = (row: EntryRow) => ENTRY_COLUMNS.map(column => row[column])

const ANY_SESSION: SessionRow = {
  id: '',
  native_session: '',
  started_at: '',
  last_seen_at: '',
  ended_at: '',
  changed: 0,
  data: '',
}
const SESSION_COLUMNS = Object.keys(ANY_SESSION) as (keyof SessionRow)[]
const sessionValues = (row: SessionRow) => SESSION_COLUMNS.map(column => row[column])
