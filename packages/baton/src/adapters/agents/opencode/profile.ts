import { AGENTS } from '@batonpass/contract/agents'
import type { AgentProfile } from '../../../ports/agent.ts'
import { refusedUnasked } from '../no-question.ts'
import { pluginEncode, pluginHooks } from '../plugin-protocol.ts'

export const profile: AgentProfile = {
  name: 'opencode',
  aliases: [],
  title: AGENTS.opencode.title,
  programs: AGENTS.opencode.programs,
  scopes: ['user', 'project'],
  hooks: pluginHooks,
  modes: {},
  encode: pluginEncode('opencode', { asks: false }),
  safe: event =>
    event === 'ToolCall' ? { permission: { decision: 'deny', reason: refusedUnasked('opencode') } } : {},
}
