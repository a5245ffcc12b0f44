import type { Ask, AskFacts, AskKind, AskOption } from '@batonpass/contract/ask'
import type { AskId } from '@batonpass/contract/ids'
import type { AskedQuestion, Attachment } from '@batonpass/contract/question'
import { fullText } from '@batonpass/contract/replies'

export interface Question {
  kind: AskKind
  title: string
  /** The full subject of the question, never shortened. */
  detail: string
  facts: AskFacts
  /** What causes the question, e.g. the event's id. The same key and fingerprint are the same question. */
  key: string
  /** From `fingerprintOf`. */
  fingerprint: string
  /** What the person has to answer one by one. */
  questions?: AskedQuestion[]
  attachments?: Attachment[]
  /** By default, all options of the kind. */
  options?: readonly AskOption[]
}

/** How the keys of asks about access from the sandbox begin. No agent waits for them, and they outlive a turn. */
export const ACCESS_REQUEST = 'sandbox request '

const OPTIONS: Record<AskKind, readonly AskOption[]> = {
  permission: ['allow-once', 'allow-session', 'deny', 'deny-with-reason'],
  confirm: ['yes', 'no'],
  question: ['reply', 'decline'],
  form: ['reply', 'decline', 'on-screen'],
  plan: ['approve', 'send-back'],
}

/** Builds an open ask from a question. */
export function openedAsk(id: AskId, question: Question, now: number, withinMs: number): Ask {
  const { kind, title, detail, facts, key, fingerprint, options, questions, attachments } = question
  return {
    id,
    kind,
    title: title.slice(0, 300).toWellFormed() || kind,
    detail: fullText(detail, questions, attachments).toWellFormed(),
    facts,
    key,
    fingerprint,
    options: [...(options ?? OPTIONS[kind])],
    ...(questions ? { questions } : {}),
    ...(attachments ? { attachments } : {}),
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + withinMs).toISOString(),
    state: 'open',
  }
}
