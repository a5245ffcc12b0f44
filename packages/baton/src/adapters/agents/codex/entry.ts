import type { AgentEntry } from '../../../ports/agent.ts'

export const entry: AgentEntry = {
  title: 'Codex',
  letters: 'Cx',
  programs: ['codex'],
  env: ['CODEX_HOME', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', 'OPENAI_.*', 'AZURE_OPENAI_.*'],
}
