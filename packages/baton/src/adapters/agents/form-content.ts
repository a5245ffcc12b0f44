import type { Reply } from '@batonpass/contract/question'

/** The replies to a form of the Model Context Protocol as the content that the form's server expects. */
export function formContent(schema: unknown, replies: readonly Reply[]): Record<string, unknown> {
  const properties = fieldOf(schema, 'properties')
  const values = replies.flatMap(reply => {
    const value = contentOf(fieldOf(fieldOf(properties, reply.question), 'type'), reply)
    return value === undefined ? [] : [[reply.question, value] as const]
  })
  return Object.fromEntries(values)
}

function contentOf(type: unknown, { chosen = [], words }: Reply): unknown {
  const text = words?.trim() || undefined
  if (type === 'array') return chosen.length > 0 ? chosen : undefined
  if (type === 'boolean') return chosen[0] === undefined ? undefined : chosen[0] === 'true'
  if (type === 'string') return chosen[0] ?? text
  return text === undefined ? undefined : Number(text)
}

/** A field of hostile JSON, if it has one. */
export const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    ? (value as Record<string, unknown>)[field]
    : undefined
