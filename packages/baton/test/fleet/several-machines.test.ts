import { describe, expect, test } from 'vitest'
import { add, clone, machine, opened, SharedWorld } from './fleet-world.ts'

const LEASE_MS = 600_000

/** Two machines that share a database. Time passes for all of them, unless a machine's own clock is wrong. */
async function twoMachines() {
  const shared = new SharedWorld()
  const [one, two] = [machine('one', shared), machine('two', shared)]
  const [first, second] = [one.daemon(), two.daemon()]
  for (const fleet of [first, second]) await fleet.order({ mode: 'up', slots: 3, projects: ['/p'] })
  /** One of them works; the other may be suspended. */
  const pass = async (ms: number, ...awake: (typeof first)[]) => {
    shared.now += ms
    one.pass(ms)
    two.pass(ms)
    for (const fleet of awake) {
      await fleet.tick()
      await fleet.tick()
    }
  }
  await pass(0, first, second)
  return { shared, one, two, first, second, pass }
}
const states = (rows: { issue: number; state: string; machine?: string | undefined }[]) =>
  rows.map(({ issue, state, machine }) => `${issue} ${state}${machine ? ` on ${machine}` : ''}`).sort()

describe('several machines', () => {
  test('share the issues: each is worked on once, and every machine shows all of them', async () => {
    const { one, two, first, second, pass } = await twoMachines()
    for (const issue of [1, 2]) await add(first, issue)
    await pass(0, first, second)
    expect([...one.started, ...two.started]).toHaveLength(2)
    expect(states(await second.list()).map(line => line.replace(/ on .*/, ''))).toEqual([
      '1 working',
      '2 working',
    ])
    const { machines } = await second.status()
    expect(machines.map(({ name, isHere, isAlive }) => [name, isHere, isAlive])).toEqual([
      ['one', false, true],
      ['two', true, true],
    ])
    await pass(0, first, second)
    const elsewhere = await second.sessionsElsewhere()
    expect(elsewhere.map(({ id, machine }) => [id, machine])).toEqual([...one.agents].map(id => [id, 'one']))
    expect(elsewhere).not.toEqual([])
  })

  test('a machine takes no issue of a repository that it was not given', async () => {
    const shared = new SharedWorld()
    const [one, two] = [machine('one', shared), machine('two', shared)]
    const [first, second] = [one.daemon(), two.daemon()]
    await second.order({ mode: 'up' })
    await add(first, 1)
    await second.tick()
    await second.tick()
    expect(two.started).toEqual([])
    // Also not if someone who can write to the database gives it one.
    const [job] = await shared.queue.list()
    await shared.queue.take(job?.id ?? '', 'two')
    await second.tick()
    expect([two.started, await two.records()]).toEqual([[], []])
    await shared.queue.putBack(job?.id ?? '', 0, { reason: '', at: '' })
    await second.order({ mode: 'up', projects: ['/p'] })
    await second.tick()
    expect(two.started).toHaveLength(1)
  })

  test('a machine vanishes: after its lease another resumes with its handoff; when it wakes it is fenced and keeps its clone', async () => {
    const { shared, one, two, first, second, pass } = await twoMachines()
    await add(first, 1)
    await pass(0, first)
    expect(one.started).toHaveLength(1)
    // Saved while it works: pushed commits and the handoff document.
    await pass(5 * 60_000, first)
    await expect.poll(() => shared.queue.rows.get('github.com/acme/app#1')?.handoff?.name).toBeDefined()
    expect(one.pushed).toEqual([clone(1)])
    await pass(LEASE_MS - 1000, second)
    expect(two.started).toEqual([])
    await pass(2000, second)
    expect(two.started).toHaveLength(1)
    expect(two.handedDown).toEqual([`${clone(1)} handoff-2026-01-22-14-30.md`])
    expect(two.entries).toEqual(expect.arrayContaining(['1 vanished', '1 taken', '1 resumed', '1 started']))
    // It wakes up.
    one.unsaved.set(clone(1), 'issue-1 has commits that were not pushed')
    const pushes = one.pushed.length
    await pass(0, first)
    expect([one.agents.size, one.held.size, one.pushed.length]).toEqual([0, 0, pushes])
    expect(one.clones).toContain(clone(1))
    expect(one.entries.at(-1)).toContain('another machine continues issue #1. The clone here stays')
    expect(states(await first.list())).toEqual(['1 working on two'])
    // The other one merges it; nothing of it is left in the queue.
    two.facts.set(clone(1), opened)
    await pass(0, second)
    two.facts.set(clone(1), { claim: undefined as never, pullState: 'merged' })
    await pass(0, second, first)
    expect([shared.queue.rows.size, await first.list()]).toEqual([0, []])
  })

  test('a machine that wakes before another took its issue continues in its own clone', async () => {
    const { one, two, first, second, pass } = await twoMachines()
    await add(first, 1)
    await pass(0, first)
    await second.order({ mode: 'up', slots: 1 })
    two.limits['agent:claude-code'] = 0
    await pass(LEASE_MS + 1000, second)
    expect(states(await second.list())).toEqual(['1 waiting'])
    await pass(0, first)
    expect(one.started).toHaveLength(2)
    expect(one.handedDown).toEqual([])
    expect(two.started).toEqual([])
  })

  test('the pull request of a vanished machine is followed by another, without an agent until there is news', async () => {
    const { shared, one, two, first, second, pass } = await twoMachines()
    await add(first, 1)
    await pass(0, first)
    one.facts.set(clone(1), opened)
    await pass(0, first)
    expect(states(await second.list())).toEqual(['1 review on one'])
    two.facts.set(clone(1), { claim: { phase: 'ready_for_pr', isLost: false, hasTask: false } })
    await pass(LEASE_MS + 1000, second)
    expect(two.resumedReviews).toEqual([clone(1)])
    expect(two.started).toEqual([])
    two.facts.set(clone(1), opened)
    await pass(0, second)
    expect(states(await second.list())).toEqual(['1 review'])
    two.facts.set(clone(1), { ...opened, claim: { ...opened.claim, hasTask: true } })
    await pass(0, second)
    expect(two.started).toHaveLength(1)
    await pass(0, first)
    expect([one.agents.size, one.held.size]).toEqual([0, 0])
    expect(shared.claims.get(1)).toBe('two-1')
  })

  test('a machine whose own clock is a day wrong neither loses its issues nor takes those of others', async () => {
    const { one, two, first, second, pass } = await twoMachines()
    for (const issue of [1, 2]) await add(first, issue)
    await pass(0, first)
    two.pass(86_400_000)
    await pass(60_000, first, second)
    one.pass(-86_400_000)
    await pass(60_000, first, second)
    expect(two.started).toEqual([])
    expect(one.started).toHaveLength(2)
    expect(one.agents.size).toBe(2)
  })

  test('an issue that fails is tried again on the machine that has its clone; after `down` another takes it', async () => {
    const { one, two, first, second, pass } = await twoMachines()
    await add(first, 1)
    await pass(0, first)
    one.agents.clear()
    await pass(120_000, first)
    await pass(10_000, second, first)
    expect([one.started.length, two.started.length]).toEqual([2, 0])
    await first.order({ mode: 'down' })
    await pass(10_000, second)
    expect(two.started).toHaveLength(1)
  })

  test('an issue that is removed on another machine, while it is worked on or in review, is forgotten by the one that has it', async () => {
    for (const isInReview of [false, true]) {
      const { shared, one, first, second, pass } = await twoMachines()
      await add(first, 1)
      await pass(0, first)
      if (isInReview) one.facts.set(clone(1), opened)
      await pass(0, first)
      await second.remove('/p', 1)
      expect(await second.list()).toEqual([])
      // Work that was saved in the same moment does not bring it back.
      const [row] = await shared.queue.progress()
      if (row) await shared.queue.saveProgress({ ...row, isRemoved: undefined })
      await pass(0, first, second)
      expect([one.agents.size, one.held.size, one.clones.size, await one.records()]).toEqual([0, 0, 0, []])
      expect([shared.queue.rows.size, await first.list(), await second.list()]).toEqual([0, [], []])
      expect(one.entries.at(-1)).toBe('1 cleaned')
    }
  })

  test('an issue that is removed while its machine is silent stays removed when it wakes, unless it is added again', async () => {
    for (const isAdded of [false, true]) {
      const { shared, one, two, first, second, pass } = await twoMachines()
      await add(first, 1)
      await pass(0, first)
      one.facts.set(clone(1), opened)
      await pass(0, first)
      await second.remove('/p', 1)
      if (isAdded) await add(second, 1)
      two.facts.set(clone(1), { claim: { phase: 'ready_for_pr', isLost: false, hasTask: false } })
      await pass(LEASE_MS + 1000, second)
      expect(states(await second.list())).toEqual(isAdded ? ['1 working'] : [])
      await pass(0, first, second)
      expect([one.agents.size, one.held.size]).toEqual([0, 0])
      expect([shared.queue.rows.size, shared.queue.jobs.size]).toEqual(isAdded ? [1, 1] : [0, 0])
      expect(one.entries).toContain(isAdded ? '1 fenced' : '1 cleaned')
    }
  })

  test('a lost claim is reported as such, also if the queue no longer knows the issue when its database answers again', async () => {
    const { shared, one, first, pass } = await twoMachines()
    await add(first, 1)
    await pass(0, first)
    one.facts.set(clone(1), { claim: { phase: 'coding', isLost: true } })
    const { list } = shared.queue
    // The comparison with the database fails once; the step after it reaches it.
    shared.queue.list = async () => {
      shared.queue.list = list
      throw new Error('The database is away')
    }
    await first.tick()
    expect(one.entries.at(-1)).toBe('1 fenced')
    expect([one.agents.size, one.clones.size, shared.queue.jobs.size]).toEqual([0, 1, 1])
    // Nothing of it is active: a person took the claim, and the issue may be free later.
    expect([...shared.queue.jobs.values()].map(({ state }) => state)).toEqual(['waiting'])
  })

  test('work that is saved while the pull request opens does not hide that it is open', async () => {
    const { shared, one, first, second, pass } = await twoMachines()
    await add(first, 1)
    await pass(0, first)
    one.facts.set(clone(1), opened)
    await pass(0, first)
    const [row] = await shared.queue.progress()
    if (row) await shared.queue.saveProgress({ ...row, isInReview: false })
    await pass(0, first)
    expect(states(await second.list())).toEqual(['1 review on one'])
  })

  test('a machine that wakes while it saves its work does not bring back what another one merged', async () => {
    for (const isOpened of [false, true]) {
      const { shared, one, first, pass } = await twoMachines()
      await add(first, 1)
      await pass(0, first)
      // Another machine took it over and merged it; this one does not know it yet.
      shared.claims.delete(1)
      shared.queue.jobs.clear()
      shared.queue.isAway = true
      const { saveProgress } = shared.queue
      let saves = 0
      shared.queue.saveProgress = progress => {
        saves++
        shared.queue.isAway = false
        shared.queue.rows.clear()
        return saveProgress.call(shared.queue, progress)
      }
      if (isOpened) {
        one.facts.set(clone(1), opened)
        shared.queue.rows.clear()
      }
      await pass(5 * 60_000, first)
      if (!isOpened) await expect.poll(() => saves).toBe(1)
      shared.queue.isAway = false
      await pass(0, first)
      expect([isOpened, shared.queue.rows.size, one.agents.size]).toEqual([isOpened, 0, 0])
      expect(one.entries).toContain('1 fenced')
    }
  })

  test('killed at any step of resuming, the next daemon resumes with one agent and the same handoff', async () => {
    for (const where of ['record', 'clone', 'claim', 'start'] as const) {
      const { one, two, first, second, pass } = await twoMachines()
      await add(first, 1)
      await pass(0, first)
      await pass(5 * 60_000, first)
      await expect.poll(() => one.pushed).toHaveLength(1)
      two.killBefore(where)
      const { fail } = two.queue
      two.queue.fail = () => new Promise(() => {})
      void pass(LEASE_MS + 1000, second)
      await expect.poll(() => two.isKilled(where)).toBe(true)
      two.queue.fail = fail
      const next = two.daemon()
      await pass(120_000, next)
      expect([where, two.started.length]).toEqual([where, 1])
      expect(two.handedDown.at(-1)).toBe(`${clone(1)} handoff-2026-01-22-14-30.md`)
    }
  })
})
