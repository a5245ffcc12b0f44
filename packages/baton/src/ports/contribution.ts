import type { Decision } from '@batonpass/contract/reaction'

/** The capabilities that react, in the fixed order in which their contexts are joined. */
export const REACTORS = ['session', 'permission', 'handoff', 'cycle', 'claim', 'stage', 'workflow'] as const
export type ReactorName = (typeof REACTORS)[number]

/** Who may say whether a stopped agent goes on, strongest first. */
export const CONTINUE_RANKS = ['person', 'limit', 'cycle', 'claim', 'stage', 'workflow'] as const
export type ContinueRank = (typeof CONTINUE_RANKS)[number]

/** A wish about a turn that ended: let it stop, or go on with a prompt. */
export type ContinueRequest =
  | { rank: ContinueRank; stop: string }
  | {
      rank: ContinueRank
      prompt: string
      /** One line that stands under the winner's prompt when this one does not win. */
      note?: string
    }

/** What one reactor says to one event. */
export interface Contribution {
  permission?: { decision: Decision; reason: string }
  continuation?: ContinueRequest
  refuse?: { reason: string }
  context?: string
  notice?: string
}
