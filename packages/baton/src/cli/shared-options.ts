import { profiles } from '../adapters/agents/profile-list.ts'

export const JSON_OPTION = { json: { type: 'boolean', help: 'Print JSON for scripts.' } } as const

/** The agents that can be started, by every name. */
export const STARTED = profiles.flatMap(({ name, aliases }) => [...aliases, name])

/** The agents whose hooks can be installed. */
export const AGENTS = [...STARTED, 'all']
