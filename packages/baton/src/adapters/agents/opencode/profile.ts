import type { AgentProfile } from '../../../ports/agent.ts'
import { refusedUnasked } from '../no-question.ts'
import { pluginEncode, pluginHooks } from '../plugin-protocol.ts'
import { entry } from './entry.ts'

export const profile: AgentProfile = {
  name: 'opencode',
  aliases: [],
  title: entry.title,
  programs: entry.programs,
  scopes: ['user', 'project'],
  hooks: pluginHooks,
  modes: {},
  encode: pluginEncode('opencode', { asks: false }),
  safe: event =>
    event === 'ToolCall' ? { permission: { decision: 'deny', reason: refusedUnasked('opencode') } } : {},
}
