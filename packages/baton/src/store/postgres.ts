import type { Session } from '@batonpass/contract/session'
import { type Kysely, sql } from 'kysely'
import type { Copies } from '../ports/replica.ts'
import type { Store } from '../ports/store.ts'
import { copyTarget, insertEntries, upsertSessions } from './copy-target.ts'
import { guardedIn } from './failure.ts'
import { connectPostgres, type PostgresOptions } from './pool.ts'
import { discount, prunePostgres } from './prune-postgres.ts'
import { selectEntries, selectSessions, selectSessionsNamed, selectSessionsStarting } from './queries.ts'
import { entryOf, numbered, rowOf, sessionOf, sessionRowOf } from './rows.ts'
import type { Tables } from './tables.ts'
import { forgetWatched } from './watch.ts'

/** A store that receives copies of several machines' journals. */
export type SharedStore = Store & Copies

/** A journal in PostgreSQL, next to those of other origins. No hook waits for it. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<SharedStore> {
  const { db, origin, where, close } = await connectPostgres(url, options)
  const guarded = guardedIn(where)

  return {
    kind: 'postgres',
    copies: copyTarget(db, guarded),

    record: (entries, sessions = []) =>
      guarded(async () => {
        const rows = entries.map(rowOf)
        const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
        const first = await db.transaction().execute(async tx => {
          // The origin's row stays locked until commit, so that numbers become visible in order.
          const { last_seq, changed } = await count(tx, origin, rows.length, bytes)
          const start = last_seq - rows.length + 1
          await insertEntries(
            tx,
            origin,
            rows.map((row, index) => ({ ...row, seq: start + index })),
          )
          await upsertSessions(
            tx,
            origin,
            sessions.map(session => sessionRowOf(session, changed)),
          )
          return start
        })
        return entries.map((entry, index) => numbered(entry, rows[index] ?? rowOf(entry), first + index))
      }),

    entries: query =>
      guarded(async () => {
        const rows = await selectEntries(db, query, { origin }).execute()
        return rows.map(entryOf)
      }),

    byRequest: request =>
      guarded(async () => {
        const [row] = await selectEntries(db, { limit: 1 }, { origin })
          .where('request', '=', request)
          .execute()
        return row && entryOf(row)
      }),

    sessions: (query = {}) =>
      guarded(async () => (await selectSessions(db, query, origin).execute()).map(sessionOf)),

    findSession: name =>
      guarded(async (): Promise<Session | undefined> => {
        if (name === '') return undefined
        const exact = await selectSessionsNamed(db, name, origin).execute()
        const found = exact.length > 0 ? exact : await selectSessionsStarting(db, name, origin).execute()
        const [only] = found
        return only && found.length === 1 ? sessionOf(only) : undefined
      }),

    forget: session =>
      guarded(() =>
        db.transaction().execute(async tx => {
          const gone = await tx
            .deleteFrom('entries')
            .where('origin', '=', origin)
            .where('session', '=', session)
            .returning('bytes')
            .execute()
          await tx.deleteFrom('sessions').where('origin', '=', origin).where('id', '=', session).execute()
          await forgetWatched(tx, origin, session)
          await discount(tx, origin, gone)
          return gone.length
        }),
      ),

    prune: limits => guarded(() => prunePostgres(db, origin, limits)),

    stats: () =>
      guarded(async () => {
        const row = await db.selectFrom('origins').selectAll().where('origin', '=', origin).executeTakeFirst()
        const live = await db
          .selectFrom('sessions')
          .select(({ fn }) => fn.countAll<string>().as('count'))
          .where('origin', '=', origin)
          .where('ended_at', 'is', null)
          .executeTakeFirst()
        return {
          entries: row?.entries ?? 0,
          bytes: row?.bytes ?? 0,
          lastSeq: row?.last_seq ?? 0,
          liveSessions: Number(live?.count ?? 0),
        }
      }),

    close,
  }
}

async function count(db: Kysely<Tables>, origin: string, added: number, bytes: number) {
  return db
    .insertInto('origins')
    .values({ origin, last_seq: added, changed: 1, entries: added, bytes })
    .onConflict(conflict =>
      conflict.column('origin').doUpdateSet({
        last_seq: sql`origins.last_seq + ${added}`,
        changed: sql`origins.changed + 1`,
        entries: sql`origins.entries + ${added}`,
        bytes: sql`origins.bytes + ${bytes}`,
      }),
    )
    .returning(['last_seq', 'changed'])
    .executeTakeFirstOrThrow()
}
