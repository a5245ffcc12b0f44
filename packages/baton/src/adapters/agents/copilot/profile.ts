import type { AgentProfile } from '../../../ports/agent.ts'
import { encode } from './encode.ts'
import { entry } from './entry.ts'
import { hooks } from './hooks.ts'

export const profile: AgentProfile = {
  name: 'copilot',
  aliases: [],
  title: entry.title,
  programs: entry.programs,
  scopes: ['user', 'project'],
  hooks,
  // Its payloads do not say how freely it runs.
  modes: {},
  encode,
  // With every tool allowed and no terminal, too, it makes a refusal of `ask`.
  safe: nativeEvent =>
    nativeEvent === 'preToolUse' ? { permission: { decision: 'ask', reason: UNASKED } } : {},
}

const UNASKED = 'Baton could not be asked about this call, so you decide. `baton doctor` says what is wrong.'
