import type { Spawn } from '@batonpass/contract/watch'
import { expect, it } from 'vitest'
import { OrphanProcesses } from '../../../src/session/watch/orphan-processes.ts'
import { sessionId } from '../../world/journal.ts'

const AGENT = { pid: 10, parent: 1, born: 'a', command: 'claude' }
const SERVER = { pid: 20, parent: 10, born: 'b', command: 'server' }

function bench() {
  const spawns = new Map<string, Spawn>()
  const world = { elapsed: 0, table: [AGENT, SERVER] }
  const parts = {
    self: 1,
    clock: { elapsed: () => world.elapsed, now: () => 0 },
    ids: { id: () => '0'.repeat(20) },
    processes: { table: async () => world.table },
    configOf: async () => ({ health: { enabled: false } }),
    store: {
      spawns: ({ status }: { status: string[] }) =>
        [...spawns.values()].filter(spawn => status.includes(spawn.status)),
      putSpawn: (spawn: Spawn) => spawns.set(spawn.id, spawn),
    },
  }
  const orphans = new OrphanProcesses(parts as never, { findings: async () => {} } as never)
  return {
    world,
    check: async (...sessions: [n: number, state: string][]) => {
      const watched = sessions.map(([n, state]) => ({
        id: sessionId(n),
        agent: 'claude-code',
        pid: AGENT.pid,
        state,
      }))
      await orphans.check(watched as never)
      world.elapsed += 60_000
      return [...spawns.values()].map(({ session, status }) => ({ session, status }))
    },
  }
}

it('A process of an agent that continues after /clear belongs to the new session, until that one is gone, too', async () => {
  const { check, world } = bench()
  const before = sessionId(1)
  const after = sessionId(2)
  await check([1, 'working'])
  expect(await check([1, 'working'])).toEqual([{ session: before, status: 'running' }])
  expect(await check([1, 'ended'], [2, 'working'])).toEqual([{ session: after, status: 'running' }])
  world.table = [{ ...SERVER, parent: 1 }]
  expect(await check([1, 'ended'], [2, 'gone'])).toEqual([{ session: after, status: 'abandoned' }])
})
