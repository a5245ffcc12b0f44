import type { Reaction } from '@batonpass/contract/reaction'
import { fieldOf } from '../form-content.ts'

/** What the plugin sends to opencode: the labels taken for each question, or that the person dismissed them. */
export function questionAnswer({ answer }: Reaction, payload: unknown): Record<string, unknown> {
  if (!answer) return {}
  if (!answer.accepted) return { dismiss: true }
  const answers = Array.from({ length: questionCount(payload) }, (_, index) => {
    const reply = answer.replies?.find(({ question }) => question === String(index + 1))
    return [...(reply?.chosen ?? []), ...(reply?.words?.trim() ? [reply.words.trim()] : [])]
  })
  return { answers }
}

/** How many questions the call asks. */
function questionCount(payload: unknown): number {
  const questions = fieldOf(fieldOf(payload, 'tool_input'), 'questions')
  return Array.isArray(questions) ? questions.length : 0
}
