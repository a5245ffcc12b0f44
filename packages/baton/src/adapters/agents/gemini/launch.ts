import type { Launches } from '../../../ports/launch.ts'

export const launches: Launches = {
  agent: 'gemini',
  interactive: ({ prompt, resume }) => ({
    program: 'gemini',
    args: [...(resume ? ['--resume', resume] : []), ...(prompt ? [`--prompt-interactive=${prompt}`] : [])],
  }),
  headless: ({ prompt, resume }) => ({
    program: 'gemini',
    args: [...(resume ? ['--resume', resume] : []), `--prompt=${prompt}`],
  }),
  answer: ({ model, flags = [] }) => ({
    program: 'gemini',
    // Without approval for any tool; the empty prompt goes before what comes on standard input.
    args: ['--approval-mode', 'default', '--skip-trust', ...(model ? ['--model', model] : []), ...flags],
  }),
  acp: () => ({
    program: 'gemini',
    args: ['--acp'],
    remedy: 'Install it: npm install -g @google/gemini-cli',
  }),
}
