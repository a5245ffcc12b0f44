import { BatonError } from '@batonpass/contract/errors'
import type { FleetEntry, FleetSession, JobData, JobEvidence, MergedJob } from '@batonpass/contract/fleet'
import { Fleet } from '../../src/fleet/fleet.ts'
import { type FleetSettings, type JobRecord, JobRecords, jobKey } from '../../src/fleet/job-record.ts'
import { MachineLeases } from '../../src/fleet/machine-leases.ts'
import type { JobFacts } from '../../src/fleet/next-step.ts'
import type { FleetPorts } from '../../src/fleet/ports.ts'
import { SettingsKeeper } from '../../src/fleet/settings.ts'
import type { JobProgress, JobQueue, QueuedJob } from '../../src/ports/job-queue.ts'
import type { SmallFiles } from '../../src/ports/small-files.ts'
import { memoryLeases } from './memory-leases.ts'

export const REPOSITORY = 'github.com/acme/app'

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
    if (!job) return undefined
    this.rows.set(jobKey(job.data), {
      isInReview: false,
      ...this.rows.get(jobKey(job.data)),
      data: job.data,
      machine,
      isRemoved: undefined,
    })
    return this.#put({ ...job, state: 'active', data: { ...job.data, machine } })
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
  readonly rows = new Map<string, JobProgress>()
  async progress(): Promise<JobProgress[]> {
    this.#look()
    return [...this.rows.values()]
  }
  async saveProgress(progress: JobProgress): Promise<boolean> {
    this.#look()
    const known = this.rows.get(jobKey(progress.data))
    if (known ? known.machine !== progress.machine : !progress.isInReview) return false
    const isRemoved = progress.isRemoved || known?.isRemoved
    this.rows.set(jobKey(progress.data), { ...progress, isRemoved })
    return true
  }
  readonly mergedJobs: MergedJob[] = []
  async merged(): Promise<MergedJob[]> {
    this.#look()
    return this.mergedJobs
  }
  async dropProgress(data: JobData, machine: string, merged?: MergedJob): Promise<void> {
    this.#look()
    if (this.rows.get(jobKey(data))?.machine !== machine) return
    this.rows.delete(jobKey(data))
    if (merged) this.mergedJobs.push(merged)
  }
  async reclaim(data: JobData, from: string): Promise<boolean> {
    const known = this.rows.get(jobKey(data))
    if (known?.machine !== from) return false
    this.rows.set(jobKey(data), { ...known, machine: '' })
    for (const job of this.#look())
      if (jobKey(job.data) === jobKey(data) && job.state === 'active') this.jobs.delete(job.id)
    const { machine: _, ...again } = known.data
    return (await this.add(again)) !== undefined
  }
  async close(): Promise<void> {}
  #put(job: QueuedJob): QueuedJob {
    this.jobs.set(job.id, job)
    return job
  }
}

const sampleSession = (id: string): FleetSession => ({
  ...{ id, by: 'run', agent: 'claude-code', state: 'working' },
  ...{ startedAt: '2026-01-01T00:00:00.000Z', lastActivityAt: '2026-01-01T00:00:00.000Z' },
})
const START = 1_800_000_000_000

/** What several machines share: the queue, claims by their issue, and leases with a clock of their own. */
export class SharedWorld {
  readonly queue = new MemoryQueue()
  readonly claims = new Map<number, string>()
  readonly #store = memoryLeases(() => this.now)
  now = START

  constructor() {
    this.queue.now = () => this.now
  }

  leases(id: string, elapsed: () => number): MachineLeases {
    return new MachineLeases({
      leases: this.#store,
      machine: async () => ({ id, name: id }),
      ttlMs: () => 600_000,
      clock: { elapsed },
    })
  }
}

