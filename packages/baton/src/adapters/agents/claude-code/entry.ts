import type { AgentEntry } from '../../../ports/agent.ts'

export const entry: AgentEntry = {
  title: 'Claude Code',
  letters: 'Cc',
  programs: ['claude'],
  env: [
    ...['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_.*', 'ANTHROPIC_.*'],
    ...['AWS_.*', 'GOOGLE_.*', 'CLOUD_ML_REGION', 'VERTEX_.*'],
  ],
}
