import { BatonError } from '@batonpass/contract/errors'
import type { FleetEntry, JobData, JobEvidence } from '@batonpass/contract/fleet'
import { describe, expect, test } from 'vitest'
import { Fleet } from '../../src/fleet/fleet.ts'
import { type FleetSettings, type JobRecord, JobRecords, jobKey } from '../../src/fleet/job-record.ts'
import type { JobFacts } from '../../src/fleet/next-step.ts'
import type { FleetPorts } from '../../src/fleet/ports.ts'
import type { JobQueue, QueuedJob } from '../../src/ports/job-queue.ts'
import type { SmallFiles } from '../../src/ports/small-files.ts'

const REPOSITORY = 'github.com/acme/app'

/** The queue as its port promises it: one job for each issue, two attempts. */
class MemoryQueue implements JobQueue {
  readonly jobs = new Map<string, QueuedJob>()
  #count = 0
  isAway = false
  now = () => 0

  #look(): QueuedJob[] {
    if (this.isAway) throw new BatonError('database_failed', 'The database is away')
    return [...this.jobs.values()]
  }
  async add(data: JobData): Promise<QueuedJob | undefined> {
    if (this.#look().some(job => jobKey(job.data) === jobKey(data) && job.state !== 'failed'))
      return undefined
    const id = `job-${++this.#count}`
    const job: QueuedJob = {
      id,
      data,
      state: 'waiting',
      failures: 0,
      addedAt: this.now(),
      notBefore: this.now(),
    }
    this.jobs.set(id, job)
    return job
  }
  async list(): Promise<QueuedJob[]> {
    return this.#look()
  }
  async take(id: string, machine: string): Promise<QueuedJob | undefined> {
    const job = this.#look().find(each => each.id === id && each.state === 'waiting')
    return job && this.#put({ ...job, state: 'active', data: { ...job.data, machine } })
  }
  async complete(id: string): Promise<void> {
    this.#look()
    this.jobs.delete(id)
  }
  async fail(id: string, evidence: JobEvidence): Promise<'waiting' | 'failed'> {
    const job = this.#look().find(each => each.id === id && each.state === 'active')
    if (!job) return 'failed'
    const failures = job.failures + 1
    return this.#put({ ...job, failures, evidence, state: failures > 1 ? 'failed' : 'waiting' })
      .state as 'waiting'
  }
  async putBack(id: string, delaySeconds: number, evidence: JobEvidence): Promise<string | undefined> {
    const job = this.#look().find(each => each.id === id && each.state === 'active')
    if (!job) return undefined
    return this.#put({ ...job, state: 'waiting', evidence, notBefore: this.now() + delaySeconds * 1000 }).id
  }
  async retry(id: string): Promise<void> {
    const job = this.#look().find(each => each.id === id)
    if (job) this.#put({ ...job, state: 'waiting' })
  }
  async remove(id: string): Promise<void> {
    this.#look()
    this.jobs.delete(id)
  }
  async close(): Promise<void> {}
  #put(job: QueuedJob): QueuedJob {
    this.jobs.set(job.id, job)
    return job
  }
}

