import type { ConversationView } from '@batonpass/contract/conversation'
import type { AgentName } from '@batonpass/contract/event'
import type { Launch } from './launch.ts'

/**
 * Acts on a session from outside, where its hooks cannot. A place is `%5 /tmp/tmux-1000/default` for a tmux pane (as hooks
 * name it) or `hosted <id>` for a session that Baton hosts over ACP; only drivers look inside one.
 */
export interface Driver {
  readonly kind: 'tmux' | 'acp'
  reaches(place: string): boolean
  readScreen(place: string, agent: AgentName): Promise<ScreenReading>
  /** Whether the agent's own screen is at a place, whoever types there; not so where a driver does not say. */
  showsAgent?(place: string, agent: AgentName): Promise<boolean>
  /** What is at many places, cheaply; a driver without it is looked at one by one. */
  checkPlaces?(places: readonly string[]): Promise<ReadonlyMap<string, PlaceStatus>>
  /** What was said at a place that has a conversation instead of a screen. */
  conversation?(place: string): LiveConversation | undefined
  /** Types a prompt and submits it; checked, not assumed. */
  type(place: string, text: string, agent: AgentName): Promise<TypeResult>
  /** Stops the turn that runs. */
  interrupt(place: string, agent: AgentName): Promise<'interrupted' | 'idle' | 'gone'>
  /** Begins a fresh conversation at the same place: the agent's own session id changes. */
  clear(place: string, agent: AgentName): Promise<TypeResult>
  /** Whether this agent, cleared, tells of its fresh conversation only with the first prompt in it; else at once. */
  startsWithPrompt?(agent: AgentName): boolean
  start(order: StartOrder): Promise<Started>
  /** Ends what `start` began, and only that. */
  kill(place: string): Promise<boolean>
}

/**
 * `taken`: the agent has it. `busy`: it does not wait for input, or a person has begun to type, so nothing was typed.
 * `not-taken`: typed, but it never left the prompt line. `gone`: there is no such place.
 */
export type TypeResult = 'taken' | 'not-taken' | 'busy' | 'gone'

export interface ScreenReading {
  /** `waiting`: an empty prompt line. `person`: somebody is typing or reads back. `dialog`: it asks something. */
  state: 'waiting' | 'working' | 'person' | 'dialog' | 'unknown' | 'dead' | 'gone'
  /** The last lines on the screen (or of the conversation), oldest first, without control characters. */
  lines: readonly string[]
  pid?: number | undefined
}

export interface LiveConversation {
  /** The agent's own session id of what is open now. */
  nativeSession: string | undefined
  since(rev: number): ConversationView
  /** Calls after each change. */
  listen(listener: () => void): () => void
}

export interface PlaceStatus {
  state: 'there' | 'dead' | 'gone'
  pid?: number | undefined
  /** When something was last printed there, in milliseconds since the epoch; it may be a second off. */
  changedAt?: number | undefined
}

export interface StartOrder {
  agent: AgentName
  launch: Launch
  cwd: string
  /** For people: the name of the tmux session or the hosted one. */
  title: string
  env?: Readonly<Record<string, string>>
  /** A server of tools (MCP) that the session is to have, where the driver can give it one. */
  tools?: ToolServer | undefined
  /** Where the driver has several servers: which one, e.g. a tmux socket. */
  where?: string | undefined
}

/** Started by the agent, speaking on its standard streams. */
export interface ToolServer {
  name: string
  command: string
  args: readonly string[]
}

export interface Started {
  place: string
  pid?: number | undefined
  /** The agent's own session id, where it is known at once. */
  nativeSession?: string | undefined
}
