import type { Config } from '@batonpass/contract/config'
import type { AgentName } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Proof } from '@batonpass/contract/proof'
import type { EndKind, WorkflowEntry } from '@batonpass/contract/workflow'
import type { DecodedEvent } from '../../ports/agent.ts'
import type { Driver } from '../../ports/driver.ts'
import type { Forge } from '../../ports/forge.ts'
import type { Git } from '../../ports/git.ts'
import type { GrantFacts } from '../../ports/grant-facts.ts'
import type { IsPaused } from '../../ports/is-paused.ts'
import type { Transcripts } from '../../ports/transcript.ts'
import type { Proofs } from '../../proof/proofs.ts'
import type { CompareReport } from '../../proof/report.ts'
import type { Run, Runs } from './run.ts'
import type { StateFiles } from './state-files.ts'
import type { Supervisor } from './supervisor.ts'
import type { Workflow } from './workflow.ts'

/** What hands-off mode depends on. */
export interface WorkflowPorts {
  files: StateFiles
  runs: Runs
  /** The workflows that are active in a project. */
  workflows(project: string): Promise<readonly Workflow[]>
  git: Git
  /** Where a push goes and what it runs; absent: runs get no grants. */
  grantFacts?: GrantFacts | undefined
  transcriptsOf(agent: AgentName): Transcripts | undefined
  /** Undefined if no forge is configured or reachable. */
  forgeFor(project: string): Promise<Forge | undefined>
  supervisor: Supervisor | undefined
  /** Proves that a run is done; absent in a process that handles a single call. */
  proofs?: Pick<Proofs, 'start' | 'get' | 'wait' | 'cancel' | 'findBase' | 'addContradictions'> | undefined
  /** Compares what an agent reported with the evidence. Absent: nothing is compared. */
  compareReport?: CompareReport | undefined
  /** Puts the result of a proof into the text of the run's pull request. */
  showProof(project: string, pullRequest: number, proof: Proof): Promise<void>
  /** The claim that opens the pull request of the run. */
  claimOf(run: RunName): Promise<ClaimProgress | undefined>
  config(project: string): Promise<Config>
  /** Whether another capability answers this session's stops right now; such stops do not count for a workflow. */
  busyElsewhere(session: SessionId): Promise<boolean>
  /** The driver that can act on the session at a place. */
  driverAt(place: string): Driver | undefined
  journal(about: RunName, entry: WorkflowEntry): Promise<void>
  /** Reports an event for an agent that has no hook for it. */
  tell(agent: AgentName, event: DecodedEvent): Promise<unknown>
  /** Notifies people about the end of a run, once per end. */
  announce(announcement: Announcement): Promise<void>
  fault(during: string, cause: unknown): void
  /** A paused run is not resumed after its limit is reset. */
  paused?: IsPaused
}

/** How far the claim of a run is. */
export interface ClaimProgress {
  /** The branch is handed off; Baton proves it and opens its pull request. */
  isReady: boolean
  pullRequest?: { number: number; url: string } | undefined
  /** The newest proof of the branch. */
  proof?: string | undefined
}

export type RunName = Pick<Run, 'session' | 'nativeSession' | 'agent' | 'project'>

export interface Announcement {
  session: SessionId
  nativeSession: string
  project: string
  workflow: string
  issue?: number | undefined
  end: EndKind
  reason: string
  /** The pull request's link. */
  pullRequest?: string | undefined
}
