import { AGENTS } from '@batonpass/contract/agents'
import type { AgentProfile } from '../../../ports/agent.ts'
import { encode } from './encode.ts'
import { hooks } from './hooks.ts'
import { modes } from './modes.ts'
import { safe } from './safe.ts'

export const profile: AgentProfile = {
  name: 'claude-code',
  aliases: ['claude'],
  title: AGENTS['claude-code'].title,
  programs: AGENTS['claude-code'].programs,
  scopes: ['user', 'project', 'local'],
  hooks,
  modes,
  encode,
  safe,
}
