import { BatonError } from '@batonpass/contract/errors'
import { type ColumnDataType, type Kysely, type Migration, Migrator, sql } from 'kysely'
import { indexedType, rareKind } from './queries.ts'
import type { Tables } from './tables.ts'

export type Dialect = 'sqlite' | 'postgres'

/**
 * Every migration, oldest first; inline because the program is one bundled file.
 * Never edit a released migration: existing databases have already run it.
 */
const migrations: Record<string, (dialect: Dialect) => Migration | undefined> = {
  '0001_journal': dialect => ({
    async up(db) {
      const shared = dialect === 'postgres'
      const number: ColumnDataType = shared ? 'bigint' : 'integer'

      await db.schema
        .createTable('origins')
        .addColumn('origin', 'text', column => column.primaryKey())
        .addColumn('last_seq', number, column => column.notNull().defaultTo(0))
        .addColumn('changed', number, column => column.notNull().defaultTo(0))
        .addColumn('entries', number, column => column.notNull().defaultTo(0))
        .addColumn('bytes', number, column => column.notNull().defaultTo(0))
        // From the shared server's clock, because the machines' clocks differ.
        .$call(table => (shared ? table.addColumn('copied_at', 'timestamptz') : table))
        .execute()

      await db.schema
        .createTable('entries')
        .$call(table => (shared ? table.addColumn('origin', 'text', column => column.notNull()) : table))
        .addColumn('seq', number, column => (shared ? column.notNull() : column.primaryKey()))
        .addColumn('id', 'text', column => column.notNull())
        .addColumn('at', 'text', column => column.notNull())
        .addColumn('kind', 'text', column => column.notNull())
        .addColumn('type', 'text')
        .addColumn('agent', 'text')
        .addColumn('session', 'text')
        .addColumn('native_session', 'text')
        .addColumn('prompt_id', 'text')
        .addColumn('tool_use_id', 'text')
        .addColumn('project', 'text')
        .addColumn('request', 'text')
        .addColumn('bytes', number, column => column.notNull())
        // SQLite stores short bodies as text, so that its shell can show them.
        .addColumn('body', shared ? 'bytea' : 'blob', column => column.notNull())
        .$call(table => (shared ? table.addPrimaryKeyConstraint('entries_key', ['origin', 'seq']) : table))
        .execute()

      await db.schema
        .createTable('sessions')
        .$call(table => (shared ? table.addColumn('origin', 'text', column => column.notNull()) : table))
        .addColumn('id', 'text', column => (shared ? column.notNull() : column.primaryKey()))
        .addColumn('native_session', 'text', column => column.notNull())
        .addColumn('started_at', 'text', column => column.notNull())
        .addColumn('last_seen_at', 'text', column => column.notNull())
        .addColumn('ended_at', 'text')
        .addColumn('changed', number, column => column.notNull())
        .addColumn('data', 'text', column => column.notNull())
        .$call(table => (shared ? table.addPrimaryKeyConstraint('sessions_key', ['origin', 'id']) : table))
        .execute()

      const owned = (...columns: string[]) => (shared ? ['origin', ...columns] : columns)
      const index = (name: string, table: string, columns: string[]) =>
        db.schema
          .createIndex(name)
          .on(table)
          .columns(owned(...columns))
      // Each index adds a page that every hook's write has to touch, so create only what queries need.
      await index('entries_at', 'entries', ['at']).execute()
      for (const column of ['session', 'project'] as const) {
        await index(`entries_${column}`, 'entries', [column, 'seq']).where(column, 'is not', null).execute()
      }
      await index('entries_rare', 'entries', ['kind', 'seq']).where(rareKind).execute()
      await index('entries_request', 'entries', ['request'])
        .unique()
        .where('request', 'is not', null)
        .execute()

      if (shared) return
      await db.schema
        .createTable('forgotten')
        .addColumn('changed', number, column => column.primaryKey())
        .addColumn('session', 'text', column => column.notNull())
        .addColumn('up_to', number, column => column.notNull())
        .execute()
      // A random name for this machine's journal in a shared copy.
      await sql`insert into origins (origin) values ('org_' || lower(hex(randomblob(10))))`.execute(db)
    },
  }),

  // Asks are answered on the machine that asks, so the shared database does not contain them.
  '0002_asks': dialect => ({
    async up(db) {
      if (dialect === 'postgres') return
      await db.schema
        .createTable('asks')
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('key', 'text', column => column.notNull())
        .addColumn('fingerprint', 'text', column => column.notNull())
        .addColumn('session', 'text')
        .addColumn('state', 'text', column => column.notNull())
        .addColumn('created_at', 'text', column => column.notNull())
        .addColumn('data', 'text', column => column.notNull())
        .execute()
      await db.schema.createIndex('asks_key').on('asks').columns(['key', 'fingerprint']).execute()
      await db.schema
        .createIndex('asks_open')
        .on('asks')
        .column('id')
        .where(sql<boolean>`state = 'open'`)
        .execute()
      await db.schema
        .createTable('allowed_for_session')
        .addColumn('fingerprint', 'text', column => column.primaryKey())
        .addColumn('session', 'text')
        .addColumn('ask', 'text', column => column.notNull())
        .execute()
      await db.schema
        .createTable('channel_memory')
        .addColumn('channel', 'text', column => column.notNull())
        .addColumn('key', 'text', column => column.notNull())
        .addColumn('value', 'text', column => column.notNull())
        .addPrimaryKeyConstraint('channel_memory_key', ['channel', 'key'])
        .execute()
    },
  }),

  // Leases are stored here only if several machines share a database.
  '0003_leases': dialect => ({
    async up(db) {
      if (dialect === 'sqlite') return
      await db.schema
        .createTable('leases')
        .addColumn('repository', 'text', column => column.notNull())
        .addColumn('issue', 'bigint', column => column.notNull())
        // The row stays after a release, so that the next holder's token is larger.
        .addColumn('token', 'bigint', column => column.notNull())
        .addColumn('claim', 'text')
        .addColumn('agent', 'text', column => column.notNull())
        .addColumn('host', 'text', column => column.notNull())
        .addColumn('taken_at', 'timestamptz', column => column.notNull())
        .addColumn('until', 'timestamptz', column => column.notNull())
        .addPrimaryKeyConstraint('leases_key', ['repository', 'issue'])
        .execute()
    },
  }),

  // A cycle acts on a terminal of its own machine, so the shared database does not contain it.
  '0004_cycles': dialect => ({
    async up(db) {
      if (dialect === 'postgres') return
      await db.schema
        .createTable('cycles')
        .addColumn('id', 'text', column => column.primaryKey())
        .addColumn('version', 'integer', column => column.notNull())
        .addColumn('session', 'text', column => column.notNull())
        .addColumn('successor', 'text')
        .addColumn('open', 'integer', column => column.notNull())
        .addColumn('started_at', 'text', column => column.notNull())
        .addColumn('data', 'text', column => column.notNull())
        .execute()
    },
  }),

  // Watched sessions, spawns and health checks, keyed by session; also copied to the shared database.
  '0005_watch': dialect => ({
    async up(db) {
      const shared = dialect === 'postgres'
      const number: ColumnDataType = shared ? 'bigint' : 'integer'
      const create = (name: string, key: string) =>
        db.schema
          .createTable(name)
          .$call(table => (shared ? table.addColumn('origin', 'text', column => column.notNull()) : table))
          .addColumn(key, 'text', column => (shared ? column.notNull() : column.primaryKey()))
          .addColumn('changed', number, column => column.notNull())
          .addColumn('project', 'text')
          .$call(table =>
            shared ? table.addPrimaryKeyConstraint(`${name}_key`, ['origin', key as never]) : table,
          )
      await create('ps_sessions', 'session')
        .addColumn('agent', 'text', column => column.notNull())
        .addColumn('native_session', 'text')
        .addColumn('place', 'text')
        .addColumn('pid', number)
        .addColumn('status', 'text', column => column.notNull())
        .addColumn('context_usage', shared ? 'double precision' : 'real', column => column.notNull())
        .addColumn('estimated_tokens_used', number, column => column.notNull())
        .addColumn('last_context_check', 'text')
        .addColumn('last_output', 'text')
        .addColumn('started_at', 'text', column => column.notNull())
        .addColumn('updated_at', 'text', column => column.notNull())
        .execute()
      await create('active_spawns', 'id')
        .addColumn('kind', 'text', column => column.notNull())
        .addColumn('session', 'text')
        .addColumn('agent', 'text', column => column.notNull())
        .addColumn('place', 'text')
        .addColumn('pid', number)
        .addColumn('born', 'text')
        .addColumn('title', 'text', column => column.notNull())
        .addColumn('status', 'text', column => column.notNull())
        .addColumn('started_at', 'text', column => column.notNull())
        .addColumn('ended_at', 'text')
        .execute()
      await create('health_checks', 'id')
        .addColumn('session', 'text', column => column.notNull())
        .addColumn('check_type', 'text', column => column.notNull())
        .addColumn('status', 'text', column => column.notNull())
        .addColumn('details', shared ? 'jsonb' : 'text', column => column.notNull())
        .addColumn('action_taken', 'text')
        .addColumn('ps_response', 'text')
        .addColumn('created_at', 'text', column => column.notNull())
        .execute()
      const owned = (...columns: string[]) => (shared ? ['origin', ...columns] : columns)
      for (const table of ['ps_sessions', 'active_spawns', 'health_checks'])
        await db.schema.createIndex(`${table}_changed`).on(table).columns(owned('changed')).execute()
      await db.schema
        .createIndex('health_checks_session')
        .on('health_checks')
        .columns(owned('session', 'check_type', 'created_at'))
        .execute()
    },
  }),

  // Indexes for views over many sessions. PostgreSQL does not list this migration: machines with an older Baton share it.
  '0006_growth': dialect => {
    if (dialect === 'postgres') return undefined
    return {
      async up(db) {
        const index = (name: string, ...columns: string[]) =>
          db.schema.createIndex(name).on('sessions').columns(columns)
        await index('sessions_native', 'native_session').execute()
        await index('sessions_changed', 'changed').execute()
        await index('sessions_live', 'last_seen_at', 'id').where('ended_at', 'is', null).execute()
        await index('sessions_ended', 'last_seen_at', 'id').where('ended_at', 'is not', null).execute()
        await db.schema
          .createIndex('entries_type')
          .on('entries')
          .columns(['type', 'seq'])
          .where(indexedType)
          .execute()
      },
    }
  },

  // What a machine of a fleet reports about itself.
  '0007_lease_details': dialect =>
    dialect === 'sqlite'
      ? undefined
      : {
          async up(db) {
            await db.schema.alterTable('leases').addColumn('details', 'text').execute()
          },
        },

  // What machines of a fleet sign: who belongs to it, and asks with their answers.
  '0008_fleet_board': dialect =>
    dialect === 'sqlite'
      ? undefined
      : {
          async up(db) {
            await db.schema
              .createTable('fleet_statements')
              .addColumn('seq', 'bigserial', column => column.primaryKey())
              .addColumn('fleet', 'text', column => column.notNull())
              .addColumn('text', 'text', column => column.notNull())
              .addColumn('signature', 'text', column => column.notNull())
              .execute()
            await db.schema
              .createTable('fleet_asks')
              .addColumn('machine', 'text', column => column.notNull())
              .addColumn('ask', 'text', column => column.notNull())
              .addColumn('fleet', 'text', column => column.notNull())
              .addColumn('text', 'text', column => column.notNull())
              .addColumn('signature', 'text', column => column.notNull())
              .addColumn('is_open', 'boolean', column => column.notNull())
              .addColumn('changed', 'timestamptz', column => column.notNull())
              .addPrimaryKeyConstraint('fleet_asks_key', ['machine', 'ask'])
              .execute()
          },
        },
}