/** A machine whose daemon can be killed: files, queue and agents stay. */
function machine() {
  const files = new Map<string, string>()
  const killedBefore = new Set<string>()
  const die = (where: string) => {
    if (killedBefore.delete(where)) throw new Error(`killed before ${where}`)
  }
  const small: SmallFiles = {
    read: async (_, name) => {
      const text = files.get(name)
      return text === undefined ? { kind: 'absent' } : { kind: 'text', text, modifiedMs: 0 }
    },
    write: async (_, name, text) => {
      die('record')
      files.set(name, text)
    },
    append: async () => {},
    remove: async (_, name) => files.delete(name),
    list: async (_, folder) =>
      [...files.keys()].flatMap(name =>
        name.startsWith(`${folder}/`) ? { name: name.slice(folder.length + 1), modifiedMs: 0 } : [],
      ),
  }
  const queue = new MemoryQueue()
  const clones = new Set<string>()
  const agents = new Set<string>()
  const started: string[] = []
  const entries: string[] = []
  const facts = new Map<string, Partial<JobFacts>>()
  let settings: FleetSettings | undefined
  let now = 1_800_000_000_000
  let refuse: BatonError | undefined
  const limits: Record<string, number> = {}
  let usage: Awaited<ReturnType<FleetPorts['usage']>> = { exhausted: new Map() }
  queue.now = () => now
  const ports = (): FleetPorts => ({
    records: new JobRecords(small, '/state'),
    settings: {
      read: async () => settings,
      write: async next => {
        settings = next
      },
    },
    queue: async () => queue,
    closeQueue: async () => {},
    database: () => 'own',
    clones: {
      folders: async (project, issue) => ({ clone: `${project}-fleet/issue-${issue}`, objects: '/objects' }),
      make: async (_, { clone }) => {
        die('clone')
        clones.add(clone)
      },
      remove: async ({ clone }) => {
        clones.delete(clone)
        return 'removed'
      },
    },
    merges: { tick: async () => {}, pause: () => {}, views: async () => [] },
    changedFiles: async clone => (clone.endsWith('-3') ? [] : ['src/cart.ts', `${clone}.md`]),
    repositoryOf: async () => REPOSITORY,
    loginFor: async () => undefined,
    async claim() {
      die('claim')
      if (refuse) throw refuse
    },
    releaseClaim: async () => {},
    async factsOf({ clone, terminal }) {
      const agent =
        terminal && agents.has(terminal)
          ? 'alive'
          : started.some(line => line.endsWith(`${terminal}`))
            ? 'gone'
            : 'never'
      return { agent, claim: { phase: 'coding', isLost: false }, ...facts.get(clone) }
    },
    async startAgent({ clone, terminal }) {
      die('start')
      agents.add(terminal)
      started.push(`${clone} ${terminal}`)
    },
    endAgent: async terminal => void agents.delete(terminal),
    limits: () => ({ perRepository: 2, limits }),
    usage: async () => usage,
    labelsOf: async () => [],
    sources: { watch: async () => {}, dismiss: async () => {}, tick: async () => {}, views: async () => [] },
    journal: async (entry: Omit<FleetEntry, 'kind'>) =>
      void entries.push(`${entry.issue ?? ''} ${entry.what}`.trim()),
    announce: async (_, text) => void entries.push(text.split('\n')[0] ?? ''),
    redact: text => text,
    fault: () => {},
    clock: { now: () => now, elapsed: () => now },
    ids: {
      id: length =>
        Math.random()
          .toString(36)
          .slice(2, 2 + length),
    },
  })
  return {
    queue,
    clones,
    agents,
    started,
    entries,
    facts,
    daemon: () => new Fleet(ports()),
    pass: (ms: number) => {
      now += ms
    },
    refuseClaims: (error: BatonError | undefined) => {
      refuse = error
    },
    killBefore: (where: 'record' | 'clone' | 'claim' | 'start') => killedBefore.add(where),
    limits,
    use: (next: typeof usage) => {
      usage = next
    },
    records: async (): Promise<JobRecord[]> => new JobRecords(small, '/state').all(),
  }
}

const clone = (issue: number) => `/p-fleet/issue-${issue}`
const opened = {
  claim: {
    phase: 'pr_created',
    isLost: false,
    pull: { number: 7, url: 'https://x/7', state: 'open' as const },
  },
}
const add = (fleet: Fleet, issue: number, priority = 0) => fleet.add({ project: '/p', issue, priority })

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

  test('tries a job that fails once more in the same clone, and then leaves it to a person with the evidence', async () => {
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
    await first.tick()
    expect(await here.queue.list()).toMatchObject([{ state: 'active' }])
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
    expect(here.agents.size).toBe(2)
    expect(here.clones).toContain(clone(3))
    expect((await fleet.list()).find(({ issue }) => issue === 3)).toMatchObject({
      state: 'waiting',
      failures: 0,
    })
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
