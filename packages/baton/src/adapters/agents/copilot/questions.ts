import type { Action } from '@batonpass/contract/event'
import type { Choice } from '@batonpass/contract/question'
import { choicesOf } from '@batonpass/contract/replies'
import { z } from 'zod'
import { hookQuestion } from '../hook-questions.ts'
import { formQuestions } from '../mcp-form.ts'

/** The input of the tool `ask_user`: a form like those of MCP servers. Older versions ask one question. */
const Form = z.object({ message: z.string(), requestedSchema: z.looseObject({}) })
const One = z.object({
  question: z.string(),
  choices: z.array(z.string()).optional(),
  allow_freeform: z.boolean().optional(),
})

/** What `ask_user` asks. */
export function questionAction(input: unknown): Action {
  const form = Form.safeParse(input)
  if (form.success) return formAction(form.data)
  const one = One.safeParse(input)
  if (!one.success) return { kind: 'other' }
  const { question, choices = [], allow_freeform } = one.data
  const common = { id: question, text: question }
  if (choices.length === 0) return hookQuestion([{ ...common, kind: 'text' }])
  const offered = choicesOf(choices.map(label => ({ label })))
  return hookQuestion([
    { ...common, kind: 'choice', choices: offered, ...(allow_freeform === false ? {} : { ownWords: true }) },
  ])
}

function formAction({ message, requestedSchema }: z.infer<typeof Form>): Action {
  const fields = formQuestions({ ...requestedSchema, type: 'object' })
  const [first] = fields ?? []
  if (!fields || !first) return { kind: 'other' }
  return hookQuestion(
    fields.map((field, index) => ({
      ...field,
      // The message comes before the first field: it is what is asked.
      text: index === 0 ? `${message}\n${first.text}` : field.text,
      // Its dialog has a field for another answer, too.
      ...(field.choices ? { choices: marked(field.choices), ownWords: true } : {}),
    })),
  )
}

/** The same choices, with the recommended ones marked. */
const marked = (choices: readonly Choice[]) =>
  choices.map(choice => ({ ...choice, ...choicesOf([choice])[0], value: choice.value }))
