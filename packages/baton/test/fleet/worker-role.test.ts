import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openJobQueue } from '../../src/adapters/pg-boss/job-queue.ts'
import { findQueuePackages } from '../../src/adapters/pg-boss/queue-packages.ts'
import { postgresBoard } from '../../src/store/fleet-board.ts'
import { postgresLeases } from '../../src/store/leases.ts'
import { WORKER_ROLE } from '../../src/store/worker-role.ts'
import { type Postgres, postgres, query } from '../world/postgres.ts'
import { admit, machineOn } from './membership-world.ts'

let server: Postgres
let [owner, worker] = ['', '']
const boss = findQueuePackages('/nowhere')?.boss ?? ''
beforeAll(async () => {
  server = await postgres()
  owner = await server.database()
  const first = machineOn(owner, 'first')
  await first.membership.ensure()
  await first.close()
  await (await openJobQueue(owner, boss)).close()
  // Twice: it is run again after an update.
  await query(owner, WORKER_ROLE)
  await query(owner, WORKER_ROLE)
  await query(
    owner,
    'revoke create on schema public from public; create role laptop login in role baton_worker',
  )
  const url = new URL(owner)
  url.username = 'laptop'
  worker = url.href
}, 120_000)
afterAll(() => server?.[Symbol.asyncDispose]())

const name = { repository: 'github.com/acme/app', issue: 1, folder: '' }
const holder = { claim: 'c', agent: 'a', host: 'h' }
const evidence = { reason: 'it stalled', at: '2026-01-01T00:00:00.000Z' }

describe('a login with the role of a worker', () => {
  test('is enough for the queue, for leases, to join, and for asks', async () => {
    const queue = await openJobQueue(worker, boss)
    const data = { repository: name.repository, project: '/work/app', issue: 1, priority: 0 }
    const job = await queue.add(data)
    expect(await queue.take(job?.id ?? '', 'laptop', 2)).toMatchObject({ state: 'active' })
    expect(await queue.saveProgress({ data, machine: 'laptop', isInReview: false })).toBe(true)
    expect(await queue.fail(job?.id ?? '', evidence)).toBe('waiting')
    await queue.remove(job?.id ?? '')
    const second = await queue.add({ ...data, issue: 2 })
    await queue.take(second?.id ?? '', 'laptop', 2)
    const again = await queue.putBack(second?.id ?? '', 0, evidence)
    await queue.take(again ?? '', 'laptop', 2)
    await queue.complete(again ?? '')
    expect(await queue.reclaim({ ...data, issue: 2 }, 'laptop', evidence)).toBe(false)
    for (const { data: each, machine } of await queue.progress()) await queue.dropProgress(each, machine)
    expect([await queue.list(), await queue.progress()]).toEqual([[], []])
    await queue.close()

    const leases = postgresLeases(worker)
    const taken = await leases.take(name, holder, 60_000)
    const handle = taken.held ? taken.handle : { claim: '', token: 0 }
    expect(await leases.renew(name, handle, 60_000)).toBe(true)
    const other = await leases.takeOver(name, { ...holder, claim: 'd' }, 60_000, handle.token)
    expect(other.held && (await leases.release(name, other.handle))).toBe(true)
    await leases.close()

    const member = machineOn(owner, 'member')
    await member.membership.foundAgain()
    const joining = machineOn(worker, 'laptop')
    await admit(member, joining)
    const fleet = joining.file()?.fleet ?? ''
    await joining.board.putAsk(fleet, 'key', { ask: 'ask', text: 'x', signature: 'y', isOpen: true })
    await joining.board.putAsk(fleet, 'key', { ask: 'ask', text: 'x', signature: 'y', isOpen: false })
    await joining.board.tidyAsks(fleet, 'key')
    await member.close()
    await joining.close()
  })

  test.each([
    ['deletes no statement', 'delete from baton.fleet_statements'],
    ['changes no statement', "update baton.fleet_statements set text = 'x'"],
    ['chooses no number for a statement', "insert into baton.fleet_statements values (0, 'f', 't', 's')"],
    ['empties no table', 'truncate baton.fleet_statements'],
    ['deletes no lease, whose number must only grow', 'delete from baton.leases'],
    ['drops no table', 'drop table baton.leases'],
    ['creates no table', 'create table baton.mine (a int)'],
    ['creates no schema', 'create schema mine'],
    ['reads no journal', 'select * from baton.entries'],
    ['gives its rights to no one', 'grant baton_worker to postgres'],
  ])('%s', async (_, statement) => {
    await expect(query(worker, statement)).rejects.toThrow(
      /permission denied|must be owner|admin option|ADMIN/,
    )
  })

  test('reads statements that are there', async () => {
    const board = postgresBoard(worker)
    expect(await board.hasFleet()).toBe(true)
    await board.close()
  })
})
