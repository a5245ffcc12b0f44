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
  acp: () => ({
    program: 'gemini',
    args: ['--acp'],
    remedy: 'Install it: npm install -g @google/gemini-cli',
  }),
}
