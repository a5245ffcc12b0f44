import { AGENTS } from '@batonpass/contract/agents'
import type { AgentProfile } from '../../../ports/agent.ts'
import { pluginEncode, pluginHooks } from '../plugin-protocol.ts'

export const profile: AgentProfile = {
  name: 'pi',
  aliases: [],
  title: AGENTS.pi.title,
  programs: AGENTS.pi.programs,
  scopes: ['user', 'project'],
  hooks: pluginHooks,
  modes: {},
  // The extension puts the question to the person at the terminal; without one it refuses.
  encode: pluginEncode('pi', { asks: true }),
  safe: event => (event === 'ToolCall' ? { permission: { decision: 'ask', reason: UNASKED } } : {}),
}

const UNASKED = 'Baton could not be asked about this call, so you decide. `baton doctor` says what is wrong.'
