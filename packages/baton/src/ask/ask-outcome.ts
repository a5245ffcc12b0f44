import type { Ask, AskOption } from '@batonpass/contract/ask'
import { ANSWER_LABELS, WITHDRAWN_LABELS } from '@batonpass/contract/labels'
import type { Decision } from '@batonpass/contract/reaction'

/** The outcome of an ask for its caller. `unreachable`: no channel reaches a person, so the agent should ask in its own dialog. */
export type AskOutcome =
  | { result: 'answered'; ask: Ask; option: AskOption; reason?: string; by: { channel: string; who: string } }
  | { result: 'timed-out' | 'withdrawn' | 'unreachable'; ask: Ask }

export function outcomeOf(ask: Ask): AskOutcome {
  if (ask.state === 'answered' && ask.answer) {
    const { option, reason, by } = ask.answer
    return { result: 'answered', ask, option, by, ...(reason === undefined ? {} : { reason }) }
  }
  if (ask.state === 'timed-out') return { result: 'timed-out', ask }
  return { result: ask.withdrawn === 'unreachable' ? 'unreachable' : 'withdrawn', ask }
}

const ALLOWED: Partial<Record<AskOption, true>> = {
  'allow-session': true,
  'allow-project': true,
  'allow-everywhere': true,
}

/** Turns the outcome of a permission ask into a decision. Only a person's approval allows the call. */
export function decisionOf(
  outcome: AskOutcome,
  onTimeout: 'ask' | 'deny',
): { decision: Decision; reason: string } {
  switch (outcome.result) {
    case 'answered': {
      const by = `${outcome.by.who} (${outcome.by.channel})`
      if (outcome.option === 'allow-once' || outcome.option === 'yes')
        return { decision: 'allow', reason: `Allowed by ${by}` }
      if (outcome.option in ALLOWED)
        return { decision: 'allow', reason: `${ANSWER_LABELS[outcome.option]} by ${by}` }
      return { decision: 'deny', reason: `Denied by ${by}${outcome.reason ? `: ${outcome.reason}` : ''}` }
    }
    case 'timed-out':
      return { decision: onTimeout, reason: 'No one answered in time' }
    case 'unreachable':
      return { decision: 'ask', reason: 'No channel could reach a person' }
    case 'withdrawn':
      return { decision: 'ask', reason: WITHDRAWN_LABELS[outcome.ask.withdrawn ?? 'waiter-gone'] }
  }
}
