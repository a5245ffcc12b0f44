import type { AgentProfile } from '../../../ports/agent.ts'
import { encode } from './encode.ts'
import { entry } from './entry.ts'
import { hooks } from './hooks.ts'
import { safe } from './safe.ts'

export const profile: AgentProfile = {
  name: 'cursor',
  aliases: [],
  title: entry.title,
  programs: [...entry.programs, 'cursor'],
  scopes: ['user', 'project'],
  hooks,
  // Its payloads do not say how freely it runs.
  modes: {},
  encode,
  safe,
}
