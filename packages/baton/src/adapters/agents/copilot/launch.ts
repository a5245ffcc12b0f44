import type { Launches } from '../../../ports/launch.ts'

export const launches: Launches = {
  agent: 'copilot',
  interactive: ({ prompt, resume }) => ({
    program: 'copilot',
    args: [...(resume ? [`--resume=${resume}`] : []), ...(prompt ? [`--interactive=${prompt}`] : [])],
  }),
  headless: ({ prompt, resume }) => ({
    program: 'copilot',
    args: [...(resume ? [`--resume=${resume}`] : []), `--prompt=${prompt}`],
  }),
  answer: ({ model, flags = [] }) => ({
    program: 'copilot',
    args: ['--silent', '--no-color', ...(model ? ['--model', model] : []), ...flags],
  }),
  acp: () => ({
    program: 'copilot',
    args: ['--acp'],
    remedy: 'Install it: npm install -g @github/copilot',
  }),
}
