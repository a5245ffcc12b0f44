import type { AgentEntry } from '../../../ports/agent.ts'

export const entry: AgentEntry = {
  title: 'Cursor',
  letters: 'Cu',
  programs: ['cursor-agent'],
  env: ['CURSOR_API_KEY', 'CURSOR_CONFIG_DIR'],
}
