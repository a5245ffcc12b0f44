import type { AgentProfile } from '../../../ports/agent.ts'
import { refusedUnasked } from '../no-question.ts'
import { encode } from './encode.ts'
import { entry } from './entry.ts'
import { hooks } from './hooks.ts'

export const profile: AgentProfile = {
  name: 'gemini',
  aliases: [],
  title: entry.title,
  programs: entry.programs,
  scopes: ['user', 'project'],
  hooks,
  // Its payloads do not say how freely it runs.
  modes: {},
  asksOnScreen: true,
  encode,
  safe: nativeEvent =>
    nativeEvent === 'BeforeTool'
      ? { permission: { decision: 'deny', reason: refusedUnasked('Gemini CLI') } }
      : {},
}
