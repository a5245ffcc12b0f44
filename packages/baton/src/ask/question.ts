import type { Ask, AskFacts, AskKind, AskOption } from '@batonpass/contract/ask'
import type { AskId } from '@batonpass/contract/ids'

export interface Question {
  kind: AskKind
  title: string
  /** The whole of what is asked about: never cut. */
  detail: string
  facts: AskFacts
  /** What asks, e.g. the event's id: asking again with the same key and fingerprint is the same question. */
  key: string
  /** From `fingerprintOf`. */
  fingerprint: string
  /** Default: all that fit the kind. */
  options?: readonly AskOption[]
}

const OPTIONS: Record<AskKind, readonly AskOption[]> = {
  permission: ['allow-once', 'allow-session', 'deny', 'deny-with-reason'],
  confirm: ['yes', 'no'],
}

/** A question that is asked from now on. */
export function openedAsk(id: AskId, question: Question, now: number, withinMs: number): Ask {
  const { kind, title, detail, facts, key, fingerprint, options } = question
  return {
    id,
    kind,
    title: title.slice(0, 300).toWellFormed() || kind,
    detail: detail.toWellFormed(),
    facts,
    key,
    fingerprint,
    options: [...(options ?? OPTIONS[kind])],
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + withinMs).toISOString(),
    state: 'open',
  }
}
