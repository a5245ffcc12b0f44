import { z } from 'zod'
import { choice, section, setting } from '../setting.ts'

/** Whether commands run in the sandbox where nobody says otherwise. */
const DEFAULT_MODE = 'on'

const Folder = setting(
  z
    .string()
    .max(1000)
    .regex(/^(\/|~\/)[^\p{Cc}]*$/u),
  'An absolute path, or one that starts with ~/.',
  { expects: 'an absolute path, or one that starts with ~/' },
)
const folders = (description: string) =>
  setting(z.array(Folder).max(100).default([]), description, {
    expects: 'a list of absolute paths',
    accumulates: true,
    trust: 'needed',
  })

export const sandbox = section('Where commands of agents run.', {
  mode: choice(
    ['on', 'off', 'strict'],
    DEFAULT_MODE,
    'Whether commands run in the sandbox. `on`: where this machine has one. `strict`: without a sandbox, no command runs. `off`: never.',
    { trust: 'to-loosen', looser: ['strict', 'on', 'off'] },
  ),
  readable: folders('Files and folders outside the project that commands in the sandbox may read.'),
  writable: folders(
    'Files and folders outside the project that commands in the sandbox may read and change.',
  ),
  env_files: choice(
    ['hidden', 'visible'],
    'hidden',
    "What commands in the sandbox find in the project's `.env` files: nothing, or what is in them.",
    { trust: 'to-loosen', looser: ['hidden', 'visible'] },
  ),
})
