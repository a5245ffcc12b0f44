import type { AgentProfile } from '../../../ports/agent.ts'
import { refusedUnasked } from '../no-question.ts'
import { pluginEncode, pluginHooks } from '../plugin-protocol.ts'

export const profile: AgentProfile = {
  name: 'opencode',
  aliases: [],
  title: 'opencode',
  programs: ['opencode'],
  scopes: ['user', 'project'],
  hooks: pluginHooks,
  modes: {},
  encode: pluginEncode('opencode', { asks: false }),
  safe: event =>
    event === 'ToolCall' ? { permission: { decision: 'deny', reason: refusedUnasked('opencode') } } : {},
}
