import type { Config } from '@batonpass/contract/config'
import type { AgentEvent } from '@batonpass/contract/event'
import type { HookSource } from '@batonpass/contract/hook'
import type { ReleasedBy } from '@batonpass/contract/permission'
import type { Reaction } from '@batonpass/contract/reaction'
import type { Session } from '@batonpass/contract/session'
import type { DecodedEvent } from './agent.ts'
import type { Contribution, ReactorName } from './contribution.ts'

/** What a reactor receives besides the event. */
export interface ReactionContext {
  session: Session
  /** The root of the worktree in which the session started. It does not change afterwards. */
  project: string
  /** The current configuration of that project. */
  config: Config
  /** A hook of the agent on this machine reported the event, so its answer may replace the tool's input. */
  isRewritable?: boolean
  /** The agent itself runs in the sandbox: its commands need no other. */
  isContained?: boolean | undefined
  /**
   * The broker asks, and does what it asks for itself: exactly these words, without hooks of the project. It asks for a
   * command in the sandbox, or for an agent that runs there as a whole: then any process inside could have begun a run.
   */
  brokered?: 'command' | 'whole-agent' | undefined
  /** Who allowed what the broker asks for; undefined: no one did, or only a rule where `byRule` is false. Each yes counts once. */
  takeRelease?: ((byRule: boolean) => Promise<ReleasedBy | undefined>) | undefined
  /** Which installation of the hooks reported the event. */
  source?: HookSource | undefined
  /** Whether a person sits at the agent's terminal; undefined if the agent does not report it. */
  attended?: boolean | undefined
  /** The time of the event, in milliseconds since the epoch. */
  now: number
}

/** An answer that needs a person, a model or the network. It does not hold the session's queue. */
export interface Later {
  run(signal: AbortSignal): Promise<Contribution>
  /** The answer to use if `run` fails or takes longer than `withinMs`. */
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
  /** Runs while the session's queue is held, so it must be quick and never wait for the network. */
  react(event: AgentEvent, context: ReactionContext): Outcome | undefined | Promise<Outcome | undefined>
  /** What rules alone deny, without writing anything: asked instead of `react` when the event cannot be recorded. */
  denies?(event: AgentEvent, context: ReactionContext): Promise<Denial | undefined>
}

interface Denial {
  decision: 'deny'
  reason: string
}

/** Handles an event of a hosted agent and returns the reaction. `signal` aborts when the caller stops waiting. */
export type ReactTo = (event: DecodedEvent, signal: AbortSignal) => Promise<Reaction>
