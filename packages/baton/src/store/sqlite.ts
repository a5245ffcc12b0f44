import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { Cycle } from '@batonpass/contract/cycle'
import type { Entry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { Statement } from 'better-sqlite3'
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
import { canonical, entryOf, numbered, rowOf, sessionOf } from './rows.ts'
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
  const prepared = new Map<string, Statement>()
  const all = <Row>(query: CompiledQuery<Row>): Row[] =>
    guarded(() => {
      const known = prepared.get(query.sql)
      const statement = known ?? connection.prepare<unknown[]>(query.sql)
      if (!known && prepared.size < MAX_PREPARED) prepared.set(query.sql, statement)
      return statement.all(...query.parameters) as Row[]
    })
  const write = guarded(() => writer(connection, db))
  const lookUp = guarded(() => lookups(connection))
  const checkpoints = startCheckpoints(connection, path)
  /** Between two small steps, serves waiting hooks and keeps the write-ahead file short: this thread has to copy it. */
  const rest = (steps: number) => (steps % STEPS_PER_CHECKPOINT === 0 ? checkpoints.soon() : turn())

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
      const { session, since, kind, type } = query
      const sessions = session === undefined ? {} : { sessions: guarded(() => lookUp.idsOf(session)) }
      // Without a lower bound, the database would read every older entry of the kind to find one that is recent enough.
      const from = since && (kind || type) ? guarded(() => lookUp.firstSince(since)) : 0
      if (from === undefined) return []
      const after = Math.max(query.after ?? 0, from - 1)
      const bounded = after > 0 ? { ...query, after } : query
      return all(selectEntries(db, bounded, sessions).compile()).map(entryOf)
    },

    async byRequest(request) {
      const [row] = guarded(() => write.byRequest.all(request)) as EntryRow[]
      return row && entryOf(row)
    },

    async sessions(query = {}) {
      if (query.live !== undefined) return all(selectSessions(db, query).compile()).map(sessionOf)
      // Each half has its own index; together they would have to be sorted at every call.
      const halves = [true, false].flatMap(live =>
        all(selectSessions(db, { ...query, live }).compile()).map(sessionOf),
      )
      return halves.sort(newestFirst).slice(0, query.limit ?? DEFAULT_LIMIT)
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
      for (let steps = 1; ; steps++) {
        const step = guarded(() => pruneStep(connection, limits))
        removed += step
        if (step === 0) break
        await rest(steps)
      }
      for (let steps = 1; guarded(() => vacuumStep(connection)); steps++) await rest(steps)
      return { removed, bytes: Math.max(0, before - usedBytes(connection)) }
    },

    async stats() {
      const [row] = all(db.selectFrom('origins').select(['entries', 'last_seq']).compile())
      return {
        entries: row?.entries ?? 0,
        bytes: guarded(() => usedBytes(connection)),
        lastSeq: row?.last_seq ?? 0,
        liveSessions: guarded(() => lookUp.countLive()),
      }
    },

    async close() {
      checkpoints.stop()
      if (connection.open) guarded(() => connection.close())
    },
  }
}

/** More than there are kinds of queries; a bound nonetheless, because lists of parameters vary. */
const MAX_PREPARED = 200
const DEFAULT_LIMIT = 200
/** So many steps write a few megabytes. */
const STEPS_PER_CHECKPOINT = 16

const newestFirst = (a: Session, b: Session): number => {
  const [seenA, seenB] = [canonical(a.lastSeenAt), canonical(b.lastSeenAt)]
  return seenA === seenB ? (a.id < b.id ? 1 : -1) : seenA < seenB ? 1 : -1
}

/** Small queries that narrow a larger one down, so that an index answers it. */
function lookups(connection: Connection) {
  const named = connection.prepare<[string], { id: string }>(
    'select id from sessions where native_session = ?',
  )
  const first = connection.prepare<[string], { seq: number }>(
    'select seq from entries where at >= ? order by at limit 1',
  )
  const live = connection.prepare<[], { count: number }>(
    'select count(*) as count from sessions where ended_at is null',
  )
  return {
    /** Baton's ids of a session that is named by its id or by the agent's own id. */
    idsOf: (session: string) => [...new Set([session, ...named.all(session).map(({ id }) => id)])],
    /** The first entry that may be from this time on; undefined if there is none. Clocks are sometimes set back a little. */
    firstSince: (since: string) =>
      first.get(new Date(Date.parse(since) - CLOCK_SET_BACK_MS).toISOString())?.seq,
    countLive: () => live.get()?.count ?? 0,
  }
}

const CLOCK_SET_BACK_MS = 60 * 60_000

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
