import type { AgentProfile } from '../../../ports/agent.ts'
import { refusedUnasked } from '../no-question.ts'
import { encode } from './encode.ts'
import { entry } from './entry.ts'
import { hooks } from './hooks.ts'
import { modes } from './modes.ts'

export const profile: AgentProfile = {
  name: 'codex',
  aliases: [],
  title: entry.title,
  programs: entry.programs,
  scopes: ['user', 'project'],
  hooks,
  modes,
  encode,
  // Whatever the mode: an `ask` would be waved through. A permission dialog is already a person being asked.
  safe: nativeEvent =>
    nativeEvent === 'PreToolUse' ? { permission: { decision: 'deny', reason: refusedUnasked('Codex') } } : {},
}
