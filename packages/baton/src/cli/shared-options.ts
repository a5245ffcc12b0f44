import { profiles } from '../adapters/agents/profile-list.ts'

export const JSON_OPTION = { json: { type: 'boolean', help: 'Print JSON for scripts.' } } as const

export const TOKEN_FILE = {
  'token-file': {
    type: 'string',
    value: 'FILE',
    help: 'Answer with this token, for scripts without a terminal.',
  },
} as const

/** The agents that can be started, as people type them. */
export const STARTED = profiles.map(({ name, aliases }) => aliases[0] ?? name)

/** The agents whose hooks can be installed, by every name. */
export const AGENTS = [...profiles.flatMap(({ name, aliases }) => [...aliases, name]), 'all']
