import type { Kysely } from 'kysely'
import type { Store } from '../ports/store.ts'
import { canonical } from './rows.ts'
import type { Tables } from './tables.ts'

const STEP_ENTRIES = 1000

/** Removes the oldest entries of one origin in small transactions, so that the copy is never blocked for long. */
export async function prunePostgres(
  db: Kysely<Tables>,
  origin: string,
  limits: Parameters<Store['prune']>[0],
): Promise<{ removed: number; bytes: number }> {
  const sum = { removed: 0, bytes: 0 }
  for (;;) {
    const step = await pruneStep(db, origin, limits)
    if (step.removed === 0) return sum
    sum.removed += step.removed
    sum.bytes += step.bytes
  }
}

async function pruneStep(
  db: Kysely<Tables>,
  origin: string,
  { olderThan, maxBytes }: Parameters<Store['prune']>[0],
): Promise<{ removed: number; bytes: number }> {
  return db.transaction().execute(async tx => {
    const held = await tx
      .selectFrom('origins')
      .select('bytes')
      .where('origin', '=', origin)
      .forUpdate()
      .executeTakeFirst()
    const oldest = tx
      .selectFrom('entries')
      .select(['seq', 'at', 'bytes', 'session'])
      .where('origin', '=', origin)
      .limit(STEP_ENTRIES)
    let victims =
      olderThan === undefined
        ? []
        : await oldest.where('at', '<', canonical(olderThan)).orderBy('at').execute()
    let excess = (held?.bytes ?? 0) - (maxBytes ?? Number.POSITIVE_INFINITY)
    if (victims.length === 0 && excess > 0) {
      victims = (await oldest.orderBy('seq').execute()).filter(victim => {
        const still = excess > 0
        excess -= victim.bytes
        return still
      })
    }
    if (victims.length === 0) return { removed: 0, bytes: 0 }
    const mine = victims.map(victim => victim.seq)
    await tx.deleteFrom('entries').where('origin', '=', origin).where('seq', 'in', mine).execute()
    await removeEmptySessions(tx, origin, victims)
    const bytes = await discount(tx, origin, victims)
    return { removed: victims.length, bytes }
  })
}

async function removeEmptySessions(
  db: Kysely<Tables>,
  origin: string,
  victims: readonly { at: string; session: string | null }[],
): Promise<void> {
  const ids = [...new Set(victims.flatMap(victim => victim.session ?? []))]
  if (ids.length === 0) return
  const newest =
    victims
      .map(victim => victim.at)
      .sort()
      .at(-1) ?? ''
  await db
    .deleteFrom('sessions')
    .where('origin', '=', origin)
    .where('id', 'in', ids)
    .where('last_seen_at', '<=', newest)
    .where(row =>
      row.not(
        row.exists(
          row
            .selectFrom('entries')
            .select('seq')
            .whereRef('entries.origin', '=', 'sessions.origin')
            .whereRef('entries.session', '=', 'sessions.id'),
        ),
      ),
    )
    .execute()
}

/** Subtracts removed entries from the origin's counters and returns their size. */
export async function discount(
  db: Kysely<Tables>,
  origin: string,
  gone: readonly { bytes: number }[],
): Promise<number> {
  const bytes = gone.reduce((sum, entry) => sum + entry.bytes, 0)
  await db
    .updateTable('origins')
    .set(row => ({ entries: row('entries', '-', gone.length), bytes: row('bytes', '-', bytes) }))
    .where('origin', '=', origin)
    .execute()
  return bytes
}
