import type { AskedQuestion, Reply } from '@batonpass/contract/question'
import { readReply, replyWords } from '@batonpass/contract/replies'

/** The answers of a person who answers an ask's questions one after the other. Pure; the record stores it. */
export interface Draft {
  /** The index of the question that is answered next. */
  at: number
  replies: Reply[]
}

export const EMPTY: Draft = { at: 0, replies: [] }

/** The draft after an answer; `done` if it was the last one. A press on an old button changes nothing. */
export type Drafted = { draft: Draft; done: boolean } | { problem: string }

/** A pressed choice: it answers a choice, and switches one of a multi-choice on or off. */
export function takeChoice(
  questions: readonly AskedQuestion[],
  draft: Draft,
  press: { question: number; choice: number },
): Drafted | undefined {
  const question = questions[draft.at]
  const value = question?.choices?.[press.choice]?.value
  if (press.question !== draft.at || !question || value === undefined) return undefined
  if (question.kind !== 'multi-choice')
    return answered(questions, draft, { question: question.id, chosen: [value] })
  const chosen = replyTo(question, draft)?.chosen ?? []
  const next = chosen.includes(value) ? chosen.filter(each => each !== value) : [...chosen, value]
  return { draft: withReply(draft, { question: question.id, chosen: next }), done: false }
}

/** The button after a multi-choice, or the one that leaves an optional question out. */
export function takeNext(questions: readonly AskedQuestion[], draft: Draft, at: number): Drafted | undefined {
  const question = questions[draft.at]
  if (at !== draft.at || !question) return undefined
  const reply = replyTo(question, draft) ?? { question: question.id }
  if (!reply.chosen?.length && !question.optional) return { problem: 'Take at least one.' }
  return answered(questions, draft, reply)
}

/** Words that the person wrote as the answer to the current question. */
export function takeWords(
  questions: readonly AskedQuestion[],
  draft: Draft,
  words: string,
): Drafted | undefined {
  const question = questions[draft.at]
  if (!question) return undefined
  const read = readReply(question, words)
  return 'problem' in read ? read : answered(questions, draft, read.reply)
}

/** What was answered so far, and what comes next. */
export function draftLines(questions: readonly AskedQuestion[], draft: Draft): string[] {
  const done = questions
    .slice(0, draft.at)
    .map(question => `✔ ${replyWords(question, replyTo(question, draft)) || '—'}`)
  const next = questions[draft.at]
  return [...done, ...(next && questions.length > 1 ? [`👉 ${draft.at + 1}) ${next.text}`] : [])]
}

export const replyTo = ({ id }: AskedQuestion, { replies }: Draft): Reply | undefined =>
  replies.find(({ question }) => question === id)

function answered(questions: readonly AskedQuestion[], draft: Draft, reply: Reply): Drafted {
  const at = draft.at + 1
  return { draft: { ...withReply(draft, reply), at }, done: at >= questions.length }
}

const withReply = ({ at, replies }: Draft, reply: Reply): Draft => ({
  at,
  replies: [...replies.filter(({ question }) => question !== reply.question), reply],
})
