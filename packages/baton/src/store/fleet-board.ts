import { type Kysely, sql } from 'kysely'
import { type FleetBoard, MAX_SIGNATURE, MAX_TEXT } from '../ports/fleet-board.ts'
import { failure } from './failure.ts'
import { connectPostgres, type PostgresOptions } from './pool.ts'
import type { Tables } from './tables.ts'

/**
 * At most this many rows at a time, and none that is longer than any machine reads: what a stranger wrote must not fill the memory.
 * The database measures them, so that long ones are not even sent.
 */
const PAGE = 50
const MOST_ASKS = 200
const isReadable = sql<boolean>`octet_length(text) <= ${sql.lit(MAX_TEXT)} and octet_length(signature) <= ${sql.lit(MAX_SIGNATURE)}`

/** The board as rows in PostgreSQL. It connects when it is used for the first time. */
export function postgresBoard(url: string, options: PostgresOptions = {}): FleetBoard {
  let opened: ReturnType<typeof connectPostgres> | undefined
  const connection = () => {
    opened ??= connectPostgres(url, { max: 2, ...options }).catch(error => {
      // The next call tries again.
      opened = undefined
      throw error
    })
    return opened
  }

  async function run<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const { db, where } = await connection()
    try {
      return await work(db)
    } catch (error) {
      throw failure(error, where)
    }
  }

  /** One at a time until the commit: a reader never sees a number before a lower one. */
  const inTurn = <T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> =>
    run(db =>
      db.transaction().execute(async tx => {
        await sql`select pg_advisory_xact_lock(hashtextextended('baton fleet statements', 0))`.execute(tx)
        return work(tx)
      }),
    )

  const first = (db: Kysely<Tables>) =>
    db.selectFrom('fleet_statements').select('seq').limit(1).executeTakeFirst()

  return {
    async append(fleet, { text, signature }) {
      await inTurn(db => db.insertInto('fleet_statements').values({ fleet, text, signature }).execute())
    },
    found: (fleet, { text, signature }) =>
      inTurn(async db => {
        if (await first(db)) return false
        await db.insertInto('fleet_statements').values({ fleet, text, signature }).execute()
        return true
      }),
    hasFleet: () => run(async db => (await first(db)) !== undefined),
    statements: (fleet, after) =>
      run(db =>
        db
          .selectFrom('fleet_statements')
          .select(['seq', 'text', 'signature'])
          .where('fleet', '=', fleet)
          .where('seq', '>', after)
          // Higher ones cannot be told apart.
          .where('seq', '<', Number.MAX_SAFE_INTEGER)
          .where(isReadable)
          .orderBy('seq')
          .limit(PAGE)
          .execute(),
      ),
    async putAsk(fleet, machine, { ask, text, signature, isOpen }) {
      const changed = sql<Date>`clock_timestamp()`
      const values = { fleet, machine, text, signature, is_open: isOpen, changed }
      await run(db =>
        db
          .insertInto('fleet_asks')
          .values({ ask, ...values })
          .onConflict(conflict => conflict.columns(['machine', 'ask']).doUpdateSet(values))
          .execute(),
      )
    },
    asks: (fleet, ask) =>
      run(async db => {
        const rows = await db
          .selectFrom('fleet_asks')
          .select(['ask', 'text', 'signature', 'is_open'])
          .where('fleet', '=', fleet)
          .where(row => (ask === undefined ? row('is_open', '=', true) : row('ask', '=', ask)))
          .where(sql<boolean>`octet_length(ask) <= 200`)
          .where(isReadable)
          .orderBy('changed')
          .limit(MOST_ASKS)
          .execute()
        return rows.map(({ is_open, ...row }) => ({ ...row, isOpen: is_open }))
      }),
    async tidyAsks(fleet, machine) {
      await run(db =>
        db
          .deleteFrom('fleet_asks')
          .where('fleet', '=', fleet)
          .where('machine', '=', machine)
          .where('is_open', '=', false)
          .where(sql<boolean>`changed < clock_timestamp() - interval '1 day'`)
          .execute(),
      )
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}
