import { AGENTS } from '@batonpass/contract/agents'
import type { AgentProfile } from '../../../ports/agent.ts'
import { refusedUnasked } from '../no-question.ts'
import { encode } from './encode.ts'
import { hooks } from './hooks.ts'

export const profile: AgentProfile = {
  name: 'gemini',
  aliases: [],
  title: AGENTS.gemini.title,
  programs: AGENTS.gemini.programs,
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