/** A machine whose daemon can be killed: files, queue and agents stay. */
export function machine(name = 'here', shared?: SharedWorld) {
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
  const queue = shared?.queue ?? new MemoryQueue()
  const clones = new Set<string>()
  const agents = new Set<string>()
  const unsaved = new Map<string, string>()
  const [aside, handedDown, resumedReviews]: [string[], string[], string[]] = [[], [], []]
  const [pushed, kept]: [string[], string[]] = [[], []]
  const held = new Set<string>()
  const started: string[] = []
  const entries: string[] = []
  const facts = new Map<string, Partial<JobFacts>>()
  let settings: FleetSettings | undefined
  let now = START
  let refuse: BatonError | undefined
  const limits: Record<string, number> = {}
  const missing = new Set<string>()
  let usage: Awaited<ReturnType<FleetPorts['usage']>> = { exhausted: new Map() }
  if (!shared) queue.now = () => now
  const ports = (): FleetPorts => ({
    records: new JobRecords(small, '/state'),
    settings: new SettingsKeeper(
      {
        read: async () => settings,
        write: async next => {
          settings = next
        },
      },
      { id: () => name },
    ),
    machines: shared?.leases(name, () => now),
    openAsks: async () => [],
    sessionsHere: async () => [...agents].map(id => sampleSession(id)),
    queue: async () => queue,
    closeQueue: async () => {},
    database: () => (shared ? 'fleet.postgres' : 'own'),
    clones: {
      folders: async (project, issue) => ({ clone: `${project}-fleet/issue-${issue}`, objects: '/objects' }),
      make: async (_, { clone }) => {
        die('clone')
        clones.add(clone)
      },
      unsaved: async ({ clone }) => unsaved.get(clone),
      setAside: async ({ clone }) => void aside.push(clone),
      remove: async ({ clone }) => {
        clones.delete(clone)
        return 'removed'
      },
    },
    merges: { tick: async () => {}, pause: async () => {}, views: async () => [] },
    changedFiles: async clone => (clone.endsWith('-3') ? [] : ['src/cart.ts', `${clone}.md`]),
    repositoryOf: async () => REPOSITORY,
    loginFor: async () => undefined,
    async claim(clone, issue, takesOver) {
      die('claim')
      if (refuse) throw refuse
      const holder = shared?.claims.get(issue)
      if (holder && holder !== takesOver && holder !== `${name}-${issue}`)
        throw new BatonError('claim_held', `Issue #${issue} is held by ${holder}`)
      shared?.claims.set(issue, `${name}-${issue}`)
      held.add(clone)
      return `${name}-${issue}`
    },
    claimOf: async clone => `${name}-${clone.split('-').at(-1)}`,
    holdsClaim: async clone =>
      shared?.claims.get(Number(clone.split('-').at(-1))) === `${name}-${clone.split('-').at(-1)}`,
    handDown: async (clone, handoff) => void handedDown.push(`${clone} ${handoff?.name ?? 'no document'}`),
    resumeReview: async clone => void resumedReviews.push(clone),
    keepTask: async clone => void kept.push(clone),
    pushWork: async clone => void pushed.push(clone),
    newestHandoff: async () => ({ name: 'handoff-2026-01-22-14-30.md', text: 'Half done' }),
    async forgetLostClaim(clone, issue) {
      if (shared?.claims.get(issue) !== `${name}-${issue}`) held.delete(clone)
    },
    releaseClaim: async clone => void held.delete(clone),
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
    dayBudget: async () => ({ used: { tokens: 1200, money: 0.4, hours: 1.5 }, limits: { money: 10 } }),
    obstacleTo: agent => (missing.has(agent) ? `${agent} is not installed` : undefined),
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
    ...{ unsaved, aside, handedDown, resumedReviews, pushed, held, kept },
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
    isKilled: (where: string) => !killedBefore.has(where),
    limits,
    missing,
    use: (next: typeof usage) => {
      usage = next
    },
    records: async (): Promise<JobRecord[]> => new JobRecords(small, '/state').all(),
  }
}

export const clone = (issue: number) => `/p-fleet/issue-${issue}`
export const opened = {
  claim: {
    phase: 'pr_created',
    isLost: false,
    pull: { number: 7, url: 'https://x/7', state: 'open' as const },
  },
}
export const add = (fleet: Fleet, issue: number, priority = 0) =>
  fleet.add({ project: '/p', issue, priority })
