import type { Action } from '@batonpass/contract/event'
import { AskedQuestion } from '@batonpass/contract/question'
import { z } from 'zod'

const Questions = z.array(AskedQuestion).min(1).max(100)

/**
 * A call that asks the person, for agents whose hook runs before their dialog: the hook's answer replaces the dialog. What
 * Baton cannot show exactly is `other`, so that only the agent's own dialog asks it.
 */
export function hookQuestion(questions: readonly unknown[] | undefined): Action {
  const parsed = Questions.safeParse(questions)
  if (!parsed.success) return { kind: 'other' }
  // The model finds an answer by the words of its question.
  if (new Set(parsed.data.map(({ id }) => id)).size < parsed.data.length) return { kind: 'other' }
  return { kind: 'question', questions: parsed.data, beforeDialog: true }
}
