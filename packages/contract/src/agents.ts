// Written by scripts/generate-agents.ts from each agent's entry.ts.
/** The coding agents that Baton supports. Each name is also the folder of its adapter; `AgentEntry` documents the fields. */
export const AGENTS = {
  'claude-code': {
    title: 'Claude Code',
    letters: 'Cc',
    programs: ['claude'],
    env: [
      'CLAUDE_CONFIG_DIR',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_.*',
      'ANTHROPIC_.*',
      'AWS_.*',
      'GOOGLE_.*',
      'CLOUD_ML_REGION',
      'VERTEX_.*',
    ],
  },
  codex: {
    title: 'Codex',
    letters: 'Cx',
    programs: ['codex'],
    env: ['CODEX_HOME', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', 'OPENAI_.*', 'AZURE_OPENAI_.*'],
  },
  copilot: {
    title: 'Copilot CLI',
    letters: 'Co',
    programs: ['copilot'],
    env: ['COPILOT_(?:HOME|CACHE_HOME|GITHUB_TOKEN|GH_HOST|MODEL|PROVIDER_.*|OFFLINE|AUTO_UPDATE)'],
  },
  cursor: {
    title: 'Cursor',
    letters: 'Cu',
    programs: ['cursor-agent'],
    env: ['CURSOR_API_KEY', 'CURSOR_CONFIG_DIR'],
  },
  gemini: {
    title: 'Gemini CLI',
    letters: 'Ge',
    programs: ['gemini'],
    env: ['GEMINI_(?:API_KEY.*|MODEL|CLI_HOME|CLI_SYSTEM_.*)', 'GOOGLE_.*'],
  },
  opencode: {
    title: 'opencode',
    letters: 'Oc',
    programs: ['opencode'],
    env: [
      'OPENCODE_(?:CONFIG.*|API_KEY|AUTH_CONTENT|MODELS_.*|DISABLE_.*)',
      '(?:AI_GATEWAY|ANTHROPIC|BASETEN|CEREBRAS|CLOUDFLARE|DEEPSEEK|FIREWORKS|GEMINI|GROQ|KIMI|MINIMAX|MISTRAL|MOONSHOT|NVIDIA|OPENAI|OPENROUTER|TOGETHER|XAI|ZAI)_API_KEY',
    ],
  },
  pi: {
    title: 'pi',
    letters: 'π',
    programs: ['pi', 'omp'],
    env: [
      'PI_(?:CODING_AGENT_DIR|CODING_AGENT_SESSION_DIR|PACKAGE_DIR|OFFLINE)',
      '(?:AI_GATEWAY|ANTHROPIC|BASETEN|CEREBRAS|CLOUDFLARE|DEEPSEEK|FIREWORKS|GEMINI|GROQ|KIMI|MINIMAX|MISTRAL|MOONSHOT|NVIDIA|OPENAI|OPENROUTER|TOGETHER|XAI|ZAI)_API_KEY',
    ],
  },
} as const
