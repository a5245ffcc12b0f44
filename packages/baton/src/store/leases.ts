import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { HeldLease, LeaseAttempt, LeaseName, LeaseOwner, Leases } from '../ports/lease.ts'
import { failure } from './failure.ts'
import { connectPostgres, type PostgresOptions } from './pool.ts'
import type { Tables } from './tables.ts'

type Row = Omit<Selectable<Tables['leases']>, 'repository'> & { dead: boolean }

const MAX_NAME = 1000
const MAX_DETAILS = 128 * 1024
const MOST_LEASES = 500
/** The end of the year 9999: every clock and schema can write it. */
const LATEST = Date.UTC(9999, 11, 31)

/** Leases as rows in a shared database. All times come from the server, and tokens only grow. */
export function postgresLeases(
  url: string,
  options: PostgresOptions = {},
): Leases & { close(): Promise<void> } {
  let opened: ReturnType<typeof connectPostgres> | undefined
  const connection = () => {
    opened ??= connectPostgres(url, options).catch(error => {
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

  return {
    kind: 'postgres',
    take: (name, owner, ttlMs) => run(db => taken(db, name, owner, () => takeFree(db, name, owner, ttlMs))),
    takeOver: (name, owner, ttlMs, seen) =>
      run(db =>
        taken(db, name, owner, async () => {
          const over = await db
            .updateTable('leases')
            .set({ ...values(owner, ttlMs), token: sql<number>`token + 1` })
            .where('repository', '=', name.repository)
            .where('issue', '=', name.issue)
            .where('token', '=', seen)
            .where('claim', 'is not', null)
            .returning('token')
            .executeTakeFirst()
          return over ?? takeFree(db, name, owner, ttlMs)
        }),
      ),
    holds: (name, { claim, token }) =>
      run(async db => {
        const row = await find(db, name)
        return row?.claim === claim && row.token === token
      }),
    renew: (name, { claim, token }, ttlMs) =>
      run(async db => {
        const done = await own(db, name, claim, token)
          .set({ until: later(ttlMs) })
          .executeTakeFirst()
        return done.numUpdatedRows > 0n
      }),
    release: (name, { claim, token }) =>
      run(async db => {
        const done = await own(db, name, claim, token).set({ claim: null }).executeTakeFirst()
        return done.numUpdatedRows > 0n
      }),
    find: name =>
      run(async db => {
        const row = await find(db, name)
        return row && holding(row)
      }),
    list: ({ repository }) =>
      run(async db => {
        const rows = await db
          .selectFrom('leases')
          .select(columns)
          .select(isDead)
          .where('repository', '=', repository)
          .where('claim', 'is not', null)
          .orderBy('issue')
          .limit(MOST_LEASES)
          .execute()
        return rows.map(holding)
      }),
    async close() {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}

const now = sql<Date>`clock_timestamp()`
const later = (ms: number): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() + ${Math.round(ms)} * interval '1 millisecond'`
/** What a stranger wrote must not fill the memory: details longer than any machine reads are not sent, nor are endless names. */
const columns = [
  'issue' as const,
  'token' as const,
  'taken_at' as const,
  'until' as const,
  sql<string | null>`left(claim, ${sql.lit(MAX_NAME)})`.as('claim'),
  sql<string>`left(agent, ${sql.lit(MAX_NAME)})`.as('agent'),
  sql<string>`left(host, ${sql.lit(MAX_NAME)})`.as('host'),
  sql<string | null>`case when octet_length(details) <= ${sql.lit(MAX_DETAILS)} then details end`.as(
    'details',
  ),
]
const isDead = sql<boolean>`until < clock_timestamp()`.as('dead')

const find = (db: Kysely<Tables>, { repository, issue }: LeaseName): Promise<Row | undefined> =>
  db
    .selectFrom('leases')
    .select(columns)
    .select(isDead)
    .where('repository', '=', repository)
    .where('issue', '=', issue)
    .where('claim', 'is not', null)
    .executeTakeFirst()

const values = ({ claim, agent, host, details }: LeaseOwner, ttlMs: number) => ({
  claim,
  agent,
  host,
  details: details ?? null,
  taken_at: now,
  until: later(ttlMs),
})

/** One statement, so that exactly one of two concurrent calls wins. */
const takeFree = (db: Kysely<Tables>, name: LeaseName, owner: LeaseOwner, ttlMs: number) =>
  db
    .insertInto('leases')
    .values({ repository: name.repository, issue: name.issue, token: 1, ...values(owner, ttlMs) })
    .onConflict(conflict =>
      conflict
        .columns(['repository', 'issue'])
        .doUpdateSet({
          ...values(owner, ttlMs),
          token: sql<number>`case when leases.claim is null then leases.token + 1 else leases.token end`,
        })
        .where(free => free.or([free('leases.claim', 'is', null), free('leases.claim', '=', owner.claim)])),
    )
    .returning('token')
    .executeTakeFirst()

async function taken(
  db: Kysely<Tables>,
  name: LeaseName,
  owner: LeaseOwner,
  attempt: () => Promise<{ token: number } | undefined>,
): Promise<LeaseAttempt> {
  for (;;) {
    const got = await attempt()
    if (got) return { held: true, handle: { claim: owner.claim, token: got.token } }
    const by = await find(db, name)
    if (by) return { held: false, by: holding(by) }
    // The holder released it in the meantime, so it is free now.
  }
}

const own = (db: Kysely<Tables>, { repository, issue }: LeaseName, claim: string, token: number) =>
  db
    .updateTable('leases')
    .where('repository', '=', repository)
    .where('issue', '=', issue)
    .where('claim', '=', claim)
    .where('token', '=', token)

const holding = ({ issue, claim, agent, host, details, token, taken_at, until, dead }: Row): HeldLease => ({
  issue,
  claim: claim ?? '',
  agent,
  host,
  ...(details === null ? {} : { details }),
  token,
  takenAt: timeOf(taken_at),
  until: timeOf(until),
  dead,
})

/** Someone can write 'infinity' or a year that no Date holds: such a row must not hide the others. */
function timeOf(value: Date | number | null): number {
  const ms = Number(value ?? LATEST)
  return Number.isNaN(ms) ? LATEST : Math.max(0, Math.min(ms, LATEST))
}
