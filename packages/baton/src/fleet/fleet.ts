import { BatonError } from '@batonpass/contract/errors'
import type {
  FleetOrder,
  FleetStatus,
  JobData,
  JobView,
  QueueAdd,
  QueueWatch,
} from '@batonpass/contract/fleet'
import type { QueuedJob } from '../ports/job-queue.ts'
import { chooseJobs, repositoryLimit } from './choose-jobs.ts'
import { aboutJob, DEFAULT_AGENT, JobFollower } from './job-follower.ts'
import { type FleetSettings, type JobRecord, jobKey, usesSlot } from './job-record.ts'
import { jobViews } from './job-views.ts'
import { overlapsOf } from './overlaps.ts'
import type { FleetPorts } from './ports.ts'

const DEFAULT_SLOTS = 2
const MERGING: ReadonlySet<string> = new Set(['up', 'draining'])

/** Takes jobs from the queue while a slot is free, and follows each to its pull request and its merge. */
export class Fleet {
  readonly #ports: FleetPorts
  readonly #follower: JobFollower
  #settings: Promise<FleetSettings> | undefined
  #problem: string | undefined
  #waits: string | undefined
  /** What changes records runs one at a time. */
  #last: Promise<unknown> = Promise.resolve()
  #waiting: Promise<void> | undefined

  constructor(ports: FleetPorts) {
    this.#ports = ports
    this.#follower = new JobFollower(ports)
  }

