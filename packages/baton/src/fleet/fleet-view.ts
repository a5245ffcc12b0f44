import type { FleetPage, FleetStatus, JobView, MachineReport, MachineView } from '@batonpass/contract/fleet'
import type { PsRow } from '@batonpass/contract/watch'
import type { JobProgress, QueuedJob } from '../ports/job-queue.ts'
import { usesSlot } from './job-record.ts'
import { jobViews } from './job-views.ts'
import { overlapsOf } from './overlaps.ts'
import type { FleetPorts } from './ports.ts'

/** How often the files that branches change are looked at for the other machines. */
const CHANGES_MS = 60_000
const MOST_FILES = 100

type Changes = MachineReport['changes']

/** What this machine shows of the fleet: to people, and to the other machines. Changes nothing. */
export class FleetView {
  readonly #ports: FleetPorts
  #changes: Changes = []
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(ports: FleetPorts) {
    this.#ports = ports
  }

  async status(notes: { problem?: string | undefined; waits?: string | undefined }): Promise<FleetStatus> {
    const { mode, slots, agents } = await this.#ports.settings.read()
    const records = await this.#ports.records.all()
    const busy = records.filter(usesSlot).length
    const jobs =
      mode === 'down'
        ? jobViews([], records)
        : await this.look().then(
            ({ views }) => views,
            () => jobViews([], records),
          )
    const machines = await this.machines()
    return {
      mode,
      slots,
      busy,
      agents: agents as FleetStatus['agents'],
      perRepository: this.#ports.limits().perRepository,
      database: this.#ports.database(),
      ...(notes.problem ? { problem: this.#ports.redact(notes.problem) } : {}),
      ...(notes.waits && mode === 'up' ? { waits: notes.waits } : {}),
      sources: await this.#ports.sources.views(),
      jobs,
      machines,
      members: (await this.#ports.membership?.views()) ?? [],
      merges: mode === 'down' ? [] : await this.#ports.merges.views(),
      asks: await this.#ports.openAsks(),
      overlaps: await this.#overlaps(machines),
      budget: await this.#ports.dayBudget(),
    }
  }

  /** What the dashboard shows of all machines. */
  async page(status: FleetStatus): Promise<FleetPage> {
    const merged = status.mode === 'down' ? undefined : await this.#merged().catch(() => undefined)
    return { status, sessions: await this.#ports.sessionsHere(), ...(merged ? { merged } : {}) }
  }

  async #merged(): Promise<FleetPage['merged']> {
    return (await this.#ports.queue()).merged()
  }

  /** The queue, what machines have taken from it, and both as one list. */
  async look(): Promise<{ jobs: QueuedJob[]; views: JobView[]; progress: JobProgress[] }> {
    const queue = await this.#ports.queue()
    const [jobs, progress, machines] = await Promise.all([queue.list(), queue.progress(), this.machines()])
    const elsewhere = new Map(machines.flatMap(({ id, name, isHere }) => (isHere ? [] : [[id, name]])))
    return { jobs, progress, views: jobViews(jobs, await this.#ports.records.all(), progress, elsewhere) }
  }

  async machines(): Promise<MachineView[]> {
    return (await this.#ports.machines?.machines().catch(() => [])) ?? []
  }

  /** The sessions of the fleet on other machines, as they reported them. */
  async sessionsElsewhere(): Promise<PsRow[]> {
    const others = (await this.machines()).filter(({ isHere, isAlive }) => isAlive && !isHere)
    return others.flatMap(({ name, sessions }) =>
      sessions.map(session => ({ ...session, machine: name, problems: [] })),
    )
  }

  /** Shows the other machines that this one is alive, and what it does. */
  async report(): Promise<void> {
    const { machines, settings, records, membership, clock } = this.#ports
    const { mode, slots, agents } = await settings.read()
    if (!machines || mode === 'down') return
    if (membership && (await membership.standing()) !== 'member') return
    const busy = (await records.all()).filter(usesSlot).length
    const now = clock.now()
    if (now - this.#lookedAt >= CHANGES_MS) {
      this.#lookedAt = now
      // Not awaited: git may take long, and the other machines must see that this one is alive.
      void this.#changesHere()
        .then(changes => {
          this.#changes = changes
        })
        .catch(cause => this.#ports.fault('looking at the files that branches change', cause))
    }
    const [sessions, merges, budget] = await Promise.all([
      this.#ports.sessionsHere(),
      this.#ports.merges.views(),
      this.#ports.dayBudget(),
    ])
    const changes = this.#changes
    await machines.report({ mode, slots, busy, agents, sessions, merges, changes, budget })
  }

  /** Branches that change the same files, on this machine and on the others. */
  async #overlaps(machines: readonly MachineView[]): Promise<FleetStatus['overlaps']> {
    const here = await this.#changesHere()
    const others = machines.filter(({ isHere, isAlive }) => isAlive && !isHere)
    const known = new Set(here.map(({ repository, issue }) => `${repository}#${issue}`))
    const elsewhere = others
      .flatMap(({ changes }) => changes)
      .filter(({ repository, issue }) => !known.has(`${repository}#${issue}`))
    return overlapsOf([...here, ...elsewhere])
  }

  async #changesHere(): Promise<Changes> {
    const branches = (await this.#ports.records.all()).filter(
      ({ stage, isFenced }) => (stage === 'working' || stage === 'review') && !isFenced,
    )
    return Promise.all(
      branches.map(async ({ clone, data: { repository, issue } }) => ({
        repository,
        issue,
        files: (await this.#ports.changedFiles(clone)).slice(0, MOST_FILES).map(this.#ports.redact),
      })),
    )
  }
}
