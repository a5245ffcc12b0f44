import type { Launches } from '../../../ports/launch.ts'

export const launches: Launches = {
  agent: 'cursor',
  interactive: ({ prompt, resume }) => ({
    program: 'cursor-agent',
    args: [...(resume ? [`--resume=${resume}`] : []), ...(prompt ? ['--', prompt] : [])],
  }),
  headless: ({ prompt, resume }) => ({
    program: 'cursor-agent',
    args: ['-p', ...(resume ? [`--resume=${resume}`] : []), '--', prompt],
  }),
  answer: ({ model, flags = [] }) => ({
    program: 'cursor-agent',
    args: ['-p', '--output-format', 'text', ...(model ? ['--model', model] : []), ...flags],
  }),
}