  /** Changes the mode; the next daemon continues with it. */
  async order(order: FleetOrder): Promise<void> {
    const known = await this.#read()
    if (order.mode === 'up') {
      // Before the mode is stored: a fleet whose database cannot start does not count as up.
      await this.#ports.queue()
      await this.#write({
        ...known,
        mode: 'up',
        slots: order.slots ?? known.slots,
        agents: order.agents ?? known.agents,
      })
    } else await this.#write({ ...known, mode: order.mode })
    await this.#ports.journal({ what: order.mode })
    if (order.mode === 'down') await this.#inTurn(() => this.#stop())
    this.#tickSoon()
  }

  async status(): Promise<FleetStatus> {
    const { mode, slots, agents } = await this.#read()
    const records = await this.#ports.records.all()
    const busy = records.filter(usesSlot).length
    const jobs =
      mode === 'down' ? jobViews([], records) : await this.list().catch(() => jobViews([], records))
    return {
      mode,
      slots,
      busy,
      agents: agents as FleetStatus['agents'],
      perRepository: this.#ports.limits().perRepository,
      database: this.#ports.database(),
      ...(this.#problem ? { problem: this.#ports.redact(this.#problem) } : {}),
      ...(this.#waits && mode === 'up' ? { waits: this.#waits } : {}),
      sources: await this.#ports.sources.views(),
      jobs,
      merges: mode === 'down' ? [] : await this.#ports.merges.views(),
      overlaps: await this.#overlaps(records),
    }
  }

  /** Whether the merge queue takes care of the pull request of a clone. */
  async mergesFor(clone: string): Promise<boolean> {
    const records = await this.#ports.records.all()
    return MERGING.has((await this.#read()).mode) && records.some(record => record.clone === clone)
  }

  async #overlaps(records: readonly JobRecord[]): Promise<FleetStatus['overlaps']> {
    const branches = records.filter(({ stage }) => stage === 'working' || stage === 'review')
    return overlapsOf(
      await Promise.all(
        branches.map(async ({ clone, data: { repository, issue } }) => ({
          repository,
          issue,
          files: await this.#ports.changedFiles(clone),
        })),
      ),
    )
  }

  async list(): Promise<JobView[]> {
    const queue = await this.#ports.queue()
    return jobViews(await queue.list(), await this.#ports.records.all())
  }

  /** Adds an issue, with its labels if the caller knows them. */
  async add(
    { project, issue, priority, agent }: QueueAdd,
    known?: { labels: string[] },
  ): Promise<{ job: JobView; fresh: boolean }> {
    const repository = await this.#ports.repositoryOf(project)
    const labels = known?.labels ?? (await this.#ports.labelsOf(project, issue))
    const data: JobData = {
      ...{ repository, project, issue, priority },
      ...(agent ? { agent } : {}),
      ...(labels.length > 0 ? { labels } : {}),
    }
    const queue = await this.#ports.queue()
    const there = (await this.list()).find(view => jobKey(view) === jobKey(data))
    if (there) return { job: there, fresh: false }
    const added = await queue.add(data)
    if (added) await this.#ports.journal({ what: 'added', ...aboutJob(added) })
    const view = (await this.list()).find(each => jobKey(each) === jobKey(data))
    if (!view) throw new BatonError('internal', `Issue #${issue} was added, but the queue does not show it`)
    this.#tickSoon()
    return { job: view, fresh: added !== undefined }
  }

  /** Lets a job that failed twice start again, in the clone it has. */
  async retry(project: string, issue: number): Promise<JobView> {
    const { job, view } = await this.#find(project, issue)
    if (view.state !== 'failed' || !job)
      throw new BatonError('usage', `Issue #${issue} did not fail: it is ${view.state}`, {
        remedy: 'See `baton queue`.',
      })
    await (await this.#ports.queue()).retry(job.id)
    await this.#ports.journal({ what: 'retried', ...aboutJob(job) })
    this.#tickSoon()
    return (await this.#find(project, issue)).view
  }

  /** Takes an issue out of the queue: ends its agent, releases the claim, and deletes the clone unless work would be lost. */
  remove(project: string, issue: number): Promise<{ job: JobView; note?: string }> {
    return this.#inTurn(() => this.#remove(project, issue))
  }

  async #remove(project: string, issue: number): Promise<{ job: JobView; note?: string }> {
    const { job, view } = await this.#find(project, issue)
    await this.#ports.sources.dismiss(view)
    if (job) await (await this.#ports.queue()).remove(job.id)
    const record = await this.#ports.records.of(view)
    await this.#ports.journal({ what: 'removed', repository: view.repository, issue })
    if (!record) return { job: view }
    if (record.terminal) await this.#ports.endAgent(record.terminal)
    await this.#ports
      .releaseClaim(record.clone, issue, 'removed from the queue')
      .catch(cause => this.#ports.fault(`releasing the claim of #${issue}`, cause))
    const left = await this.#ports.clones.remove(record)
    await this.#ports.records.remove(record)
    return { job: view, ...(left === 'removed' ? {} : { note: `${record.clone} stays: ${left.kept}` }) }
  }

  /** The objects that the clone of a job borrows, which its agent may read. */
  async borrowedBy(project: string): Promise<string[]> {
    const records = await this.#ports.records.all()
    return records.flatMap(({ clone, objects }) => (clone === project ? [objects] : []))
  }

  /** Runs every few seconds, and after every change. */
  tick(): Promise<void> {
    this.#waiting ??= this.#inTurn(() => {
      this.#waiting = undefined
      return this.#tick()
    })
    return this.#waiting
  }

  #tickSoon(): void {
    void this.tick().catch(cause => this.#ports.fault('ticking: fleet', cause))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  async #tick(): Promise<void> {
    const { records } = this.#ports
    const { mode } = await this.#read()
    if (mode !== 'down') await this.#reconcile().then(this.#works, this.#fails)
    await Promise.all(
      (await records.all()).map(record =>
        this.#follower
          .follow(record)
          .catch(cause => this.#ports.fault(`following the job of #${record.data.issue}`, cause)),
      ),
    )
    if (mode === 'up') void this.#ports.sources.tick(this).catch(this.#fails)
    // Not awaited: git and the forge may take minutes.
    if (MERGING.has(mode))
      void this.#ports.merges.tick().catch(cause => this.#ports.fault('merging pull requests', cause))
    else this.#ports.merges.pause()
    if (mode === 'up') await this.#takeJobs().then(this.#works, this.#fails)
    if (mode !== 'draining' || (await records.all()).some(usesSlot)) return
    await this.#write({ ...(await this.#read()), mode: 'down' })
    await this.#ports.journal({ what: 'down' })
    await this.#stop()
  }

  readonly #works = (): void => {
    this.#problem = undefined
  }
  readonly #fails = (cause: unknown): void => {
    const problem = cause instanceof BatonError ? cause.message : String(cause)
    if (this.#problem !== problem) this.#ports.fault('working on the queue', cause)
    this.#problem = problem
  }

  /** After a crash: takes over jobs that were taken and not written down, completes those in review, lets go of lost ones. */
  async #reconcile(): Promise<void> {
    const queue = await this.#ports.queue()
    const jobs = await queue.list()
    const { machine, agents } = await this.#read()
    const active = jobs.filter(({ state, data }) => state === 'active' && data.machine === machine)
    for (const job of active) {
      const record = await this.#ports.records.of(job.data)
      if (record?.job !== job.id) await this.#follower.begin(job, agents)
      else if (record.stage === 'review') await queue.complete(job.id)
    }
    for (const record of await this.#ports.records.all()) {
      const isActive = active.some(({ id }) => id === record.job)
      if (usesSlot(record) && !isActive) await this.#follower.rest(record, 'The queue gave the job up')
    }
  }

  /** From now on issues of a repository become jobs by their label or column, or no longer. */
  async watch({ project, on }: QueueWatch): Promise<void> {
    await this.#ports.sources.watch(project, on)
    this.#tickSoon()
  }

  async #takeJobs(): Promise<void> {
    const { slots, machine, agents } = await this.#read()
    // Also when no slot is free: the status says whether the database works.
    const queue = await this.#ports.queue()
    const working = (await this.#ports.records.all()).filter(usesSlot)
    const limits = this.#ports.limits()
    const { exhausted, overBudget } = await this.#ports.usage()
    this.#waits = overBudget ?? exhaustedText(exhausted)
    if (overBudget || working.length >= slots) return
    const jobs = await queue.list()
    const elsewhere = jobs.filter(({ state, data }) => state === 'active' && data.machine !== machine)
    const chosen = chooseJobs({
      slots,
      ...limits,
      agents,
      exhausted: new Set(exhausted.keys()),
      working: working.map(({ data, agent }) => ({ ...data, agent })),
      elsewhere: elsewhere.map(({ data }) => ({ ...data, agent: data.agent ?? '' })),
      waiting: jobs.flatMap(({ id, state, data, addedAt, notBefore }) =>
        state === 'waiting' ? [{ ...data, id, addedAt, notBefore }] : [],
      ),
      now: this.#ports.clock.now(),
    })
    for (const { id, repository, agent } of chosen) {
      // A person may have stopped or paused the fleet meanwhile.
      if ((await this.#read()).mode !== 'up') return
      const job = await queue.take(id, machine, repositoryLimit(repository, limits))
      if (!job) continue
      await this.#follower.follow(await this.#follower.begin(job, agents, agent))
    }
  }

  /** Ends the agents that work; their jobs go back to the queue with their clones and branches. */
  async #stop(): Promise<void> {
    for (const record of await this.#ports.records.all())
      if (usesSlot(record))
        await this.#follower.putBack(record, 'The fleet was stopped', 0).catch(this.#fails)
    await this.#ports.closeQueue()
  }

  async #find(project: string, issue: number): Promise<{ view: JobView; job: QueuedJob | undefined }> {
    const repository = await this.#ports.repositoryOf(project)
    const jobs = await (await this.#ports.queue()).list()
    const key = jobKey({ repository, issue })
    const view = jobViews(jobs, await this.#ports.records.all()).find(each => jobKey(each) === key)
    if (!view)
      throw new BatonError('not_found', `Issue #${issue} of ${repository} is not in the queue`, {
        remedy: 'See `baton queue`.',
      })
    return { view, job: jobs.find(({ data }) => jobKey(data) === key) }
  }

  #read(): Promise<FleetSettings> {
    this.#settings ??= this.#ports.settings.read().then(
      found =>
        found ?? {
          version: 1,
          machine: this.#ports.ids.id(20),
          mode: 'down',
          slots: DEFAULT_SLOTS,
          agents: [DEFAULT_AGENT],
        },
    )
    return this.#settings
  }

  async #write(settings: FleetSettings): Promise<void> {
    await this.#ports.settings.write(settings)
    this.#settings = Promise.resolve(settings)
  }
}

const exhaustedText = (exhausted: ReadonlyMap<string, number>): string | undefined =>
  exhausted.size === 0
    ? undefined
    : [...exhausted]
        .map(([agent, until]) => `${agent} has no quota until ${new Date(until).toISOString().slice(0, 16)}Z`)
        .join(', ')
