import type { Reply } from '@batonpass/contract/question'
import type { Reaction } from '@batonpass/contract/reaction'
import { fieldOf, formContent } from '../form-content.ts'

type Answer = NonNullable<Reaction['answer']>

/** The decision that closes the dialog of AskUserQuestion or ExitPlanMode. Without the input, Claude Code ignores an allow. */
export function dialogDecision(
  { accepted, replies, comment }: Answer,
  payload: unknown,
): Record<string, unknown> {
  if (!accepted) return { behavior: 'deny', message: comment ?? 'The person did not accept this' }
  const input = fieldOf(payload, 'tool_input')
  const updatedInput = { ...(typeof input === 'object' && input !== null ? input : {}) }
  return {
    behavior: 'allow',
    updatedInput: replies ? { ...updatedInput, answers: answersOf(replies) } : updatedInput,
  }
}

/** What an Elicitation hook answers to the form of a tool server. */
export function formAnswer({ accepted, replies = [] }: Answer, payload: unknown): Record<string, unknown> {
  if (!accepted) return { action: 'decline' }
  return { action: 'accept', content: formContent(fieldOf(payload, 'requested_schema'), replies) }
}

const answersOf = (replies: readonly Reply[]): Record<string, string> =>
  Object.fromEntries(
    replies.map(({ question, chosen = [], words }) => [
      question,
      [...chosen, ...(words?.trim() ? [words.trim()] : [])].join(', '),
    ]),
  )
