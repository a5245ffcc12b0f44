import { BatonError } from '@batonpass/contract/errors'

const MAX_TEXT_LENGTH = 20_000

/** Reads an optional text from a tool's arguments. */
export function textOf(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const given = args[name]
  if (given === undefined || given === null || given === '') return undefined
  if (typeof given !== 'string') throw new BatonError('usage', `${name} must be a string`)
  if (given.length > MAX_TEXT_LENGTH)
    throw new BatonError('usage', `${name} is longer than ${MAX_TEXT_LENGTH} characters`, {
      remedy: 'Write it to a file of the work item and name that file.',
    })
  return given.trim() || undefined
}

/** Where a tool is called, and by what kind of caller. */
export interface ToolContext {
  project: string
  /** The caller opens new chats itself. */
  opensChats?: boolean
}
