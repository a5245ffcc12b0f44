import type { Launches } from '../../../ports/launch.ts'

export const launches: Launches = {
  agent: 'claude-code',
  interactive: ({ prompt, resume }) => ({
    program: 'claude',
    // After `--`, so that a prompt that begins with a dash is still a prompt.
    args: [...(resume ? ['--resume', resume] : []), ...(prompt ? ['--', prompt] : [])],
  }),
  headless: ({ prompt, resume }) => ({
    program: 'claude',
    args: ['-p', ...(resume ? ['--resume', resume] : []), '--', prompt],
  }),
  acp: () => ({
    program: 'claude-agent-acp',
    args: [],
    remedy: 'Install it: npm install -g @agentclientprotocol/claude-agent-acp',
  }),
}
