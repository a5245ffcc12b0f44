import { afterAll, beforeAll } from 'vitest'
import { postgresLeases } from '../../src/store/leases.ts'
import { fenceContract } from '../contracts/fence.contract.ts'
import { type Postgres, postgres, query } from '../world/postgres.ts'

const TWO_HOURS = 2 * 3_600_000

let server: Postgres
const open: ReturnType<typeof postgresLeases>[] = []
beforeAll(async () => {
  server = await postgres()
}, 60_000)
afterAll(async () => {
  await Promise.all(open.map(leases => leases.close()))
  await server?.[Symbol.asyncDispose]()
})

fenceContract('claims whose leases are in PostgreSQL', async () => {
  const url = await server.database()
  return {
    leases() {
      const leases = postgresLeases(url)
      open.push(leases)
      return leases
    },
    // The server's clock cannot be set: what it wrote down moves into the past instead.
    expire: async () => {
      await query(url, `update baton.leases set until = until - interval '${TWO_HOURS} milliseconds'`)
    },
    cut: () => server.stop(),
    mend: () => server.start(),
  }
})

fenceContract('claims whose leases are refs on the remote', async () => {
  const addresses = new Map<object, string>()
  return {
    leases: () => undefined,
    expire: async by => by.pass(TWO_HOURS),
    async cut(machine) {
      addresses.set(machine, await machine.git('remote', 'get-url', 'origin'))
      await machine.git('remote', 'set-url', 'origin', 'http://127.0.0.1:1/acme/app.git')
    },
    async mend(machine) {
      await machine.git('remote', 'set-url', 'origin', addresses.get(machine) ?? '')
    },
  }
})
