import type { Action } from '@batonpass/contract/event'
import { AskedQuestion } from '@batonpass/contract/question'
import { choicesOf } from '@batonpass/contract/replies'
import { z } from 'zod'

/** The input of the tool `question`. */
const Input = z.object({
  questions: z
    .array(
      z.object({
        question: z.string(),
        header: z.string().optional(),
        multiple: z.boolean().optional(),
        /** Whether the person may answer in their own words. */
        custom: z.boolean().optional(),
        options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
      }),
    )
    .min(1),
})

/** What the tool `question` asks. What Baton cannot show exactly, only opencode's own dialog asks. */
export function questionAction(input: unknown): Action {
  const given = Input.safeParse(input)
  const questions = given.data?.questions.map(({ question, header, multiple, custom, options }, index) => ({
    // opencode takes the answers in the order of the questions.
    id: String(index + 1),
    kind: multiple ? 'multi-choice' : 'choice',
    text: question,
    ...(header ? { name: header.slice(0, 200) } : {}),
    choices: choicesOf(options),
    ...(custom === false ? {} : { ownWords: true }),
  }))
  const parsed = z.array(AskedQuestion).min(1).max(100).safeParse(questions)
  return parsed.success ? { kind: 'question', questions: parsed.data } : { kind: 'other' }
}
