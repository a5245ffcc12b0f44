import { AskedQuestion } from '@batonpass/contract/question'
import { z } from 'zod'

/** A form of the Model Context Protocol (`elicitation/create`): a flat object of simple fields. */
const Named = z.object({ const: z.string(), title: z.string().optional() })
const Field = z.object({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(Named).optional(),
  items: z.object({ enum: z.array(z.string()).optional(), anyOf: z.array(Named).optional() }).optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  format: z.string().optional(),
})
type Field = z.infer<typeof Field>
const Form = z.object({
  type: z.literal('object'),
  properties: z.record(z.string().min(1).max(2000), Field),
  required: z.array(z.string()).optional(),
})

/** The form's fields as questions; undefined if this is not a form that Baton can show. */
export function formQuestions(schema: unknown): AskedQuestion[] | undefined {
  const form = Form.safeParse(schema)
  if (!form.success) return undefined
  const { properties, required = [] } = form.data
  const questions = Object.entries(properties).map(([name, field]) =>
    questionOf(name, field, required.includes(name)),
  )
  const parsed = z.array(AskedQuestion).min(1).max(100).safeParse(questions)
  return parsed.success ? parsed.data : undefined
}

function questionOf(name: string, field: Field, isRequired: boolean): unknown {
  const { type, title, description, format } = field
  const text = [title ?? name, description].filter(Boolean).join(': ')
  const common = {
    id: name,
    name: (title ?? name).slice(0, 200),
    text,
    ...(isRequired ? {} : { optional: true }),
  }
  const choices = choicesOf(field)
  if (type === 'boolean') return { ...common, kind: 'yes-no', choices: YES_NO }
  if (type === 'array')
    return { ...common, kind: 'multi-choice', choices, ...bounds(field.minItems, field.maxItems) }
  if (type !== 'string')
    return {
      ...common,
      kind: 'number',
      ...(type === 'integer' ? { whole: true } : {}),
      ...bounds(field.minimum, field.maximum),
    }
  if (choices.length > 0) return { ...common, kind: 'choice', choices }
  const known = AskedQuestion.shape.format.safeParse(format)
  return {
    ...common,
    kind: 'text',
    ...bounds(field.minLength, field.maxLength),
    ...(known.success && known.data ? { format: known.data } : {}),
  }
}

const YES_NO = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

function choicesOf({ oneOf, items, enum: values = items?.enum, enumNames }: Field): unknown[] {
  const named = oneOf ?? items?.anyOf
  if (named) return named.map(({ const: value, title }) => ({ value, label: title || value }))
  return (values ?? []).map((value, index) => ({ value, label: enumNames?.[index] || value }))
}

const bounds = (min: number | undefined, max: number | undefined) => ({
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
})
