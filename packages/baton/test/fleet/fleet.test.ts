import { BatonError } from '@batonpass/contract/errors'
import { describe, expect, test } from 'vitest'
import type { Fleet } from '../../src/fleet/fleet.ts'
import { add, clone, machine, opened, REPOSITORY } from './fleet-world.ts'

describe('the fleet', () => {
  test('works on as many issues as there are slots, and on the next one when a pull request is open', async () => {
    const here = machine()
    const fleet = here.daemon()
    for (const issue of [1, 2, 3]) await add(fleet, issue)
    await fleet.order({ mode: 'up', slots: 2 })
    await fleet.tick()
    expect(here.started).toHaveLength(2)
    here.facts.set(clone(1), opened)
    await fleet.tick()
    await fleet.tick()
    expect(here.started.map(line => line.split(' ')[0])).toEqual([clone(1), clone(2), clone(3)])
    expect(await fleet.status()).toMatchObject({ busy: 2, slots: 2, mode: 'up' })
    expect((await fleet.list()).map(({ issue, state }) => `${issue} ${state}`).sort()).toEqual([
      '1 review',
      '2 working',
      '3 working',
    ])
  })

  test('has one job for each issue: a second add changes nothing, also while its pull request is in review', async () => {
    const here = machine()
    const fleet = here.daemon()
    expect(await add(fleet, 1)).toMatchObject({ fresh: true, job: { state: 'waiting' } })
    expect(await add(fleet, 1)).toMatchObject({ fresh: false })
    await fleet.order({ mode: 'up' })
    await fleet.tick()
    here.facts.set(clone(1), opened)
    await fleet.tick()
    expect(await add(fleet, 1)).toMatchObject({
      fresh: false,
      job: { state: 'review', pullRequest: 'https://x/7' },
    })
  })

  test('tries a job that fails again in the same clone, and then leaves it to a person with the evidence', async () => {
    const here = machine()
    const fleet = here.daemon()
    await add(fleet, 1)
    await fleet.order({ mode: 'up' })
    await fleet.tick()
    here.pass(120_000)
    here.agents.clear()
    await fleet.tick()
    await fleet.tick()
    expect(here.started).toHaveLength(2)
    here.pass(120_000)
    here.agents.clear()
    await fleet.tick()
    await fleet.tick()
    const [job] = await fleet.list()
    expect(job).toMatchObject({
      state: 'failed',
      failures: 2,
      evidence: { reason: 'The agent ended without handing the branch off', clone: clone(1) },
    })
    expect(here.entries).toContain('1 gave-up')
    expect(here.entries.at(-1)).toContain('issue #1 failed twice and waits for you')
    await fleet.retry('/p', 1)
    await fleet.tick()
    expect(here.started).toHaveLength(3)
    expect(here.clones).toEqual(new Set([clone(1)]))
  })

  test('puts an issue that is blocked back without counting a failure, and tries it later', async () => {
    const here = machine()
    const fleet = here.daemon()
    await add(fleet, 1)
    here.refuseClaims(new BatonError('claim_refused', 'Issue #1 is blocked by #2'))
    await fleet.order({ mode: 'up' })
    await fleet.tick()
    expect((await fleet.list())[0]).toMatchObject({
      state: 'waiting',
      failures: 0,
      reason: 'Issue #1 is blocked by #2',
    })
    here.refuseClaims(undefined)
    await fleet.tick()
    expect(here.started).toHaveLength(0)
    here.pass(10 * 60_000)
    await fleet.tick()
    expect(here.started).toHaveLength(1)
  })

  test.each(['clone', 'claim', 'start'] as const)(
    'killed before the %s, the next daemon continues with one agent',
    async where => {
      const here = machine()
      const first = here.daemon()
      await add(first, 1)
      // The record is on disk, and the process is gone.
      here.killBefore(where)
      here.queue.fail = () => new Promise(() => {})
      void first.order({ mode: 'up' })
      await expect.poll(here.records).toHaveLength(1)
      const next = machineDaemon(here)
      here.pass(120_000)
      await next.tick()
      await next.tick()
      expect(here.started).toHaveLength(1)
      expect(await here.records()).toMatchObject([{ stage: 'working' }])
    },
  )

  test('takes over a job that a killed daemon took from the queue and did not write down', async () => {
    const here = machine()
    const first = here.daemon()
    await add(first, 1)
    here.killBefore('record')
    await first.order({ mode: 'up' })
    await expect.poll(() => here.queue.list()).toMatchObject([{ state: 'active' }])
    expect(await here.records()).toEqual([])
    const next = here.daemon()
    await next.tick()
    expect(here.started).toHaveLength(1)
  })

  test('killed when a pull request is open and the queue does not know it yet, completes the job and keeps the agent', async () => {
    const here = machine()
    const first = here.daemon()
    await add(first, 1)
    await first.order({ mode: 'up' })
    await first.tick()
    here.facts.set(clone(1), opened)
    here.queue.complete = () => new Promise(() => {})
    void first.tick()
    await expect.poll(here.records).toMatchObject([{ stage: 'review' }])
    Reflect.deleteProperty(here.queue, 'complete')
    const next = here.daemon()
    await next.tick()
    expect(await here.queue.list()).toEqual([])
    expect(await here.records()).toMatchObject([{ stage: 'review' }])
    expect([here.agents.size, here.started.length]).toEqual([1, 1])
  })

  test('without its database, follows its agents and starts nothing new', async () => {
    const here = machine()
    const fleet = here.daemon()
    for (const issue of [1, 2]) await add(fleet, issue)
    await fleet.order({ mode: 'up', slots: 1 })
    await fleet.tick()
    here.queue.isAway = true
    here.facts.set(clone(1), opened)
    await fleet.tick()
    expect(await fleet.status()).toMatchObject({
      problem: 'The database is away',
      busy: 0,
      jobs: [{ issue: 1, state: 'review' }],
    })
    expect(here.started).toHaveLength(1)
    here.queue.isAway = false
    here.pass(60_000)
    await fleet.tick()
    await fleet.tick()
    expect((await fleet.list()).map(({ issue, state }) => `${issue} ${state}`)).toEqual([
      '2 working',
      '1 review',
    ])
  })

  test('paused starts nothing; drained goes down when the agents are done; down ends them and keeps their clones', async () => {
    const here = machine()
    const fleet = here.daemon()
    for (const issue of [1, 2, 3]) await add(fleet, issue)
    await fleet.order({ mode: 'up', slots: 1 })
    await fleet.tick()
    await fleet.order({ mode: 'paused' })
    here.facts.set(clone(1), opened)
    await fleet.tick()
    expect(here.started).toHaveLength(1)
    await fleet.order({ mode: 'up' })
    await fleet.tick()
    await fleet.order({ mode: 'draining' })
    await fleet.tick()
    expect(await fleet.status()).toMatchObject({ mode: 'draining', busy: 1 })
    here.facts.set(clone(2), opened)
    await fleet.tick()
    await fleet.tick()
    expect(await fleet.status()).toMatchObject({ mode: 'down', busy: 0 })
    await fleet.order({ mode: 'up' })
    await fleet.tick()
    expect(here.started).toHaveLength(3)
    await fleet.order({ mode: 'down' })
    expect(here.agents.size).toBe(0)
    expect(here.clones).toContain(clone(3))
    expect((await fleet.list()).find(({ issue }) => issue === 3)).toMatchObject({
      state: 'waiting',
      failures: 0,
    })
  })

  test('down also ends agents with an open pull request; what one worked on is the task of the next', async () => {
    const here = machine()
    const fleet = here.daemon()
    for (const issue of [1, 2]) await add(fleet, issue)
    await fleet.order({ mode: 'up', slots: 2 })
    await fleet.tick()
    here.facts.set(clone(1), opened)
    here.facts.set(clone(2), { ...opened, isWorking: true })
    await fleet.tick()
    expect(here.agents.size).toBe(2)
    await fleet.order({ mode: 'down' })
    expect([here.agents.size, here.kept]).toEqual([0, [clone(2)]])
    // Its claim has that task now.
    here.facts.set(clone(2), { claim: { ...opened.claim, hasTask: true } })
    here.pass(120_000)
    await fleet.order({ mode: 'up' })
    await fleet.tick()
    expect(here.started.map(line => line.split(' ')[0])).toEqual([clone(1), clone(2), clone(2)])
  })

  test('after the merge ends the agent and deletes the clone; before it only lets the agent of that clone read its objects', async () => {
    const here = machine()
    const fleet = here.daemon()
    await add(fleet, 1)
    await fleet.order({ mode: 'up' })
    await fleet.tick()
    expect(await fleet.borrowedBy(clone(1))).toEqual(['/objects'])
    expect(await fleet.borrowedBy('/p')).toEqual([])
    here.facts.set(clone(1), opened)
    await fleet.tick()
    here.facts.set(clone(1), { claim: undefined as never, pullState: 'merged' })
    await fleet.tick()
    await fleet.tick()
    expect([here.clones.size, here.agents.size, (await here.records()).length]).toEqual([0, 0, 0])
    expect(here.entries).toContain('1 cleaned')
  })

  test('starts a new agent for news about a pull request whose agent ended, a few times, then asks a person', async () => {
    const here = machine()
    const fleet = here.daemon()
    await add(fleet, 1)
    await fleet.order({ mode: 'up' })
    await fleet.tick()
    here.facts.set(clone(1), opened)
    await fleet.tick()
    here.agents.clear()
    await fleet.tick()
    expect(here.started, 'nothing to do').toHaveLength(1)
    here.facts.set(clone(1), { ...opened, claim: { ...opened.claim, hasTask: true } })
    for (let round = 0; round < 6; round++) {
      here.agents.clear()
      here.pass(61_000)
      await fleet.tick()
      await fleet.tick()
    }
    expect(here.started).toHaveLength(4)
    expect(await here.records()).toMatchObject([{ stage: 'review', reviewStarts: 3 }])
    expect(here.entries.filter(entry => entry.includes('waits for you'))).toHaveLength(1)
    // In time an agent that lives is left alone.
    here.agents.add((await here.records())[0]?.terminal ?? '')
    here.pass(61_000)
    await fleet.tick()
    expect(here.started).toHaveLength(4)
  })

  test('starts agents for news only as it starts new issues: in mode up, with a slot, budget, quota and the program', async () => {
    const here = machine()
    const fleet = here.daemon()
    here.limits[`repository:${REPOSITORY}`] = 9
    for (const issue of [1, 2, 3]) await add(fleet, issue)
    await fleet.order({ mode: 'up', slots: 3 })
    await fleet.tick()
    for (const issue of [1, 2, 3]) here.facts.set(clone(issue), opened)
    await fleet.tick()
    const news = { ...opened, claim: { ...opened.claim, hasTask: true } }
    for (const issue of [1, 2, 3]) here.facts.set(clone(issue), news)
    here.agents.clear()
    here.pass(61_000)
    const startedAfter = async () => {
      await fleet.tick()
      await fleet.tick()
      return here.started.length
    }
    for (const mode of ['paused', 'down'] as const) {
      await fleet.order({ mode })
      expect(await startedAfter(), mode).toBe(3)
    }
    await fleet.order({ mode: 'draining' })
    expect(await startedAfter(), 'draining').toBe(3)
    here.missing.add('claude-code')
    await fleet.order({ mode: 'up', slots: 1 })
    expect(await startedAfter(), 'without its program').toBe(3)
    here.missing.clear()
    here.use({ exhausted: new Map(), overBudget: '$5.00 of $5.00 used for today' })
    expect(await startedAfter(), 'over the budget').toBe(3)
    here.use({ exhausted: new Map([['claude-code', 1_900_000_000_000]]) })
    expect(await startedAfter(), 'without quota').toBe(3)
    here.use({ exhausted: new Map() })
    await add(fleet, 4)
    expect(await startedAfter(), 'one slot, which the news has before a new issue').toBe(4)
    expect(await fleet.status()).toMatchObject({ busy: 1 })
    const [first] = (await here.records()).filter(({ isFixing }) => isFixing)
    const runEnd = { kind: 'proven', reason: 'done', at: (first?.startedAt ?? 0) + 1 }
    here.facts.set(first?.clone ?? '', { ...opened, runEnd })
    expect(await startedAfter(), 'its run has ended: the slot is free for the next').toBe(5)
    expect(here.agents.size).toBe(2)
  })

  test('takes nothing while the budget of the day is used up, and no agent without quota', async () => {
    const here = machine()
    const fleet = here.daemon()
    for (const issue of [1, 2]) await add(fleet, issue)
    here.use({ exhausted: new Map(), overBudget: '$5.00 of $5.00 used for today' })
    await fleet.order({ mode: 'up', slots: 2, agents: ['claude-code', 'codex'] })
    await fleet.tick()
    expect(here.started).toEqual([])
    expect(await fleet.status()).toMatchObject({ waits: '$5.00 of $5.00 used for today' })
    here.use({ exhausted: new Map([['claude-code', 1_800_000_600_000]]) })
    here.limits['agent:codex'] = 1
    await fleet.tick()
    await fleet.tick()
    expect((await here.records()).map(({ agent }) => agent)).toEqual(['codex'])
    expect((await fleet.status()).waits).toContain('claude-code has no quota until 2027-01-15T08:10Z')
    here.use({ exhausted: new Map() })
    await fleet.tick()
    expect((await here.records()).map(({ agent }) => agent).sort()).toEqual(['claude-code', 'codex'])
  })

  test('takes no issue for an agent that is not installed here, and says so', async () => {
    const here = machine()
    const fleet = here.daemon()
    here.missing.add('claude-code')
    await add(fleet, 1)
    await fleet.add({ project: '/p', issue: 2, priority: 0, agent: 'claude-code' })
    await fleet.order({ mode: 'up', slots: 3, agents: ['claude-code'] })
    await fleet.tick()
    expect(here.started).toEqual([])
    const { waits, jobs } = await fleet.status()
    expect(waits).toBe('claude-code is not installed')
    expect(jobs.map(({ state, failures }) => [state, failures])).toEqual([
      ['waiting', 0],
      ['waiting', 0],
    ])
    here.missing.clear()
    await fleet.tick()
    expect(here.started).toHaveLength(2)
    expect((await fleet.status()).waits).toBeUndefined()
  })

  test('reports branches that change the same files', async () => {
    const here = machine()
    const fleet = here.daemon()
    for (const issue of [1, 2]) await add(fleet, issue)
    await fleet.order({ mode: 'up', slots: 2 })
    await fleet.tick()
    expect((await fleet.status()).overlaps).toEqual([
      { repository: REPOSITORY, issues: [1, 2], files: ['src/cart.ts'] },
    ])
  })
})

type Machine = ReturnType<typeof machine>

/** A daemon after a crash: the queue answers again. */
function machineDaemon(here: Machine): Fleet {
  Reflect.deleteProperty(here.queue, 'fail')
  return here.daemon()
}
