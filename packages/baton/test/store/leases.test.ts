import { afterAll, beforeAll, expect, test } from 'vitest'
import { MachineLeases } from '../../src/fleet/machine-leases.ts'
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

test('a row with an endless time or endless details hides no machine', async () => {
  const url = await server.database()
  const leases = postgresLeases(url)
  try {
    const report = {
      mode: 'up' as const,
      slots: 2,
      busy: 0,
      agents: [],
      sessions: [],
      merges: [],
      changes: [],
    }
    const machineNamed = (name: string) =>
      new MachineLeases({
        leases,
        machine: async () => ({ id: name, name }),
        ttlMs: () => 60_000,
        clock: { elapsed: () => performance.now() },
      })
    await machineNamed('one').report(report)
    await query(
      url,
      `insert into baton.leases (repository, issue, claim, agent, host, token, taken_at, until, details)
       select 'fleet machines', n, 'claim', repeat('a', 300000), 'h', 1, now(), times.until::timestamptz, repeat('a', 300000)
       from (values (1, 'infinity'), (2, '-infinity'), (3, '290000-01-01')) as times(n, until)`,
    )
    const machines = await machineNamed('one').machines()
    expect(machines.filter(({ isHere }) => isHere)).toMatchObject([{ name: 'one', isAlive: true, slots: 2 }])
    expect(machines).toHaveLength(4)
    for (const { until, name } of machines) {
      expect(until).toMatch(/^\d{4}-/)
      expect(name.length).toBeLessThanOrEqual(1000)
    }
    const listed = await leases.list({ repository: 'fleet machines', folder: '' })
    expect(Math.max(...listed.map(({ details }) => details?.length ?? 0))).toBeLessThan(1000)
  } finally {
    await leases.close()
  }
})
