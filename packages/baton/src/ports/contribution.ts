import type { Decision, Reaction } from '@batonpass/contract/reaction'

/** The capabilities with a reactor, in the fixed order in which their contexts are joined. */
export const REACTORS = [
  'session',
  'permission',
  'question',
  'undo',
  'sandbox',
  'handoff',
  'cycle',
  'claim',
  'stage',
  'workflow',
] as const
export type ReactorName = (typeof REACTORS)[number]

/** What may decide whether a stopped agent continues, strongest first. */
export const CONTINUE_RANKS = ['person', 'limit', 'cycle', 'claim', 'stage', 'workflow'] as const
export type ContinueRank = (typeof CONTINUE_RANKS)[number]

/** A request about a turn that ended: let the agent stop, or continue with a prompt. */
export type ContinueRequest =
  | { rank: ContinueRank; stop: string }
  | {
      rank: ContinueRank
      prompt: string
      /** One line to add below the winning prompt if this request loses. */
      note?: string
    }

/** One reactor's answer to one event. */
export interface Contribution {
  permission?: { decision: Decision; reason: string }
  /** What a person answered to the agent's own question. */
  answer?: NonNullable<Reaction['answer']>
  /** The tool's input with which the agent runs it instead. */
  rewrite?: { input: Record<string, unknown> }
  continuation?: ContinueRequest
  refuse?: { reason: string }
  context?: string
  notice?: string
}
