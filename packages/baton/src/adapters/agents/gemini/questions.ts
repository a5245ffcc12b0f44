import type { Action } from '@batonpass/contract/event'
import { choicesOf } from '@batonpass/contract/replies'
import { z } from 'zod'
import { hookQuestion } from '../hook-questions.ts'

/** The questions of the tool `ask_user`. */
const Questions = z.array(
  z.object({
    question: z.string(),
    header: z.string().optional(),
    type: z.enum(['choice', 'text', 'yesno']).default('choice'),
    options: z.array(z.object({ label: z.string(), description: z.string().optional() })).optional(),
    multiSelect: z.boolean().optional(),
  }),
)

const YES_NO = [{ label: 'Yes' }, { label: 'No' }]

/** What `ask_user` asks. */
export function questionAction(questions: unknown): Action {
  const given = Questions.safeParse(questions)
  return hookQuestion(
    given.data?.map(({ question, header, type, options = [], multiSelect }) => ({
      id: question,
      text: question,
      ...(header ? { name: header.slice(0, 200) } : {}),
      ...(type === 'text'
        ? { kind: 'text' }
        : {
            kind: multiSelect && type === 'choice' ? 'multi-choice' : 'choice',
            choices: choicesOf(type === 'yesno' ? YES_NO : options),
            // Its dialog has a field for a custom value, too.
            ownWords: true,
          }),
    })),
  )
}
