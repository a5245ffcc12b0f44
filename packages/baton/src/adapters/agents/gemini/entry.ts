import type { AgentEntry } from '../../../ports/agent.ts'

export const entry: AgentEntry = {
  title: 'Gemini CLI',
  letters: 'Ge',
  programs: ['gemini'],
  env: ['GEMINI_(?:API_KEY.*|MODEL|CLI_HOME|CLI_SYSTEM_.*)', 'GOOGLE_.*'],
}
