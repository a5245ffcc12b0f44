import { z } from 'zod'
import { CheckDeclaration } from '../proof.ts'
import { flag, section, setting, text, whole } from '../setting.ts'

const DoneWhen = setting(
  CheckDeclaration,
  'One check: a command, files that must exist or change, limits of the diff, what the forge says, a review by an agent, or a question to a person.',
  {
    expects:
      'a command, or a check such as {run: npm test}, {files: {exist: [README.md]}}, {diff: {max_lines: 500}}, {forge: {checks: green}}, {review: "Is it minimal?"} or {person: "Does it look right?"}',
  },
)

const Login = setting(z.string().regex(/^[\w.-]{1,100}(?:\[bot\])?$/), 'A login.', { expects: 'a login' })

export const proof = section('The checks that show that work is done.', {
  done_when: setting(
    z.array(DoneWhen).max(30).default([]),
    'The checks that must pass. Empty: Baton derives them from the repository as it was before the run.',
    { expects: 'a list of checks', trust: 'needed' },
  ),
  trusted_authors: setting(
    z.array(Login).max(100).default([]),
    'Logins whose issues may add commands to the checks, in addition to your own. Issues of others may only add checks of files and of the diff.',
    { expects: 'a list of logins', trust: 'needed' },
  ),
  tasks: flag(
    true,
    'Whether each open box in the task list of an issue is a check, which a fresh session of an agent decides.',
    { trust: 'to-loosen', looser: [true, false] },
  ),
  setup: text(
    '',
    'A command that prepares a clean checkout for the checks, such as `npm ci`. `none`: there is none.',
    {
      trust: 'needed',
      defaultText: 'derived from the lock file',
    },
  ),
  minutes: whole(1, 240, 15, 'How long one check may take, and the setup.', {
    trust: 'to-loosen',
    looser: 'more',
  }),
  retries: whole(
    0,
    20,
    5,
    'How often failed checks go back to the agent of a run before it ends as unproven.',
  ),
})
