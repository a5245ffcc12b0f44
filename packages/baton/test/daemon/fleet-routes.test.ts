import { FleetPage } from '@batonpass/contract/fleet'
import { expect, test } from 'vitest'
import { FleetKeeper } from '../../src/compose/fleet-keeper.ts'
import { fleetRoutes } from '../../src/daemon/fleet-routes.ts'
import { add, clone, machine, SharedWorld } from '../fleet/fleet-world.ts'

const pageOf = async (api: ReturnType<typeof fleetRoutes>) =>
  FleetPage.parse(await (await api.request('/api/page/fleet')).json())

test('the page of the fleet loads nothing before a queue was used here', async () => {
  const keeper = new FleetKeeper('/nowhere', async () => {
    throw new Error('loaded')
  })
  expect(await pageOf(fleetRoutes(keeper))).toEqual({ sessions: [] })
})

test('the page of the fleet shows every machine, what it works on and what was merged', async () => {
  const shared = new SharedWorld()
  const [one, two] = [machine('one', shared), machine('two', shared)]
  const [first, second] = [one.daemon(), two.daemon()]
  for (const fleet of [first, second]) await fleet.order({ mode: 'up', slots: 2, projects: ['/p'] })
  const keeper = new FleetKeeper('/nowhere', async () => ({ fleet: second, close: async () => {} }))
  await keeper.get()
  const api = fleetRoutes(keeper)
  for (const issue of [1, 2]) await add(first, issue)
  await first.tick()
  await first.tick()
  const { status, sessions, merged } = await pageOf(api)
  expect(status?.jobs.map(({ issue, state, machine: on }) => [issue, state, on])).toEqual([
    [1, 'working', 'one'],
    [2, 'working', 'one'],
  ])
  expect(status?.machines.map(({ name, busy, budget }) => [name, busy, budget?.limits])).toEqual([
    ['one', 2, { money: 10 }],
    ['two', 0, { money: 10 }],
  ])
  expect([sessions, merged]).toEqual([[], []])

  // Its pull request is merged: the time since the issue was added counts.
  one.facts.set(clone(1), {
    claim: { phase: 'pr_created', isLost: false, pull: { number: 7, url: 'https://x/7', state: 'merged' } },
  })
  await first.tick()
  one.facts.set(clone(1), { claim: undefined as never, pullState: 'merged' })
  await first.tick()
  await first.tick()
  const after = await pageOf(api)
  expect(after.merged).toMatchObject([
    { issue: 1, addedAt: expect.any(String), mergedAt: expect.any(String) },
  ])
  expect(after.status?.jobs.map(({ issue }) => issue)).toEqual([2])

  // Without the database the page shows the rest.
  shared.queue.isAway = true
  expect(await pageOf(api)).not.toHaveProperty('merged')
})
