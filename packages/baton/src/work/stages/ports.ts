import type { AgentName } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import type { StageEntry } from '@batonpass/contract/work'
import type { Driver } from '../../ports/driver.ts'
import type { SmallFiles } from '../../ports/small-files.ts'
import type { Timers } from '../../ports/timers.ts'
import type { StageMemory } from './stage-memory.ts'
import type { WorkItems } from './work-items.ts'
import type { StatusPorts } from './work-status.ts'

/** Everything staged work needs of the world. */
export interface StagePorts extends StatusPorts {
  items: WorkItems
  files: SmallFiles
  memory: StageMemory
  timers: Timers
  now(): number
  /** `~`: a person's own instructions stand below it. */
  home: string
  /** The path behind every link of it. */
  canonical(path: string): string
  session(id: SessionId): Promise<Session | undefined>
  /** Another capability moves this session right now: it is not a stage's turn to do so. */
  busyElsewhere?(session: SessionId): Promise<boolean>
  driverAt(place: string): Driver | undefined
  /** Starts a fresh session somewhere a person can look at; undefined where there is no such place. */
  start?(order: {
    agent: AgentName
    project: string
    title: string
    prompt: string
    /** Where the session before it is, so that the new one is found near it. */
    beside?: string | undefined
  }): Promise<{ place: string; attach: string }>
  /** The command a person runs to begin it by hand. */
  commandFor(agent: AgentName, project: string, prompt: string): string
  /** Writes the handoff document of a session that ends a stage, for the session that begins the next. */
  handOff?(
    session: Session,
    about: { stage?: string | undefined; focus?: string | undefined; place?: string | undefined },
  ): Promise<string>
  journal(about: { project: string; session?: Session | undefined }, entry: StageEntry): Promise<void>
  /** Asks people to review a pull request again; under a claim only while its lease is held. */
  askForReviews(project: string, pull: number, logins: readonly string[]): Promise<void>
  /** Tells people something that wants no answer. */
  announce(project: string, text: string): Promise<void>
  fault(during: string, cause: unknown): void
}
