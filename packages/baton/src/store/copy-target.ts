import { type Kysely, sql } from 'kysely'
import type { CopyTarget } from '../ports/replica.ts'
import { rowOf, sessionRowOf } from './rows.ts'
import type { EntryRow, SessionRow, Tables } from './tables.ts'
import { copyWatch, forgetWatched } from './watch.ts'

/** PostgreSQL accepts at most 65,535 values per statement. */
const ROWS_AT_ONCE = 500

/** The shared side of the copy. One transaction applies a batch and moves the position, so no batch is applied twice. */
export function copyTarget(
  db: Kysely<Tables>,
  guarded: <T>(work: () => Promise<T>) => Promise<T>,
): CopyTarget {
  return {
    position: origin =>
      guarded(async () => {
        const at = await db.selectFrom('origins').selectAll().where('origin', '=', origin).executeTakeFirst()
        if (!at) return { seq: 0, changed: 0 }
        const last = await db
          .selectFrom('entries')
          .select('id')
          .where('origin', '=', origin)
          .where('seq', '=', at.last_seq)
          .executeTakeFirst()
        return {
          seq: at.last_seq,
          changed: at.changed,
          ...(last ? { last: last.id as Awaited<ReturnType<CopyTarget['position']>>['last'] & string } : {}),
        }
      }),

    apply: (origin, batch) =>
      guarded(() =>
        db.transaction().execute(async tx => {
          await tx
            .insertInto('origins')
            .values({ origin })
            .onConflict(conflict => conflict.column('origin').doNothing())
            .execute()
          // Two daemons of one machine may copy at the same time while one hands over to the other.
          await tx.selectFrom('origins').select('origin').where('origin', '=', origin).forUpdate().execute()

          const rows = batch.entries.map(entry => ({ ...rowOf(entry), seq: entry.seq }))
          const added = await insertEntries(tx, origin, rows, 'again')
          const removed: { bytes: number }[] = []
          for (const { session, upTo, changed } of batch.forgotten) {
            const mine = tx.deleteFrom('entries').where('origin', '=', origin).where('session', '=', session)
            removed.push(...(await mine.where('seq', '<=', upTo).returning('bytes').execute()))
            await tx
              .deleteFrom('sessions')
              .where('origin', '=', origin)
              .where('id', '=', session)
              .where('changed', '<=', changed)
              .execute()
            await forgetWatched(tx, origin, session, changed)
          }
          await upsertSessions(
            tx,
            origin,
            batch.sessions.map(({ session, changed }) => sessionRowOf(session, changed)),
          )
          if (batch.watch) await copyWatch(tx, origin, batch.watch)
          const bytes = total(added) - total(removed)
          await tx
            .updateTable('origins')
            .set({
              last_seq: sql`greatest(last_seq, ${batch.position.seq})`,
              changed: sql`greatest(changed, ${batch.position.changed})`,
              entries: sql`entries + ${added.length - removed.length}`,
              bytes: sql`bytes + ${bytes}`,
              copied_at: sql`now()`,
            })
            .where('origin', '=', origin)
            .execute()
        }),
      ),
  }
}

/** With `again`, existing entries are skipped. */
export async function insertEntries(
  db: Kysely<Tables>,
  origin: string,
  rows: readonly EntryRow[],
  again?: 'again',
): Promise<{ bytes: number }[]> {
  const added: { bytes: number }[] = []
  for (const some of chunks(rows)) {
    let insert = db
      .insertInto('entries')
      .values(some.map(row => ({ ...row, origin, body: Buffer.from(row.body as string) })))
    if (again) insert = insert.onConflict(conflict => conflict.doNothing())
    added.push(...(await insert.returning('bytes').execute()))
  }
  return added
}

export async function upsertSessions(
  db: Kysely<Tables>,
  origin: string,
  rows: readonly SessionRow[],
): Promise<void> {
  // One statement must not write the same row twice, so keep only the last version of each session.
  const latest = [...new Map(rows.map(row => [row.id, row])).values()]
  for (const some of chunks(latest)) {
    await db
      .insertInto('sessions')
      .values(some.map(row => ({ ...row, origin })))
      .onConflict(conflict =>
        conflict.columns(['origin', 'id']).doUpdateSet(row => ({
          native_session: row.ref('excluded.native_session'),
          started_at: row.ref('excluded.started_at'),
          last_seen_at: row.ref('excluded.last_seen_at'),
          ended_at: row.ref('excluded.ended_at'),
          changed: row.ref('excluded.changed'),
          data: row.ref('excluded.data'),
        })),
      )
      .execute()
  }
}

function total(rows: readonly { bytes: number }[]): number {
  return rows.reduce((sum, row) => sum + row.bytes, 0)
}

function* chunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
    yield rows.slice(start, start + ROWS_AT_ONCE)
}
