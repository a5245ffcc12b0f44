import { BatonError } from '@batonpass/contract/errors'
import type {
  FleetMode,
  FleetOrder,
  FleetPage,
  FleetStatus,
  JobView,
  QueueAdd,
  QueueWatch,
} from '@batonpass/contract/fleet'
import type { PsRow } from '@batonpass/contract/watch'
import { FleetView } from './fleet-view.ts'
import { JobFollower } from './job-follower.ts'
import { isActiveJob } from './job-record.ts'
import type { Membership } from './membership.ts'
import type { FleetPorts } from './ports.ts'
import { QueueChanges } from './queue-changes.ts'
import { reconcile } from './reconcile.ts'
import { takeJobs } from './take-jobs.ts'

const MERGING: ReadonlySet<string> = new Set(['up', 'draining'])

/** Takes jobs from the queue while a slot is free, and follows each to its pull request and its merge. */
export class Fleet {
  readonly #ports: FleetPorts
  readonly #follower: JobFollower
  readonly #view: FleetView
  readonly #changes: QueueChanges
  #problem: string | undefined
  #waits: string | undefined
  /** What changes records runs one at a time. */
  #last: Promise<unknown> = Promise.resolve()
  #waiting: Promise<void> | undefined

  constructor(ports: FleetPorts) {
    this.#ports = ports
    this.#follower = new JobFollower(ports)
    this.#view = new FleetView(ports)
    this.#changes = new QueueChanges(ports, this.#view)
  }

  /** Changes the mode; the next daemon continues with it. */
  async order(order: FleetOrder): Promise<void> {
    const { settings } = this.#ports
    if (order.mode === 'up') {
      // Before the mode is stored: a fleet whose database cannot start does not count as up.
      await this.#ports.queue()
      await this.#ports.membership?.ensure()
      for (const project of order.projects ?? []) await this.#changes.addProject(project)
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

  status(): Promise<FleetStatus> {
    return this.#view.status({ problem: this.#problem, waits: this.#waits })
  }

  /** What the dashboard shows of all machines. */
  async page(): Promise<FleetPage> {
    return this.#view.page(await this.status())
  }

  /** The sessions of the fleet on other machines, as they reported them. */
  sessionsElsewhere(): Promise<PsRow[]> {
    return this.#view.sessionsElsewhere()
  }

  /** Who belongs to the fleet. Fails if this machine shares its database with no other. */
  membership(): Membership {
    const { membership } = this.#ports
    if (membership) return membership
    throw new BatonError('usage', 'This machine shares its queue with no other', {
      remedy: 'Set fleet.postgres to a database that the machines share, and run `baton up --restart`.',
    })
  }

  /** Whether the merge queue takes care of the pull request of a clone. */
  async mergesFor(clone: string): Promise<boolean> {
    const records = await this.#ports.records.all()
    return (
      MERGING.has((await this.#ports.settings.read()).mode) && records.some(record => record.clone === clone)
    )
  }

  async list(): Promise<JobView[]> {
    return (await this.#view.look()).views
  }

  /** Adds an issue, with its labels if the caller knows them. */
  async add(order: QueueAdd, known?: { labels: string[] }): Promise<{ job: JobView; fresh: boolean }> {
    const added = await this.#changes.add(order, known)
    if (added.fresh) this.#tickSoon()
    return added
  }

  /** Lets a job that failed twice start again, in the clone it has. */
  async retry(project: string, issue: number): Promise<JobView> {
    const view = await this.#changes.retry(project, issue)
    this.#tickSoon()
    return view
  }

  /** Takes an issue out of the queue: ends its agent, releases the claim, and deletes the clone unless work would be lost. */
  remove(project: string, issue: number): Promise<{ job: JobView; note?: string }> {
    return this.#inTurn(() => this.#changes.remove(project, issue))
  }

  /** The objects that the clone of a job borrows, which its agent may read. */
  async borrowedBy(project: string): Promise<string[]> {
    const records = await this.#ports.records.all()
    return records.flatMap(({ clone, objects }) => (clone === project ? [objects] : []))
  }

  /** Runs every few seconds, and after every change. */
  tick(): Promise<void> {
    // Not in turn: a clone may take long, and the other machines must see that this one is alive.
    void this.#view.report().catch(this.#fails)
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
    if (mode === 'up')
      await takeJobs(this.#ports, this.#follower, this.#view)
        .then(waits => {
          this.#waits = waits
        })
        .then(this.#works, this.#fails)
    if (mode !== 'draining' || (await records.all()).some(isActiveJob)) return
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

  /** Ends all agents. Jobs without a pull request go back to the queue with their clones and branches. */
  async #stop(): Promise<void> {
    for (const record of await this.#ports.records.all()) {
      if (isActiveJob(record))
        await this.#follower.putBack(record, 'The fleet was stopped', 0).catch(this.#fails)
      else if (record.stage === 'review') await this.#follower.endForNow(record).catch(this.#fails)
    }
    await this.#ports.machines?.leave().catch(this.#fails)
    await this.#ports.closeQueue()
  }
}
