import { profiles } from '../adapters/agents/profile-list.ts'
import type { Handler } from './command.ts'

export const JSON_OPTION = { json: { type: 'boolean', help: 'Print JSON for scripts.' } } as const

/** The agents that can be started, by every name. */
export const STARTED = profiles.flatMap(({ name, aliases }) => [...aliases, name])

/** The agents whose hooks can be installed. */
export const AGENTS = [...STARTED, 'all']

type Load = () => Promise<Handler>

/**
 * Runs the handler of the first word, or `otherwise`. Handlers in `lists` get the words after it; those in `verbs` also get
 * the first word.
 */
export function byFirstWord(
  otherwise: Handler,
  lists: Readonly<Record<string, Load>>,
  verbs: Readonly<Record<string, Load>> = {},
): Handler {
  return async (given, io) => {
    const [word = '', ...rest] = given.positionals
    const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined
    if (verb) return (await verb())(given, io)
    const list = Object.hasOwn(lists, word) ? lists[word] : undefined
    return list ? (await list())({ ...given, positionals: rest }, io) : otherwise(given, io)
  }
}
