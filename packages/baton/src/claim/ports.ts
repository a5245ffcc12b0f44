import type { ClaimEntry } from '@batonpass/contract/claim'
import type { Config } from '@batonpass/contract/config'
import type { AgentName } from '@batonpass/contract/event'
import type { Session } from '@batonpass/contract/session'
import type { Asks } from '../ask/asks.ts'
import type { Clock } from '../ports/clock.ts'
import type { TypeResult } from '../ports/driver.ts'
import type { Forge } from '../ports/forge.ts'
import type { GitPosition } from '../ports/git.ts'
import type { GitLogin, GitWork } from '../ports/git-work.ts'
import type { Ids } from '../ports/ids.ts'
import type { Leases } from '../ports/lease.ts'
import type { SmallFiles } from '../ports/small-files.ts'
import type { FencedActions } from './fenced-actions.ts'
import type { ClaimRecord, ClaimRecords } from './record.ts'
import type { SignalFiles } from './signal-file.ts'

/** Everything claims need of the world. */
export interface ClaimPorts {
  records: ClaimRecords
  signals: SignalFiles
  files: SmallFiles
  git: GitPosition & { exclude(folder: string, pattern: string): Promise<void> }
  work: GitWork
  /** Whatever changes something on a forge or a remote. */
  outside: FencedActions
  /** The forge of a clone, or of a repository that is known by name; a BatonError says why there is none. */
  forgeFor(at: { home: string; repository?: string }): Promise<Forge>
  /** What git may log in with where it cannot by itself. */
  loginFor(home: string): Promise<GitLogin | undefined>
  /** Forgets a repository's forge, so that a new token counts. */
  dropForge(repository: string): void
  leases(): Leases
  asks: Pick<Asks, 'ask' | 'withdraw'>
  config(project: string): Promise<Config>
  /** Types into a session's terminal; `gone` where nothing reaches it. */
  type(place: string, text: string, agent: AgentName): Promise<TypeResult>
  /** Takes up a session that has ended, with a prompt; false where that is not possible. */
  resume(record: ClaimRecord, prompt: string): Promise<boolean>
  /** Whether a process still runs. */
  isAlive(pid: number): boolean
  journal(record: ClaimRecord, entry: ClaimEntry): Promise<void>
  /** Tells people, by every channel there is. */
  announce(project: string, text: string): Promise<void>
  /** Takes secrets out of a text that goes into the open. */
  redact(text: string): string
  fault(during: string, cause: unknown): void
  /** Who and where we are, for agent ids and leases. */
  user: string
  host: string
  clock: Clock
  ids: Ids
}

/** What is asked for when an issue is claimed. */
export interface ClaimOrder {
  project: string
  issue: number
  worktree: boolean
  anyway: boolean
  takeover?: 'dead' | 'force' | undefined
  session?: Session | undefined
}

/** What came of one look at a claim. */
export interface StepOutcome {
  did: 'nothing' | 'synced' | 'opened' | 'refused' | 'polled' | 'asked' | 'closed' | 'ended' | 'failed'
  /** For whoever is at the agent's terminal. */
  notice?: string
  /** The agent can mend what stands in the way, by this. */
  mend?: string
}

export interface Trigger {
  why: 'stop' | 'tick' | 'nudge'
  /** No turn of the claim's agent is under way. */
  resting: boolean
}
