import type { DayBudget, FleetEntry, FleetSession, FleetStatus } from '@batonpass/contract/fleet'
import type { Clock } from '../ports/clock.ts'
import type { Clones } from '../ports/clones.ts'
import type { GitLogin } from '../ports/git-work.ts'
import type { Ids } from '../ports/ids.ts'
import type { JobProgress, JobQueue } from '../ports/job-queue.ts'
import type { FleetAsks } from './fleet-asks.ts'
import type { JobRecord, JobRecords } from './job-record.ts'
import type { MachineLeases } from './machine-leases.ts'
import type { Membership } from './membership.ts'
import type { MergeQueue } from './merge-queue.ts'
import type { JobFacts } from './next-step.ts'
import type { SettingsKeeper } from './settings.ts'
import type { Sources } from './sources.ts'

/** What the fleet needs from the rest of Baton. */
export interface FleetPorts {
  records: JobRecords
  settings: SettingsKeeper
  /** The leases of this machine among others; absent if it has the database for itself. */
  machines?: Pick<MachineLeases, 'report' | 'leave' | 'machines'> | undefined
  /** Who belongs to the fleet; absent if this machine has the database for itself. */
  membership?: Membership | undefined
  /** Asks of all machines. */
  asks?: Pick<FleetAsks, 'sync'> | undefined
  /** The open asks of the fleet's sessions on all machines that can be reached. */
  openAsks(): Promise<FleetStatus['asks']>
  /** The sessions of this machine's jobs, as others may see them. */
  sessionsHere(): Promise<FleetSession[]>
  /** Opens the queue, and starts its database if it is Baton's own. */
  queue(): Promise<JobQueue>
  /** Closes the queue, and stops the database if it is Baton's own. */
  closeQueue(): Promise<void>
  database(): 'own' | 'fleet.postgres'
  clones: Clones
  /** `host/owner/name` of a folder's remote; throws if it has none that Baton can use. */
  repositoryOf(project: string): Promise<string>
  /** The login to use if git cannot log in by itself. */
  loginFor(project: string): Promise<GitLogin | undefined>
  /**
   * Claims the issue in the clone, as `baton claim` does, and returns the claim's id. Doing it twice has no effect.
   * `takesOver`: the claim of a machine that has vanished.
   */
  claim(clone: string, issue: number, takesOver: string | undefined): Promise<string>
  /** The id of the clone's claim. */
  claimOf(clone: string): Promise<string | undefined>
  /** Whether the clone's claim has its lease. Throws if that cannot be checked. */
  holdsClaim(clone: string): Promise<boolean>
  /** Gives the agent of the next session what the machine before it left. */
  handDown(clone: string, handoff: JobProgress['handoff']): Promise<void>
  /** Lets the claim find the pull request of its branch again, or open it. */
  resumeReview(clone: string, issue: number): Promise<void>
  /** Pushes the commits of the clone's branch that the remote does not have. */
  pushWork(clone: string): Promise<void>
  /** The newest verified handoff document in the clone. */
  newestHandoff(clone: string): Promise<JobProgress['handoff']>
  /** Deletes what a claim that another machine has now left on this one's disk. Does nothing outside. */
  forgetLostClaim(clone: string, issue: number, why: string): Promise<void>
  /** Lets the next agent finish what the one that was ended worked on. */
  keepTask(clone: string): Promise<void>
  releaseClaim(clone: string, issue: number, why: string): Promise<void>
  factsOf(record: JobRecord): Promise<JobFacts>
  startAgent(order: {
    agent: string
    clone: string
    /** Where the job was added. */
    project: string
    issue: number
    terminal: string
  }): Promise<void>
  /** Ends an agent that the fleet started. Does nothing if it is gone. */
  endAgent(terminal: string): Promise<void>
  merges: Pick<MergeQueue, 'tick' | 'pause' | 'views'>
  /** The files that a clone's branch changes; empty if git cannot tell. */
  changedFiles(clone: string): Promise<string[]>
  limits(): { perRepository: number; limits: Readonly<Record<string, number>> }
  /** Which agents have no quota left, until when; and the limit of the budget that today's work has reached. */
  usage(): Promise<{ exhausted: ReadonlyMap<string, number>; overBudget?: string | undefined }>
  /** What this machine's workflows have used today, and their limits. */
  dayBudget(): Promise<DayBudget>
  /** Why an agent cannot start on this machine, such as a program that is missing. */
  obstacleTo(agent: string): string | undefined
  /** The labels of an issue; none if the forge does not say. */
  labelsOf(project: string, issue: number): Promise<string[]>
  sources: Pick<Sources, 'watch' | 'dismiss' | 'tick' | 'views'>
  journal(entry: Omit<FleetEntry, 'kind'>): Promise<void>
  announce(project: string, text: string): Promise<void>
  redact(text: string): string
  fault(during: string, cause: unknown): void
  clock: Clock
  ids: Ids
}
