import type { CallState, ConversationItem } from '@batonpass/contract/conversation'
import type { Entry } from '@batonpass/contract/journal'
import { turnErrorLabel } from '@batonpass/contract/labels'
import { subjectOf } from '../describe-event.ts'
import { isFailed, type Step, stepsOf } from './timeline.ts'

type Bare<T> = T extends unknown ? Omit<T, 'nth' | 'rev' | 'at'> : never

/** The conversation as far as the journal knows it: prompts, calls with their results, and each turn's last message. */
export function conversationFromJournal(entries: readonly Entry[]): ConversationItem[] {
  return stepsOf(entries)
    .map((step, index) => {
      // The prompt with which Baton continued a turn comes after the turn's last message.
      const { continued } = step
      return [
        numbered(step.entry, itemOf(step, index === 0)),
        continued ? numbered(continued, itemOf({ entry: continued, decisions: [] }, false)) : [],
      ].flat()
    })
    .toReversed()
    .flat()
}

const numbered = ({ seq, at }: Entry, item: Bare<ConversationItem> | undefined): ConversationItem[] =>
  item ? [{ ...item, nth: seq, rev: seq, at }] : []

function itemOf(
  { entry: { body }, call, decisions, end }: Step,
  newest: boolean,
): Bare<ConversationItem> | undefined {
  if (call) {
    const decision = decisions.at(-1)?.decision
    const refused = isFailed(end) || decision?.decision === 'deny'
    // Not every agent reports the end of a call; a call with a later entry is no longer running.
    const state: CallState = refused ? 'failed' : end || !newest ? 'done' : 'running'
    const why = decision && decision.decision !== 'allow' ? { result: decision.reason } : {}
    return { kind: 'call', tool: call.tool, subject: subjectOf(call), state, ...why }
  }
  if (body.kind === 'reaction' && body.reaction.goOn)
    return { kind: 'prompt', text: body.reaction.goOn.prompt, automatic: true }
  if (body.kind !== 'event') return undefined
  const { event } = body
  switch (event.type) {
    case 'PromptSubmitted':
      return { kind: 'prompt', text: event.prompt, automatic: event.automatic === true }
    case 'TurnEnded':
      return event.lastMessage ? { kind: 'reply', text: event.lastMessage } : undefined
    case 'TurnFailed':
      return { kind: 'note', text: `${turnErrorLabel(event.error)}: ${event.message ?? ''}`, bad: true }
    case 'Compacted':
      return { kind: 'note', text: 'Context compacted', bad: false }
    default:
      return undefined
  }
}
