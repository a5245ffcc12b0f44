import { BatonError } from '@batonpass/contract/errors'

const MAX_TEXT_LENGTH = 20_000

/** An optional text among a tool's arguments. */
export function textOf(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const given = args[name]
  if (given === undefined || given === null || given === '') return undefined
  if (typeof given !== 'string') throw new BatonError('usage', `${name} must be a text`)
  if (given.length > MAX_TEXT_LENGTH)
    throw new BatonError('usage', `${name} is longer than ${MAX_TEXT_LENGTH} characters`, {
      remedy: 'Write it into a file of the work item and name the file.',
    })
  return given.trim() || undefined
}

/** Who calls a tool, and where. */
export interface ToolContext {
  project: string
  /** The caller opens conversations itself. */
  opensChats?: boolean
}
