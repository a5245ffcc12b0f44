import type { Config } from '@batonpass/contract/config'
import type { AgentEvent } from '@batonpass/contract/event'
import type { Reaction } from '@batonpass/contract/reaction'
import type { Session } from '@batonpass/contract/session'
import type { DecodedEvent } from './agent.ts'
import type { Contribution, ReactorName } from './contribution.ts'

/** What a reactor may look at besides the event. */
export interface ReactionContext {
  session: Session
  /** The worktree root the session began in, pinned then. */
  project: string
  /** What is in force for that project right now. */
  config: Config
  /** Whether a person sits at the agent's terminal; undefined where the agent does not say. */
  attended?: boolean | undefined
  /** Milliseconds since the epoch, when the event was stamped. */
  now: number
}

/** An answer that needs a person, a model or the network: it runs off the session's queue. */
export interface Later {
  run(signal: AbortSignal): Promise<Contribution>
  /** What is said instead when `run` fails or takes longer than `withinMs`. */
  otherwise: Contribution
  withinMs: number
}

export interface Outcome {
  now?: Contribution
  later?: Later
}

/** One capability's answer to events: `(event, context) → reaction`. */
export interface Reactor {
  readonly name: ReactorName
  /** Runs while the session's queue is held: quick, and never waits for anything outside this machine. */
  react(event: AgentEvent, context: ReactionContext): Outcome | undefined | Promise<Outcome | undefined>
  /** What rules alone deny, without writing anything: asked instead of `react` when the event cannot be recorded. */
  denies?(event: AgentEvent, context: ReactionContext): Promise<Denial | undefined>
}

interface Denial {
  decision: 'deny'
  reason: string
}

/** Takes what a hosted agent does, in our words, and says how to react. Aborted when nobody waits for the answer any more. */
export type ReactTo = (event: DecodedEvent, signal: AbortSignal) => Promise<Reaction>
