import type { Launches } from '../../../ports/launch.ts'

export const launches: Launches = {
  agent: 'opencode',
  interactive: ({ prompt, resume }) => ({
    program: 'opencode',
    args: [...(resume ? ['--session', resume] : []), ...(prompt ? [`--prompt=${prompt}`] : [])],
  }),
  headless: ({ prompt, resume }) => ({
    program: 'opencode',
    args: ['run', ...(resume ? ['--session', resume] : []), '--', prompt],
  }),
  answer: ({ model, flags = [], reads }) => ({
    program: 'opencode',
    args: ['run', ...(model ? ['--model', model] : []), ...flags],
    env: { OPENCODE_PERMISSION: JSON.stringify(reads === undefined ? NOTHING : READING) },
    reads: reads !== undefined,
  }),
  acp: () => ({
    program: 'opencode',
    args: ['acp'],
    // By itself it asks for nothing.
    env: { OPENCODE_PERMISSION: JSON.stringify(ASKED) },
    remedy: 'Install it: npm install -g opencode-ai',
    endsWhenRefused: 'ended',
  }),
}

const NOTHING = { '*': 'deny' }
/** The sandbox shows nothing that it may not read. */
const READING = {
  ...NOTHING,
  read: 'allow',
  list: 'allow',
  glob: 'allow',
  grep: 'allow',
  external_directory: 'allow',
}
const ASKED = { bash: 'ask', edit: 'ask', webfetch: 'ask', external_directory: 'ask' }