/** Migrates a database to this version. Refuses a database of a newer version. */
export async function migrate(
  db: Kysely<Tables>,
  dialect: Dialect,
  { schema, where }: { schema?: string; where: string },
): Promise<void> {
  const list = Object.fromEntries(
    Object.entries(migrations).flatMap(([name, make]) => {
      const migration = make(dialect)
      return migration ? [[name, migration]] : []
    }),
  )
  const migrator = new Migrator({
    db: schema ? db.withSchema(schema) : db,
    provider: { getMigrations: async () => list },
    // The SQLite caller wraps everything in one transaction, so that two processes do not migrate at once.
    disableTransactions: dialect === 'sqlite',
    ...(schema ? { migrationTableSchema: schema } : {}),
  })
  await refuseNewer(db, schema, where)
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}

async function refuseNewer(db: Kysely<Tables>, schema: string | undefined, where: string): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(table => table.name === 'kysely_migration' && (!schema || table.schema === schema))) return
  const named = (schema ? db.withSchema(schema) : db) as unknown as Kysely<{
    kysely_migration: { name: string }
  }>
  const done = await named.selectFrom('kysely_migration').select('name').execute()
  const strange = done.find(row => !(row.name in migrations))
  if (!strange) return
  throw new BatonError(
    'database_newer',
    `${where} was written by a newer version of Baton (${strange.name})`,
    {
      remedy:
        'Install the newer version again (npm install -g batonpass@latest), or point BATON_HOME at another folder to start a new journal.',
    },
  )
}
