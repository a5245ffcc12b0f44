import { globSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Postgres, postgres, query } from '../../../baton/test/world/postgres.ts'
import { PSQL } from './generators/sql.ts'
import { TripWires } from './trip-wires.ts'
import { isHarmless, LINES, LONG, tryLines } from './try-lines.ts'

/** All that a statement may change: what tables and sequences hold, which objects there are, large objects. */
const STATE = `select (select string_agg(t::text, ';' order by t::text) from t) as rows, (select last_value from s) as number,
  (select count(*) from pg_class where relnamespace = 'public'::regnamespace) as relations, (select count(*) from pg_proc) as functions,
  (select count(*) from pg_largeobject_metadata) as objects`
const MAKE = `create table t (a int, b text); insert into t values (1, 'x'), (2, 'y'); create sequence s;
  create function touch() returns int language sql as 'insert into t values (9, null) returning a'`

/** Debian's `psql` is a Perl script that looks for this one each time. */
const CLIENT = globSync('/usr/lib/postgresql/*/bin/psql').at(-1) ?? 'psql'

let server: Postgres
let wires: TripWires
let url: string
let before: string

const state = async () => JSON.stringify(await query(url, STATE).catch(() => 'gone'))

/** A database of its own, as it was in the beginning. */
async function renew() {
  url = await server.database()
  await query(url, MAKE)
  before = await state()
}

beforeAll(async () => {
  server = await postgres()
  wires = new TripWires()
  await wires.listen()
  wires.keep()
  await renew()
}, 180_000)

afterAll(async () => {
  wires.close()
  await server[Symbol.asyncDispose]()
})

async function run(lines: readonly (readonly string[])[]) {
  const { hostname, port, username, pathname } = new URL(url)
  await wires.run(CLIENT, lines, {
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGDATABASE: pathname.slice(1),
  })
  const tripped = wires.whatTripped()
  if ((await state()) === before) return tripped
  await renew()
  return tripped ?? 'it changed the database'
}

test(
  'whatever is called harmless does nothing when it really runs',
  async () => {
    const seed = LONG ? Date.now() % 1_000_000 : 7
    const tried = await tryLines(PSQL.args, LINES, seed, words => isHarmless('psql', words), run)
    console.log(`psql: ${LINES} lines, ${tried.harmless} judged harmless and run`)
    expect(tried.missed, `seed ${seed}`).toBeUndefined()
    expect(tried.harmless / LINES).toBeGreaterThanOrEqual(0.3)
  },
  LONG ? 3_600_000 : 300_000,
)

test.each(Object.entries(PSQL.holes))(
  'a reader in which %s is found out',
  async (_, overlook) => {
    const judge = (words: readonly string[]) =>
      !isHarmless('psql', words) && isHarmless('psql', overlook(words))
    expect((await tryLines(PSQL.args, 20_000, 11, judge, run)).missed).toBeDefined()
  },
  300_000,
)
