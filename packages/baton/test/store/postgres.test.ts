import { BatonError } from '@batonpass/contract/errors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../src/store/postgres.ts'
import { storeContract } from '../contracts/store.contract.ts'
import { anEntry } from '../world/journal.ts'
import { type Postgres, postgres, query } from '../world/postgres.ts'

let server: Postgres
beforeAll(async () => {
  server = await postgres()
})
afterAll(() => server[Symbol.asyncDispose]())

storeContract('PostgreSQL', async () => openPostgres(await server.database()), 15)

describe('PostgreSQL', () => {
  test('keeps the journals of two origins apart', async () => {
    const url = await server.database()
    const [one, two] = await Promise.all([
      openPostgres(url, { origin: 'one' }),
      openPostgres(url, { origin: 'two' }),
    ])
    await one.record([anEntry('a', { request: 'same' }), anEntry('b')])
    await two.record([anEntry('c', { request: 'same' })])
    expect(await one.entries({})).toHaveLength(2)
    expect((await two.entries({})).map(entry => entry.seq)).toEqual([1])
    await Promise.all([one.close(), two.close()])
  })

  test('uses its own schema', async () => {
    const url = await server.database()
    await query(url, 'create table public.entries (mine int)')
    const store = await openPostgres(url)
    await store.record([anEntry('a')])
    await store.close()
    expect(await query(url, 'select * from public.entries')).toEqual([])
  })

  test('refuses a database that a newer Baton has written', async () => {
    const url = await server.database()
    await (await openPostgres(url)).close()
    await query(url, "insert into baton.kysely_migration values ('9999_future', '2030')")
    await expect(openPostgres(url)).rejects.toMatchObject({ code: 'database_newer' })
  })

  test('says what to do when the server is away, without the password', async () => {
    const error = await openPostgres('postgres://me:hunter2@127.0.0.1:1/x').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(BatonError)
    expect(error).toMatchObject({ code: 'database_failed', remedy: expect.stringContaining('store.url') })
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2')
  })
})
