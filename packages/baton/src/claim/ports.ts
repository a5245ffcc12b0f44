import type { ClaimEntry } from '@batonpass/contract/claim'
import type { Config } from '@batonpass/contract/config'
import type { AgentName } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { WorkflowChecks } from '@batonpass/contract/proof'
import type { Session } from '@batonpass/contract/session'
import type { Asks } from '../ask/asks.ts'
import type { Clock } from '../ports/clock.ts'
import type { TypeResult } from '../ports/driver.ts'
import type { Forge } from '../ports/forge.ts'
import type { GitPosition } from '../ports/git.ts'
import type { GitLogin, GitWork } from '../ports/git-work.ts'
import type { GrantFacts } from '../ports/grant-facts.ts'
import type { Ids } from '../ports/ids.ts'
import type { IsPaused } from '../ports/is-paused.ts'
import type { Leases } from '../ports/lease.ts'
import type { SmallFiles } from '../ports/small-files.ts'
import type { Proofs } from '../proof/proofs.ts'
import type { CompareReport } from '../proof/report.ts'
import type { FencedActions } from './fenced-actions.ts'
import type { ClaimRecord, ClaimRecords } from './record.ts'
import type { SignalFiles } from './signal-file.ts'

/** Everything that claims need from outside. */
export interface ClaimPorts {
  records: ClaimRecords
  signals: SignalFiles
  files: SmallFiles
  git: GitPosition & { exclude(folder: string, pattern: string): Promise<void> }
  work: GitWork
  /** Where a push goes and what it runs; absent: claims get no grants. */
  grantFacts?: GrantFacts | undefined
  /** Every action that changes a forge or a remote. */
  outside: FencedActions
  /** Proves a branch before its pull request is opened; absent in a process that handles a single call. */
  proofs?: Pick<Proofs, 'start' | 'get' | 'wait' | 'resolve' | 'findBase' | 'addContradictions'> | undefined
  /** Compares what an agent reported with the evidence. Absent: nothing is compared. */
  compareReport?: CompareReport | undefined
  /** The checks that the workflow in a session declares. */
  workflowChecksOf?(session: SessionId): Promise<WorkflowChecks | undefined>
  /** Opens the forge of a clone, or of a repository by name. Throws a BatonError if there is none. */
  forgeFor(at: { home: string; repository?: string }): Promise<Forge>
  /** The login to use if git cannot log in by itself. */
  loginFor(home: string): Promise<GitLogin | undefined>
  /** Forgets a repository's forge, so that a new token takes effect. */
  dropForge(repository: string): void
  leases(): Leases
  asks: Pick<Asks, 'ask' | 'withdraw'>
  config(project: string): Promise<Config>
  /** Types into a session's terminal. Returns `gone` if the terminal cannot be reached. */
  type(place: string, text: string, agent: AgentName): Promise<TypeResult>
  /** Resumes an ended session with a prompt. Returns false if that is not possible. */
  resume(record: ClaimRecord, prompt: string): Promise<boolean>
  /** Whether a process still runs. */
  isAlive(pid: number): boolean
  journal(record: ClaimRecord, entry: ClaimEntry): Promise<void>
  /** Notifies people on every channel. */
  announce(project: string, text: string): Promise<void>
  /** Removes secrets from a text that will be published. */
  redact(text: string): string
  fault(during: string, cause: unknown): void
  /** Whether the fleet's merge queue takes care of conflicts with the base. */
  solvesConflicts?(record: ClaimRecord): Promise<boolean>
  /** A paused claim keeps its lease, and nothing else happens to it. */
  paused?: IsPaused
  /** The user and host that agent ids and leases name. */
  user: string
  host: string
  clock: Clock
  ids: Ids
}

/** A request to claim an issue. */
export interface ClaimOrder {
  project: string
  issue: number
  worktree: boolean
  anyway: boolean
  /** `claim`: only from the claim with this id, because the machine that held it has vanished. */
  takeover?: 'dead' | 'force' | { claim: string } | undefined
  session?: Session | undefined
}

/** The result of advancing a claim. */
export interface StepOutcome {
  did:
    | 'nothing'
    | 'synced'
    | 'proving'
    | 'opened'
    | 'refused'
    | 'polled'
    | 'asked'
    | 'closed'
    | 'ended'
    | 'failed'
  /** Shown to the user in the agent's terminal. */
  notice?: string
  /** Tells the agent how to fix what stopped the claim. */
  fix?: string
}

export interface Trigger {
  why: 'stop' | 'tick' | 'nudge'
  /** No turn of the claim's agent is running. */
  resting: boolean
  /** What the agent said when it stopped, and where its session is written down. */
  report?: { said?: string | undefined; transcript?: string | undefined } | undefined
}
