import type { AgentProfile } from '../../../ports/agent.ts'
import { encode } from './encode.ts'
import { entry } from './entry.ts'
import { hooks } from './hooks.ts'
import { modes } from './modes.ts'
import { safe } from './safe.ts'

export const profile: AgentProfile = {
  name: 'claude-code',
  aliases: ['claude'],
  title: entry.title,
  programs: entry.programs,
  scopes: ['user', 'project', 'local'],
  hooks,
  modes,
  encode,
  safe,
}
