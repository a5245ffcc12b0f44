import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { Cycle } from '@batonpass/contract/cycle'
import type { Entry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import { type CompiledQuery, Kysely, SqliteDialect } from 'kysely'
import type { AskStore } from '../ports/ask-store.ts'
import type { CycleStore } from '../ports/cycle-store.ts'
import type { CopySource } from '../ports/replica.ts'
import type { Store } from '../ports/store.ts'
import type { WatchStore } from '../ports/watch-store.ts'
import { sqliteAsks } from './asks.ts'
import { startCheckpoints } from './checkpoint.ts'
import { type Connection, type ConnectionOptions, connect, usedBytes, waitForOthers } from './connection.ts'
import { copySource } from './copy-source.ts'
import { failure, guardedIn } from './failure.ts'
import { migrate } from './migrations.ts'
import { pruneStep, vacuumStep } from './prune.ts'
import { selectEntries, selectSessions, selectSessionsNamed, selectSessionsStarting } from './queries.ts'
import { entryOf, numbered, rowOf, sessionOf } from './rows.ts'
import type { EntryRow, Tables } from './tables.ts'
import { sqliteWatch } from './watch.ts'
import { writer } from './writer.ts'

export type SqliteOptions = ConnectionOptions

export interface LocalStore extends Store {
  /** The source for a copy of this journal. */
  readonly copy: CopySource
  /** Asks; they stay on this machine. */
  readonly asks: AskStore
  /** Watched sessions and their health. */
  readonly watch: WatchStore
  /** Cycles in progress. */
  readonly cycles: CycleStore
}

/** The journal in one SQLite file. Every hook writes to it, and it survives `kill -9`. */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<LocalStore> {
  const guarded = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw failure(error, path)
    }
  }
  const { connection, db } = await open(path, options).catch(error => {
    throw failure(error, path)
  })

  // Kysely builds and type-checks the SQL, but it runs synchronously on the connection: with an await between
  // BEGIN and COMMIT, the next hook's write would get into this transaction.
  const all = <Row>(query: CompiledQuery<Row>) =>
    guarded(() => connection.prepare<unknown[], Row>(query.sql).all(...query.parameters))
  const write = guarded(() => writer(connection, db))
  const checkpoints = startCheckpoints(connection, path)

  return {
    kind: 'sqlite',
    copy: guarded(() => copySource(connection)),
    asks: guarded(() => sqliteAsks(connection, path)),
    watch: guarded(() => sqliteWatch(connection, path)),
    cycles: guarded(() => sqliteCycles(connection, path)),

    async record(entries, sessions = []) {
      const rows = entries.map(rowOf)
      const first = guarded(() => write.append(rows, sessions))
      return entries.map((entry, index) => numbered(entry, rows[index] ?? rowOf(entry), first + index))
    },

    async entries(query): Promise<Entry[]> {
      return all(selectEntries(db, query).compile()).map(entryOf)
    },

    async byRequest(request) {
      const [row] = guarded(() => write.byRequest.all(request)) as EntryRow[]
      return row && entryOf(row)
    },

    async sessions(query = {}) {
      return all(selectSessions(db, query).compile()).map(sessionOf)
    },

    async findSession(name): Promise<Session | undefined> {
      if (name === '') return undefined
      const exact = all(selectSessionsNamed(db, name).compile())
      const found = exact.length > 0 ? exact : all(selectSessionsStarting(db, name).compile())
      const [only] = found
      return only && found.length === 1 ? sessionOf(only) : undefined
    },

    async forget(session) {
      const removed = guarded(() => write.forget(session))
      // The write-ahead file still contains the deleted data.
      await checkpoints.now().catch(error => {
        throw failure(error, path)
      })
      return removed
    },

    async prune(limits) {
      const before = usedBytes(connection)
      let removed = 0
      for (;;) {
        const step = guarded(() => pruneStep(connection, limits))
        removed += step
        if (step === 0) break
        // Serve waiting hooks between two small steps.
        await turn()
      }
      while (guarded(() => vacuumStep(connection))) await turn()
      return { removed, bytes: Math.max(0, before - usedBytes(connection)) }
    },

    async stats() {
      const [row] = all(db.selectFrom('origins').select(['entries', 'last_seq']).compile())
      return {
        entries: row?.entries ?? 0,
        bytes: guarded(() => usedBytes(connection)),
        lastSeq: row?.last_seq ?? 0,
      }
    },

    async close() {
      checkpoints.stop()
      if (connection.open) guarded(() => connection.close())
    },
  }
}

async function open(path: string, options: SqliteOptions) {
  const connection = await patiently(() => connect(path, options))
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: connection }) })
  try {
    await migrateLocked(connection, db, path)
    waitForOthers(connection, options)
    return { connection, db }
  } catch (error) {
    connection.close()
    throw error
  }
}

// Kysely's own SQLite migrator takes no lock, so two daemons starting at once would both create the tables.
async function migrateLocked(connection: Connection, db: Kysely<Tables>, path: string): Promise<void> {
  await patiently(() => connection.exec('BEGIN IMMEDIATE'))
  try {
    await migrate(db, 'sqlite', { where: path })
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

// SQLite's own wait blocks the thread, and the lock may be held by another open call in this process.
async function patiently<T>(attempt: () => T): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || tries === OPEN_TRIES) throw error
    }
    await pause(10)
  }
}

const OPEN_TRIES = 500

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY'
}

interface Data {
  data: string
}

/** Cycles in the local database. Every change is one synchronous statement, so no caller sees a partial change. */
function sqliteCycles(connection: Connection, where: string): CycleStore {
  const insert = connection.prepare<[string, number, string, string | null, number, string, string]>(
    `insert or ignore into cycles (id, version, session, successor, open, started_at, data) values (?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = connection.prepare<[number, string | null, number, string, string, number]>(
    'update cycles set version = ?, successor = ?, open = ?, data = ? where id = ? and version = ?',
  )
  const open = connection.prepare<[], Data>('select data from cycles where open = 1 order by started_at, id')
  const recent = connection.prepare<[number], Data>(
    'select data from cycles order by started_at desc, id desc limit ?',
  )
  const forgetBefore = connection.prepare<[string]>('delete from cycles where open = 0 and started_at < ?')
  const forgetSession = connection.prepare<[string, string]>(
    'delete from cycles where session = ? or successor = ?',
  )
  const guarded = guardedIn(where)
  return {
    put: cycle =>
      guarded(() => {
        const { id, version, session, startedAt } = cycle
        const successor = cycle.successor?.session ?? null
        const isOpen = ENDED.has(cycle.step) ? 0 : 1
        const data = JSON.stringify(cycle)
        return version === 0
          ? insert.run(id, version, session, successor, isOpen, startedAt, data).changes === 1
          : update.run(version, successor, isOpen, data, id, version - 1).changes === 1
      }),
    open: () => guarded(() => open.all().map(cycleOf)),
    recent: limit => guarded(() => recent.all(limit).map(cycleOf)),
    forget: which =>
      guarded(() =>
        'before' in which
          ? forgetBefore.run(which.before).changes
          : forgetSession.run(which.session, which.session).changes,
      ),
  }
}

const ENDED: ReadonlySet<string> = new Set(['done', 'cancelled', 'failed'])

// The schema checked the cycle before it was stored, so it is not checked again.
const cycleOf = (row: Data): Cycle => JSON.parse(row.data) as Cycle
