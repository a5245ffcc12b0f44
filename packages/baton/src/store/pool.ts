import { Kysely, PostgresDialect } from 'kysely'
import { failure } from './failure.ts'
import { migrate } from './migrations.ts'
import type { Tables } from './tables.ts'

export interface PostgresOptions {
  /** The origin whose journal this store reads and writes. */
  origin?: string
  /** The schema for Baton's tables, separate from the rest of the database. */
  schema?: string
  /** The maximum number of connections. */
  max?: number
}

/** Connects and migrates the tables. Loads `pg` only here, because most users have no PostgreSQL. */
export async function connectPostgres(url: string, options: PostgresOptions) {
  const { default: pg } = await import('pg')
  const where = withoutPassword(url)
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 3,
    application_name: 'baton',
    connectionTimeoutMillis: 5000,
    // Treat a server that hangs as failed; the copy tries again.
    query_timeout: 30_000,
    keepAlive: true,
    allowExitOnIdle: true,
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
  })
  // Without this listener, a broken idle connection would end the process.
  pool.on('error', () => {})
  const schema = options.schema ?? 'baton'
  const plain = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    await migrate(plain, 'postgres', { schema, where })
  } catch (error) {
    await plain.destroy()
    throw failure(error, where)
  }
  let closed = false
  return {
    db: plain.withSchema(schema),
    origin: options.origin ?? 'shared',
    where,
    close: async () => {
      if (!closed) await plain.destroy()
      closed = true
    },
  }
}

const INT8 = 20

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'the PostgreSQL database'
  const { host, pathname } = new URL(url)
  return `postgres://${host}${pathname}`
}
