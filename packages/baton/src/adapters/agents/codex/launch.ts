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
  answer: ({ model, flags = [] }) => ({
    program: 'codex',
    args: [
      'exec',
      ...['--sandbox', 'read-only'],
      '--skip-git-repo-check',
      ...(model ? ['--model', model] : []),
      ...flags,
      '-',
    ],
  }),
  acp: () => ({
    program: 'codex-acp',
    args: [],
    remedy: 'Install it: npm install -g @agentclientprotocol/codex-acp',
  }),
}
