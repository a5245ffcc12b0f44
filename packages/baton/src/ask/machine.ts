import type { Ask, AskAnswer, AskOption, WithdrawnWhy } from '@batonpass/contract/ask'
import { needsReason } from '@batonpass/contract/labels'
import { problemWith } from '@batonpass/contract/replies'
import type { Verdict } from '../ports/channel.ts'

/** What can happen to an ask. */
export type AskEvent =
  | { type: 'answer'; answer: AskAnswer; fingerprint: string }
  | { type: 'time'; at: string }
  | { type: 'withdraw'; why: WithdrawnWhy; at: string }

/** Effects to run in order. Those after `keep` wait until the ask is stored. */
export type Effect =
  | { do: 'keep'; ask: Ask; allowed: { session: string | undefined; fingerprint: string } | undefined }
  | { do: 'release'; ask: Ask }
  | { do: 'tell'; ask: Ask }

export interface Step {
  ask: Ask
  verdict: Verdict
  effects: readonly Effect[]
  /** With `invalid`: what is wrong with the answer. */
  problem?: string
}

/** The state machine of an ask: open, then settled exactly once. */
export function step(ask: Ask, event: AskEvent): Step {
  if (ask.state !== 'open') return nothing(ask, 'closed')
  switch (event.type) {
    case 'time':
      return reached(ask.expiresAt, event.at) ? timedOut(ask, event.at) : nothing(ask, 'early')
    case 'withdraw':
      return settled({ ...ask, state: 'withdrawn', settledAt: event.at, withdrawn: event.why }, 'taken')
    case 'answer':
      return answered(ask, event.answer, event.fingerprint)
  }
}

function answered(ask: Ask, answer: AskAnswer, fingerprint: string): Step {
  if (fingerprint !== ask.fingerprint) return nothing(ask, 'another')
  // On a machine that slept, an answer may arrive before the ask's timer fires.
  if (reached(ask.expiresAt, answer.at)) return { ...timedOut(ask, answer.at), verdict: 'expired' }
  if (!ask.options.includes(answer.option)) return nothing(ask, 'not-offered')
  if (needsReason(answer.option) && !answer.reason?.trim()) return nothing(ask, 'reason-missing')
  const problem = replyProblem(ask, answer)
  if (problem) return { ...nothing(ask, 'invalid'), problem }
  return settled({ ...ask, state: 'answered', settledAt: answer.at, answer }, 'taken')
}

/** Replies must answer exactly what was asked; any other option carries none. */
function replyProblem({ questions = [] }: Ask, { option, replies }: AskAnswer): string | undefined {
  if (option === 'reply') return problemWith(questions, replies ?? [])
  return replies ? 'This answer takes no replies' : undefined
}

const timedOut = (ask: Ask, at: string): Step =>
  settled({ ...ask, state: 'timed-out', settledAt: at }, 'taken')

function settled(ask: Ask, verdict: Verdict): Step {
  const allowed =
    ask.answer && FOR_SESSION.has(ask.answer.option)
      ? { session: ask.facts.session, fingerprint: ask.fingerprint }
      : undefined
  return {
    ask,
    verdict,
    effects: [
      { do: 'keep', ask, allowed },
      { do: 'release', ask },
      { do: 'tell', ask },
    ],
  }
}

/** A rule for the project or for everywhere holds for this session even if it could not be written. */
const FOR_SESSION: ReadonlySet<AskOption> = new Set(['allow-session', 'allow-project', 'allow-everywhere'])

const nothing = (ask: Ask, verdict: Verdict): Step => ({ ask, verdict, effects: [] })

const reached = (limit: string, at: string): boolean => Date.parse(at) >= Date.parse(limit)
