import type { AgentProfile } from '../../../ports/agent.ts'
import { pluginEncode, pluginHooks } from '../plugin-protocol.ts'
import { entry } from './entry.ts'

export const profile: AgentProfile = {
  name: 'pi',
  aliases: [],
  title: entry.title,
  programs: entry.programs,
  scopes: ['user', 'project'],
  hooks: pluginHooks,
  modes: {},
  // The extension puts the question to the person at the terminal; without one it refuses.
  encode: pluginEncode('pi', { asks: true }),
  safe: event => (event === 'ToolCall' ? { permission: { decision: 'ask', reason: UNASKED } } : {}),
}

const UNASKED = 'Baton could not be asked about this call, so you decide. `baton doctor` says what is wrong.'
