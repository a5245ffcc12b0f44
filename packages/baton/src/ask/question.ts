import type { Ask, AskFacts, AskKind, AskOption, AskRules } from '@batonpass/contract/ask'
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
  /** What "always allow" would add; without it, the person can allow once and for the session. */
  rules?: AskRules
  /** By default, all options of the kind. */
  options?: readonly AskOption[]
}

/** How the keys of asks about access from the sandbox begin. No agent waits for them, and they outlive a turn. */
export const ACCESS_REQUEST = 'sandbox request '

const OPTIONS: Record<AskKind, readonly AskOption[]> = {
  permission: [
    'allow-once',
    'allow-session',
    'allow-project',
    'allow-everywhere',
    'deny',
    'deny-with-reason',
  ],
  confirm: ['yes', 'no'],
  question: ['reply', 'decline'],
  form: ['reply', 'decline', 'on-screen'],
  plan: ['approve', 'send-back'],
}

/** Builds an open ask from a question. */
export function openedAsk(id: AskId, question: Question, now: number, withinMs: number): Ask {
  const { kind, title, detail, facts, key, fingerprint, questions, attachments, rules } = question
  const options = question.options ?? OPTIONS[kind].filter(option => isOffered(option, rules))
  return {
    id,
    kind,
    title: title.slice(0, 300).toWellFormed() || kind,
    detail: fullText(detail, questions, attachments).toWellFormed(),
    facts,
    key,
    fingerprint,
    options: [...options],
    ...(rules ? { rules } : {}),
    ...(questions ? { questions } : {}),
    ...(attachments ? { attachments } : {}),
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + withinMs).toISOString(),
    state: 'open',
  }
}

const isOffered = (option: AskOption, rules: AskRules | undefined): boolean => {
  if (option === 'allow-project') return rules?.project !== undefined
  return option === 'allow-everywhere' ? rules?.everywhere !== undefined : true
}
