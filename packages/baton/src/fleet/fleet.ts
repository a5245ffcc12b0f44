import { BatonError } from '@batonpass/contract/errors'
import type {
  FleetMode,
  FleetOrder,
  FleetStatus,
  JobData,
  JobView,
  MachineView,
  QueueAdd,
  QueueWatch,
} from '@batonpass/contract/fleet'
import type { PsRow } from '@batonpass/contract/watch'
import type { JobProgress, QueuedJob } from '../ports/job-queue.ts'
import { chooseJobs, repositoryLimit } from './choose-jobs.ts'
import { aboutJob, JobFollower } from './job-follower.ts'
import { type JobRecord, jobKey, usesSlot } from './job-record.ts'
import { jobViews } from './job-views.ts'
import type { Membership } from './membership.ts'
import { overlapsOf } from './overlaps.ts'
import type { FleetPorts } from './ports.ts'
import { reconcile, withProject } from './reconcile.ts'

const MERGING: ReadonlySet<string> = new Set(['up', 'draining'])

/** Takes jobs from the queue while a slot is free, and follows each to its pull request and its merge. */
export class Fleet {
  readonly #ports: FleetPorts
  readonly #follower: JobFollower
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
    const { settings } = this.#ports
    if (order.mode === 'up') {
      // Before the mode is stored: a fleet whose database cannot start does not count as up.
      await this.#ports.queue()
      await this.#ports.membership?.ensure()
      for (const project of order.projects ?? []) await this.#addProject(project)
      await settings.update(known => ({
        ...known,
        mode: 'up',
        slots: order.slots ?? known.slots,
        agents: order.agents ?? known.agents,
      }))
    } else await settings.update(known => ({ ...known, mode: order.mode }))
    await this.#ports.journal({ what: order.mode })
    if (order.mode === 'down') await this.#inTurn(() => this.#stop())
    this.#tickSoon()
  }

  /** This machine may work on the issues of the project's repository. */
  async #addProject(project: string): Promise<string> {
    const repository = await this.#ports.repositoryOf(project)
    await this.#ports.settings.addProject(repository, project)
    return repository
  }

  async status(): Promise<FleetStatus> {
    const { mode, slots, agents } = await this.#ports.settings.read()
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
      machines: await this.#machines(),
      members: (await this.#ports.membership?.views()) ?? [],
      merges: mode === 'down' ? [] : await this.#ports.merges.views(),
      asks: await this.#ports.openAsks(),
      overlaps: await this.#overlaps(records),
    }
  }

  /** The sessions of the fleet on other machines, as they reported them. */
  async sessionsElsewhere(): Promise<PsRow[]> {
    const others = (await this.#machines()).filter(({ isHere, isAlive }) => isAlive && !isHere)
    return others.flatMap(({ name, sessions }) =>
      sessions.map(session => ({ ...session, machine: name, problems: [] })),
    )
  }

  /** Who belongs to the fleet. Fails if this machine shares its database with no other. */
  membership(): Membership {
    const { membership } = this.#ports
    if (membership) return membership
    throw new BatonError('usage', 'This machine shares its queue with no other', {
      remedy: 'Set fleet.postgres to a database that the machines share, and run `baton up --restart`.',
    })
  }

  async #machines(): Promise<MachineView[]> {
    return (await this.#ports.machines?.machines().catch(() => [])) ?? []
  }

  /** Whether the merge queue takes care of the pull request of a clone. */
  async mergesFor(clone: string): Promise<boolean> {
    const records = await this.#ports.records.all()
    return (
      MERGING.has((await this.#ports.settings.read()).mode) && records.some(record => record.clone === clone)
    )
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
    return (await this.#look()).views
  }

  /** The queue, what machines have taken from it, and both as one list. */
  async #look(): Promise<{ jobs: QueuedJob[]; views: JobView[]; progress: JobProgress[] }> {
    const queue = await this.#ports.queue()
    const [jobs, progress, machines] = await Promise.all([queue.list(), queue.progress(), this.#machines()])
    const elsewhere = new Map(machines.flatMap(({ id, name, isHere }) => (isHere ? [] : [[id, name]])))
    return { jobs, progress, views: jobViews(jobs, await this.#ports.records.all(), progress, elsewhere) }
  }

  /** Adds an issue, with its labels if the caller knows them. */
  async add(
    { project, issue, priority, agent }: QueueAdd,
    known?: { labels: string[] },
  ): Promise<{ job: JobView; fresh: boolean }> {
    const repository = await this.#addProject(project)
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
    const { job, view, progress } = await this.#find(project, issue)
    await this.#ports.sources.dismiss(view)
    const queue = await this.#ports.queue()
    if (job) await queue.remove(job.id)
    const record = await this.#ports.records.of(view)
    const row = progress.find(each => jobKey(each.data) === jobKey(view))
    const { machine } = await this.#ports.settings.read()
    // Another machine has its clone, its agent and its claim: that one forgets it.
    const isElsewhere = this.#ports.machines !== undefined && row?.machine !== '' && row?.machine !== machine
    if (row && isElsewhere) await queue.saveProgress({ ...row, isRemoved: true })
    else if (row) await queue.dropProgress(view, row.machine)
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
    // Not in turn: a clone may take long, and the other machines must see that this one is alive.
    void this.#report().catch(this.#fails)
    this.#waiting ??= this.#inTurn(() => {
      this.#waiting = undefined
      return this.#tick()
    })
    return this.#waiting
  }

  async #report(): Promise<void> {
    const { machines, settings, records, membership } = this.#ports
    const { mode, slots, agents } = await settings.read()
    if (!machines || mode === 'down') return
    if (membership && (await membership.standing()) !== 'member') return
    const busy = (await records.all()).filter(usesSlot).length
    const [sessions, merges] = await Promise.all([this.#ports.sessionsHere(), this.#ports.merges.views()])
    await machines.report({ mode, slots, busy, agents, sessions, merges })
  }

  #tickSoon(): void {
    void this.tick().catch(cause => this.#ports.fault('ticking: fleet', cause))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Reads who belongs to the fleet, and lets in machines with a token of this one. False: this machine does not belong to it. */
  async #isMember(mode: FleetMode): Promise<boolean> {
    const { membership } = this.#ports
    if (!membership) return true
    if (mode === 'down') {
      if (await membership.hasTokens()) await membership.refresh().catch(this.#fails)
      return true
    }
    await membership.ensure().catch(this.#fails)
    // Not awaited: others may have much to say.
    void this.#ports.asks?.sync().catch(this.#fails)
    return (await membership.standing()) === 'member'
  }

  /** Without the others' trust this machine takes no issue, merges nothing and keeps none: they resume what it had. */
  async #park(): Promise<void> {
    if ((await this.#ports.membership?.standing()) !== 'removed') return
    const { projects } = await this.#ports.settings.update(known => ({ ...known, mode: 'down' }))
    const reason = 'This machine was removed from the fleet'
    this.#problem = reason
    await this.#ports.journal({ what: 'down', reason })
    const [project = '/'] = Object.values(projects)
    await this.#ports.announce(project, `${reason}: Baton ended its agents here. Their clones stay.`)
    await this.#stop()
  }

  async #tick(): Promise<void> {
    const { records } = this.#ports
    const { mode } = await this.#ports.settings.read()
    if (!(await this.#isMember(mode))) {
      this.#ports.merges.pause()
      return this.#park()
    }
    if (mode !== 'down')
      await reconcile(this.#ports, this.#follower, await this.#ports.settings.read()).then(
        this.#works,
        this.#fails,
      )
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
    // A person may have ordered something else meanwhile.
    const stored = await this.#ports.settings.update(known =>
      known.mode === 'draining' ? { ...known, mode: 'down' } : known,
    )
    if (stored.mode !== 'down') return
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

  /** From now on issues of a repository become jobs by their label or column, or no longer. */
  async watch({ project, on }: QueueWatch): Promise<void> {
    await this.#ports.sources.watch(project, on)
    this.#tickSoon()
  }

  async #takeJobs(): Promise<void> {
    const { slots, machine, agents, projects } = await this.#ports.settings.read()
    // Also when no slot is free: the status says whether the database works.
    const queue = await this.#ports.queue()
    const working = (await this.#ports.records.all()).filter(usesSlot)
    const limits = this.#ports.limits()
    const { exhausted, overBudget } = await this.#ports.usage()
    this.#waits = overBudget ?? exhaustedText(exhausted)
    if (overBudget || working.length >= slots) return
    const { jobs, progress } = await this.#look()
    const left = new Map(progress.map(row => [jobKey(row.data), row]))
    const alive = new Set((await this.#machines()).flatMap(({ id, isAlive }) => (isAlive ? [id] : [])))
    const elsewhere = jobs.filter(({ state, data }) => state === 'active' && data.machine !== machine)
    const chosen = chooseJobs({
      slots,
      ...limits,
      agents,
      exhausted: new Set(exhausted.keys()),
      working: working.map(({ data, agent }) => ({ ...data, agent })),
      elsewhere: elsewhere.map(({ data }) => ({ ...data, agent: data.agent ?? '' })),
      waiting: jobs.flatMap(job => {
        const { id, state, data, addedAt, notBefore } = job
        const row = left.get(jobKey(data))
        const holder = row?.machine
        // Its clone and its claim are on that machine, which tries again.
        const isElsewhere = holder !== undefined && holder !== machine && alive.has(holder)
        // Removed and added again: this machine forgets the first job at its next tick.
        const isLeft = holder === machine && row?.isRemoved === true
        const isKnown = withProject(job, this.#ports, projects) !== undefined
        return state === 'waiting' && isKnown && !isElsewhere && !isLeft
          ? [{ ...data, id, addedAt, notBefore }]
          : []
      }),
      now: this.#ports.clock.now(),
    })
    for (const { id, repository, agent } of chosen) {
      // A person may have stopped or paused the fleet meanwhile.
      if ((await this.#ports.settings.read()).mode !== 'up') return
      const job = await queue.take(id, machine, repositoryLimit(repository, limits))
      if (!job) continue
      const own = withProject(job, this.#ports, projects)
      if (!own) continue
      await this.#follower.follow(await this.#follower.begin(own, agents, agent, left.get(jobKey(job.data))))
    }
  }

  /** Ends the agents that work; their jobs go back to the queue with their clones and branches. */
  async #stop(): Promise<void> {
    for (const record of await this.#ports.records.all())
      if (usesSlot(record))
        await this.#follower.putBack(record, 'The fleet was stopped', 0).catch(this.#fails)
    await this.#ports.machines?.leave().catch(this.#fails)
    await this.#ports.closeQueue()
  }

  async #find(
    project: string,
    issue: number,
  ): Promise<{ view: JobView; job: QueuedJob | undefined; progress: JobProgress[] }> {
    const repository = await this.#ports.repositoryOf(project)
    const { jobs, views, progress } = await this.#look()
    const key = jobKey({ repository, issue })
    const view = views.find(each => jobKey(each) === key)
    if (!view)
      throw new BatonError('not_found', `Issue #${issue} of ${repository} is not in the queue`, {
        remedy: 'See `baton queue`.',
      })
    return { view, progress, job: jobs.find(({ data }) => jobKey(data) === key) }
  }
}

const exhaustedText = (exhausted: ReadonlyMap<string, number>): string | undefined =>
  exhausted.size === 0
    ? undefined
    : [...exhausted]
        .map(([agent, until]) => `${agent} has no quota until ${new Date(until).toISOString().slice(0, 16)}Z`)
        .join(', ')
