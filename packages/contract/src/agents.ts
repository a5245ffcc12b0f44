/** For agents that speak with many model services. */
const SERVICE_KEYS =
  '(?:AI_GATEWAY|ANTHROPIC|BASETEN|CEREBRAS|CLOUDFLARE|DEEPSEEK|FIREWORKS|GEMINI|GROQ|KIMI|MINIMAX|MISTRAL|MOONSHOT|NVIDIA|OPENAI|OPENROUTER|TOGETHER|XAI|ZAI)_API_KEY'

/**
 * The coding agents Baton speaks with, one entry each; each name is also the folder of its adapter. `programs` are the files it
 * runs as: what runs below one of them is never a person. `env` are the variables (as patterns) by which it finds its folder
 * and logs in: the daemon keeps them for the calls it makes with it. Variables of a running session are none of them.
 */
export const AGENTS = {
  'claude-code': {
    title: 'Claude Code',
    programs: ['claude'],
    env: [
      ...['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_.*', 'ANTHROPIC_.*'],
      ...['AWS_.*', 'GOOGLE_.*', 'CLOUD_ML_REGION', 'VERTEX_.*'],
    ],
  },
  cursor: { title: 'Cursor', programs: ['cursor-agent'], env: ['CURSOR_API_KEY', 'CURSOR_CONFIG_DIR'] },
  codex: {
    title: 'Codex',
    programs: ['codex'],
    env: ['CODEX_HOME', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', 'OPENAI_.*', 'AZURE_OPENAI_.*'],
  },
  opencode: {
    title: 'opencode',
    programs: ['opencode'],
    env: ['OPENCODE_(?:CONFIG.*|API_KEY|AUTH_CONTENT|MODELS_.*|DISABLE_.*)', SERVICE_KEYS],
  },
  gemini: {
    title: 'Gemini CLI',
    programs: ['gemini'],
    env: ['GEMINI_(?:API_KEY.*|MODEL|CLI_HOME|CLI_SYSTEM_.*)', 'GOOGLE_.*'],
  },
  copilot: {
    title: 'Copilot CLI',
    programs: ['copilot'],
    env: ['COPILOT_(?:HOME|CACHE_HOME|GITHUB_TOKEN|GH_HOST|MODEL|PROVIDER_.*|OFFLINE|AUTO_UPDATE)'],
  },
  pi: {
    title: 'pi',
    programs: ['pi', 'omp'],
    env: ['PI_(?:CODING_AGENT_DIR|CODING_AGENT_SESSION_DIR|PACKAGE_DIR|OFFLINE)', SERVICE_KEYS],
  },
} as const satisfies Record<string, AgentLine>

export interface AgentLine {
  title: string
  programs: readonly string[]
  env: readonly string[]
}
