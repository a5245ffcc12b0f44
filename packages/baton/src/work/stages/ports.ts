import type { Config } from '@batonpass/contract/config'
import type { AgentName } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Proof } from '@batonpass/contract/proof'
import type { Session } from '@batonpass/contract/session'
import type { StageEntry } from '@batonpass/contract/work'
import type { Driver } from '../../ports/driver.ts'
import type { Git, GitPosition } from '../../ports/git.ts'
import type { GrantFacts } from '../../ports/grant-facts.ts'
import type { IsPaused } from '../../ports/is-paused.ts'
import type { SmallFiles } from '../../ports/small-files.ts'
import type { Timers } from '../../ports/timers.ts'
import type { Proofs } from '../../proof/proofs.ts'
import type { CompareReport } from '../../proof/report.ts'
import type { StageMemory } from './stage-memory.ts'
import type { WorkItems } from './work-items.ts'
import type { StatusPorts } from './work-status.ts'

/** What staged work depends on. */
export interface StagePorts extends StatusPorts {
  items: WorkItems
  git: GitPosition & Pick<Git, 'worktree'>
  files: SmallFiles
  /** Without it, stages may do nothing outside by themselves. */
  grantFacts?: GrantFacts
  memory: StageMemory
  timers: Timers
  now(): number
  /** The user's home folder, which contains the user's own instructions. */
  home: string
  /** Resolves all symbolic links of a path. */
  canonical(path: string): string
  session(id: SessionId): Promise<Session | undefined>
  /** Whether another capability, such as a cycle, controls this session right now. */
  busyElsewhere?(session: SessionId): Promise<boolean>
  driverAt(place: string): Driver | undefined
  /** Starts a new session in a terminal that a person can attach to; undefined if Baton cannot start one. */
  start?(order: {
    agent: AgentName
    project: string
    title: string
    prompt: string
    /** Where the previous session is, so that the new one opens next to it. */
    nextTo?: string | undefined
  }): Promise<{ place: string; attach: string }>
  /** Why `start` would fail for this agent, such as a program that is not installed; undefined if nothing is known. */
  obstacle?(agent: AgentName, nextTo: string | undefined): string | undefined
  /** The command with which a person can start the stage. */
  commandFor(agent: AgentName, project: string, prompt: string): string
  /** Writes the handoff document of a finished stage's session, for the next stage's session. */
  handOff?(
    session: Session,
    about: { stage?: string | undefined; focus?: string | undefined; place?: string | undefined },
  ): Promise<string>
  journal(about: { project: string; session?: Session | undefined }, entry: StageEntry): Promise<void>
  /** Proves the commit of the last stage. Absent: the work ends without a proof. */
  proofs?: Pick<Proofs, 'start' | 'get' | 'wait' | 'cancel' | 'findBase' | 'addContradictions'> | undefined
  /** Compares what an agent reported with the evidence. Absent: nothing is compared. */
  compareReport?: CompareReport | undefined
  /** Puts the result of a proof into the text of a pull request. */
  showProof?(project: string, pullRequest: number, proof: Proof): Promise<void>
  config?(project: string): Promise<Config>
  /** Asks people to review a pull request again; under a claim only while its lease is held. */
  askForReviews(project: string, pull: number, logins: readonly string[]): Promise<void>
  /** Sends people a notice that needs no answer. */
  announce(project: string, text: string): Promise<void>
  fault(during: string, cause: unknown): void
  /** The next stage of a paused work item waits. */
  paused?: IsPaused
}
