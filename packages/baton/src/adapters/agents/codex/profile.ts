import { AGENTS } from '@batonpass/contract/agents'
import type { AgentProfile } from '../../../ports/agent.ts'
import { refusedUnasked } from '../no-question.ts'
import { encode } from './encode.ts'
import { hooks } from './hooks.ts'
import { modes } from './modes.ts'

export const profile: AgentProfile = {
  name: 'codex',
  aliases: [],
  title: AGENTS.codex.title,
  programs: AGENTS.codex.programs,
  scopes: ['user', 'project'],
  hooks,
  modes,
  encode,
  // Whatever the mode: an `ask` would be waved through. A permission dialog is already a person being asked.
  safe: nativeEvent =>
    nativeEvent === 'PreToolUse' ? { permission: { decision: 'deny', reason: refusedUnasked('Codex') } } : {},
}
