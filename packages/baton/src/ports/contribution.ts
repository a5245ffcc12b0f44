import type { Decision } from '@batonpass/contract/reaction'

/** The capabilities that react, in the fixed order in which their contexts are joined. */
export const REACTORS = ['session', 'permission', 'handoff', 'cycle', 'claim', 'stage', 'workflow'] as const
export type ReactorName = (typeof REACTORS)[number]

/** Who may say whether a stopped agent goes on, strongest first. */
export const GOING = ['person', 'limit', 'cycle', 'claim', 'stage', 'workflow'] as const
export type GoingRank = (typeof GOING)[number]

/** A wish about a turn that ended: let it stop, or go on with a prompt. */
export type Going =
  | { rank: GoingRank; stop: string }
  | {
      rank: GoingRank
      prompt: string
      /** One line that stands under the winner's prompt when this one does not win. */
      note?: string
    }

/** What one reactor says to one event. */
export interface Contribution {
  permission?: { decision: Decision; reason: string }
  going?: Going
  refuse?: { reason: string }
  context?: string
  notice?: string
}
