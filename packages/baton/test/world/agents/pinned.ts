/** A program of an npm package that tests run. */
export interface PinnedProgram {
  package: string
  version: string
  bin: string
}

/** The real agents that tests drive, at the versions they were measured on. */
export interface PinnedAgent extends PinnedProgram {
  /** A script of the package that must run once after unpacking; npm itself runs none. */
  prepare?: string
}

export const pinned = {
  'claude-code': {
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    bin: 'claude',
    // Links the platform's native binary over a placeholder.
    prepare: 'install.cjs',
  },
  codex: { package: '@openai/codex', version: '0.166.0', bin: 'codex' },
  // The newest whose native part the registry holds for arm64, too.
  opencode: { package: 'opencode-ai', version: '1.18.18', bin: 'opencode', prepare: 'postinstall.mjs' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', bin: 'gemini' },
  copilot: { package: '@github/copilot', version: '1.0.102', bin: 'copilot' },
  pi: { package: '@earendil-works/pi-coding-agent', version: '0.87.1', bin: 'pi' },
} as const satisfies Record<string, PinnedAgent>

export type AgentName = keyof typeof pinned

/** Programs that speak the Agent Client Protocol for an agent that does not itself; they run the pinned agent, not one of their own. */
export const protocolAdapters = {
  'claude-code': {
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.99.1',
    bin: 'claude-agent-acp',
    runs: 'CLAUDE_CODE_EXECUTABLE',
  },
  codex: {
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    bin: 'codex-acp',
    runs: 'CODEX_PATH',
  },
} as const satisfies Partial<Record<AgentName, PinnedProgram & { runs: string }>>
