import type { AgentProfile } from '../../../ports/agent.ts'
import { refusedUnasked } from '../no-question.ts'
import { pluginEncode, pluginHooks } from '../plugin-protocol.ts'
import { entry } from './entry.ts'
import { questionAnswer } from './question-answer.ts'

const encode = pluginEncode('opencode', { asks: false })

export const profile: AgentProfile = {
  name: 'opencode',
  aliases: [],
  title: entry.title,
  programs: entry.programs,
  scopes: ['user', 'project'],
  hooks: [
    ...pluginHooks,
    // A question may wait for a day.
    { event: 'Question', waits: true, seconds: 24 * 3600 },
  ],
  modes: {},
  encode: (reaction, nativeEvent, _onScreen, payload) =>
    nativeEvent === 'Question' ? questionAnswer(reaction, payload) : encode(reaction, nativeEvent),
  safe: event =>
    event === 'ToolCall' ? { permission: { decision: 'deny', reason: refusedUnasked('opencode') } } : {},
}
