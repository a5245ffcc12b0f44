import type { CallState, ConversationItem } from '@batonpass/contract/conversation'
import type { Entry } from '@batonpass/contract/journal'
import { subjectOf } from '../words.ts'
import { type Step, stepsOf } from './timeline.ts'

type Bare<T> = T extends unknown ? Omit<T, 'nth' | 'rev' | 'at'> : never

/** The conversation as far as the journal knows it: prompts, calls with their results, and each turn's last message. */
export function conversationFromJournal(entries: readonly Entry[]): ConversationItem[] {
  const steps = stepsOf(entries)
  return steps
    .map((step, index) => ({ step, item: itemOf(step, index === 0) }))
    .toReversed()
    .flatMap(({ step: { entry }, item }) =>
      item ? [{ ...item, nth: entry.seq, rev: entry.seq, at: entry.at }] : [],
    )
}

function itemOf(
  { entry: { body }, call, decision, end }: Step,
  newest: boolean,
): Bare<ConversationItem> | undefined {
  if (call) {
    const refused = end?.failed || decision?.decision === 'deny'
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
      return { kind: 'note', text: `${event.error}: ${event.message ?? ''}`, bad: true }
    case 'Compacted':
      return { kind: 'note', text: 'Context compacted', bad: false }
    default:
      return undefined
  }
}
