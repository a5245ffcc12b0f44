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
  answer: ({ model, flags = [], reads }) => ({
    program: 'copilot',
    args: [
      ...['--silent', '--no-color', '--no-ask-user', '--no-auto-update', '--no-custom-instructions'],
      ...['--disable-builtin-mcps', '--no-remote', '--no-remote-export', '--disallow-temp-dir'],
      ...(model ? ['--model', model] : []),
      ...flags,
      // No tool is called that: none is there. `--add-dir` would load skills of the folder.
      ...(reads === undefined
        ? ['--available-tools=none']
        : ['--available-tools=view,grep,glob', '--allow-all-paths']),
    ],
    // A person's own `true` would let it do everything.
    env: { COPILOT_ALLOW_ALL: 'false' },
    reads: reads !== undefined,
  }),
  acp: () => ({
    program: 'copilot',
    args: ['--acp'],
    remedy: 'Install it: npm install -g @github/copilot',
    endsWhenRefused: 'ended',
  }),
  tools: {
    add: program => ['mcp', 'add', 'baton', '--', program, 'mcp'],
    remove: ['mcp', 'remove', 'baton'],
  },
}
