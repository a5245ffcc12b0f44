import { afterAll, beforeAll } from 'vitest'
import { postgresLeases } from '../../src/store/leases.ts'
import { leaseContract } from '../contracts/lease.contract.ts'
import { type Postgres, postgres, query } from '../world/postgres.ts'

let server: Postgres
beforeAll(async () => {
  server = await postgres()
}, 60_000)
afterAll(() => server?.[Symbol.asyncDispose]())

leaseContract('leases in PostgreSQL', async () => {
  const url = await server.database()
  const open: ReturnType<typeof postgresLeases>[] = []
  return {
    async machine() {
      const leases = postgresLeases(url)
      open.push(leases)
      return { leases, folder: '/nowhere' }
    },
    // The server's clock cannot be set: what it wrote down moves into the past instead.
    async pass(ms) {
      const ago = `interval '${Math.round(ms)} milliseconds'`
      await query(url, `update baton.leases set until = until - ${ago}, taken_at = taken_at - ${ago}`)
    },
    async close() {
      await Promise.all(open.map(leases => leases.close()))
    },
  }
})
