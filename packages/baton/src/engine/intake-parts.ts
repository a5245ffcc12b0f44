import type { Config } from '@batonpass/contract/config'
import type { AgentEvent, AgentName } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Entry, NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { AgentAdapter, DecodedEvent } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Reactor } from '../ports/reactor.ts'

/** What the intake needs from its surroundings. */
export interface IntakeParts {
  adapterFor(agent: string): AgentAdapter | undefined
  reactors: readonly Reactor[]
  write(entries: readonly NewEntry[], sessions?: readonly Session[]): Promise<Entry[]>
  /** The event of an earlier call with this id, if it was recorded. */
  findRecordedEvent(request: string): Promise<AgentEvent | undefined>
  session(id: string): Promise<Session | undefined>
  /** Caches a change that is not worth a write. The session's next event writes it. */
  cacheSession(session: Session): void
  projectOf(cwd: string): string
  /** Whether that process really runs at the place it reports. */
  isOwnPlace(place: string, pid: number | undefined): Promise<boolean>
  /** Whether an agent's own screen is at a place. */
  onScreen?(place: string, agent: AgentName): Promise<boolean>
  /** An event about a command in the sandbox, with the agent's own command in it. */
  restore?(session: SessionId, event: DecodedEvent, agent: AgentName): Promise<DecodedEvent>
  /** The current configuration of a project. */
  config(project: string | undefined): Promise<Config>
  /** True for the marker of a model call that Baton itself is making right now. */
  ownCall(marker: string): boolean
  fault(during: string, cause: unknown): void
  /** What a session is called after this event; undefined if the event does not say, or content is not kept. */
  nameAfter?(event: AgentEvent): Pick<Session, 'name' | 'namedBy'> | undefined
  /** The line to show if Baton is paused for this session or project. */
  pausedFor?(about: { session: SessionId; project: string }): string | undefined
  clock: Clock
  ids: Ids
}
