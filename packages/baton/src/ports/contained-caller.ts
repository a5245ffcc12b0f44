import type { AgentName } from '@batonpass/contract/event'
import type { DecodedEvent } from './agent.ts'

/** An agent that runs in the sandbox as a whole. Every process inside can send events in its name. */
export interface ContainedCaller {
  agent: AgentName
  /** Where the agent runs, as the daemon knows it: process numbers mean something else inside. */
  pid: number | undefined
  place: string | undefined
  /** The event as far as it may count. Throws if it is about a session that is not the agent's own. */
  admit(event: DecodedEvent): Promise<DecodedEvent>
}

/** Opens a socket in a folder that takes hook calls and nothing else. */
export type ListenForHooks = (
  folder: string,
  caller: () => ContainedCaller | undefined,
) => Promise<{ close(): Promise<void> }>
