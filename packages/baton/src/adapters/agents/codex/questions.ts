import type { Action } from '@batonpass/contract/event'
import { choicesOf } from '@batonpass/contract/replies'
import { z } from 'zod'
import { hookQuestion } from '../hook-questions.ts'

/** The questions of the tool `request_user_input`. */
const Questions = z.array(
  z.object({
    question: z.string(),
    header: z.string().optional(),
    options: z.array(z.object({ label: z.string(), description: z.string().optional() })).nullish(),
  }),
)

/** What `request_user_input` asks. */
export function questionAction(questions: unknown): Action {
  const given = Questions.safeParse(questions)
  return hookQuestion(
    given.data?.map(({ question, header, options }) => ({
      id: question,
      text: question,
      ...(header ? { name: header.slice(0, 200) } : {}),
      // Its dialog takes a note instead of a choice, too.
      ...(options?.length
        ? { kind: 'choice', choices: choicesOf(options), ownWords: true }
        : { kind: 'text' }),
    })),
  )
}
