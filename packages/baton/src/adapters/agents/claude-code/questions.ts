import { AskedQuestion } from '@batonpass/contract/question'
import { choicesOf } from '@batonpass/contract/replies'
import { z } from 'zod'

/** The input of the tool AskUserQuestion. */
const Input = z.object({
  questions: z
    .array(
      z.object({
        question: z.string(),
        header: z.string().optional(),
        multiSelect: z.boolean().optional(),
        options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
      }),
    )
    .min(1),
})

/** What AskUserQuestion asks; undefined if Baton cannot show exactly that, so that only the agent's own dialog asks. */
export function questionsOf(input: unknown): AskedQuestion[] | undefined {
  const given = Input.safeParse(input)
  if (!given.success) return undefined
  const questions = given.data.questions.map(({ question, header, multiSelect, options }) => ({
    id: question,
    kind: multiSelect ? 'multi-choice' : 'choice',
    text: question,
    ...(header ? { name: header.slice(0, 200) } : {}),
    choices: choicesOf(options),
    ownWords: true,
  }))
  // Claude Code finds an answer by the words of its question.
  if (new Set(questions.map(({ id }) => id)).size < questions.length) return undefined
  const parsed = z.array(AskedQuestion).max(100).safeParse(questions)
  return parsed.success ? parsed.data : undefined
}
