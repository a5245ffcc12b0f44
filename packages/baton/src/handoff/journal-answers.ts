import type { AskEntry } from '@batonpass/contract/ask'
import type { Entry } from '@batonpass/contract/journal'
import { BY_POLICY } from '../ask/unanswered.ts'

/** What the user told the agent through a channel of Baton, in their own words, and when. */
export interface UserAnswer {
  text: string
  at: number
}

/**
 * The user's answers, comments on plans and reasons of denials in Baton's journal. Some agents store them as a refused call, so
 * their transcripts do not show that the user said them. Answers that a policy gave are not the user's.
 */
export function userAnswers(entries: readonly Pick<Entry, 'at' | 'body'>[]): UserAnswer[] {
  return entries.flatMap(({ at, body }) =>
    body.kind === 'ask' && body.what === 'answered' && body.answer?.by.channel !== BY_POLICY.channel
      ? textsOf(body).map(text => ({ text, at: Date.parse(at) }))
      : [],
  )
}

function textsOf({ answer, title }: AskEntry): string[] {
  switch (answer?.option) {
    case 'reply':
      return (answer.replies ?? []).flatMap(({ question, chosen = [], words = '' }) => {
        const given = [...chosen, words.trim()].filter(Boolean).join(', ')
        // The id of a question is its words, except in forms.
        const about = question.includes(' ') ? question : title
        return given === '' ? [] : `${given} (answer to: ${about.slice(0, MAX_QUESTION)})`
      })
    case 'deny-with-reason':
    case 'deny':
      return answer.reason ? [`${answer.reason} (reason of a refusal)`] : []
    case 'send-back':
      return answer.reason ? [`${answer.reason} (comment on a plan)`] : []
    default:
      return []
  }
}

const MAX_QUESTION = 300

/** The text without the note that it is an answer. */
export const withoutAnswerNote = (text: string): string =>
  text.replace(/ \((?:answer to: [^\n]*|reason of a refusal|comment on a plan)\)\s*$/, '')

/** Whether a text is an answer. It is an instruction, but it is not what the work is about. */
export const isAnswer = (text: string): boolean => withoutAnswerNote(text) !== text
