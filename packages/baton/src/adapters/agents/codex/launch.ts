import type { Launches } from '../../../ports/launch.ts'

export const launches: Launches = {
  agent: 'codex',
  interactive: ({ prompt, resume }) => ({
    program: 'codex',
    args: [...(resume ? ['resume', resume] : []), ...(prompt ? ['--', prompt] : [])],
  }),
  headless: ({ prompt, resume }) => ({
    program: 'codex',
    args: ['exec', ...(resume ? ['resume', resume] : []), '--', prompt],
  }),
  acp: () => ({
    program: 'codex-acp',
    args: [],
    remedy: 'Install it: npm install -g @agentclientprotocol/codex-acp',
  }),
}
