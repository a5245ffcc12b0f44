import type { AgentName } from '@batonpass/contract/event'
import type { Reaction } from '@batonpass/contract/reaction'
import type { DecodedEvent } from '../../ports/agent.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Processes } from '../../ports/processes.ts'
import type { SavedSessions } from './saved-sessions.ts'

/** What hosting agents depends on. */
export interface AcpDriverParts {
  /** Receives what a hosted agent does, and where. */
  tell(
    agent: AgentName,
    event: DecodedEvent,
    about: { pane: string; cwd: string; pid?: number; attended: boolean; signal: AbortSignal },
  ): Promise<Reaction>
  env: Readonly<Record<string, string | undefined>>
  clock: Pick<Clock, 'now'>
  ids: Ids
  /** Stores what the next process needs to resume the sessions; without it, they end with this process. */
  kept?: SavedSessions
  processes?: Pick<Processes, 'born'>
}
