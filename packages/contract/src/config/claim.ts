import { z } from 'zod'
import { choice, flag, section, setting, text, webAddress, whole } from '../setting.ts'

export const claim = section('Issues that an agent holds until their pull request is merged.', {
  branch: setting(
    z
      .string()
      .regex(/^(?![-/.])[\w./-]{0,80}\{N\}[\w./-]{0,80}$/)
      .default('issue-{N}'),
    'The branch of an issue; {N} stands for its number.',
    { expects: 'a branch name with {N} in it, such as issue-{N}' },
  ),
  label: text('ready-for-agent', 'Issues with this label come first, and alone where there is no board.'),
  poll_seconds: whole(10, 86_400, 120, 'How long to wait before a pull request is looked at again.'),
  lease_minutes: whole(5, 10_080, 60, 'How long a claim lives after its daemon was last heard of.'),
  validate: text('', 'A shell command that must succeed before a branch is handed off, such as npm test.', {
    trust: 'needed',
    defaultText: 'none',
  }),
  pr_template: text('', "The pull request's text: a file below the project, with {SUMMARY} and {ISSUE}.", {
    expects: 'the path of a file below the project',
    defaultText: "Baton's own",
  }),
  draft: flag(false, 'Open pull requests as drafts.'),
  max_fixes: whole(
    0,
    100,
    5,
    'How often an agent is sent back for failed checks, reviews or conflicts; 0: never.',
  ),
  log_lines: whole(0, 500, 60, "How many lines of a failed check's log the agent is given."),
  wake: choice(
    ['type', 'resume', 'off'],
    'type',
    'How an idle agent hears news: typed into its terminal, also by resuming it, or at its next turn only.',
    { trust: 'to-loosen', looser: ['off', 'type', 'resume'] },
  ),
})

export const forge = section('Where issues and pull requests are, when it is not GitHub.', {
  folder: text(
    '',
    'A folder that stands for the forge, to try Baton out without a network; the tour makes one.',
    {
      trust: 'needed',
      defaultText: 'none',
    },
  ),
})

export const github = section('GitHub, where issues and pull requests are.', {
  token: text('', 'The token. Better kept in the environment, or in `gh auth login`.', {
    trust: 'needed',
    expects: 'a token, as text',
    secret: true,
    env: ['BATON_GITHUB_TOKEN'],
    defaultText: 'GITHUB_TOKEN, GH_TOKEN or `gh auth token`',
  }),
  host: setting(
    z
      .string()
      .regex(/^([a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?)?$/)
      .default(''),
    'Your GitHub Enterprise host: only to it is the token given beside github.com.',
    { trust: 'needed', expects: 'a host such as github.example.com', defaultText: 'github.com' },
  ),
  api_url: setting(webAddress, "The API's address of that host, where it cannot be told from its name.", {
    trust: 'needed',
    expects: 'an address such as https://github.example.com/api/v3',
    defaultText: 'by the host',
  }),
  webhook_secret: text('', 'The secret of the webhook that `baton webhook` serves.', {
    trust: 'needed',
    expects: 'the secret, as text',
    secret: true,
    env: ['BATON_WEBHOOK_SECRET'],
    defaultText: 'none',
  }),
})

export const board = section('The GitHub Projects board. Left out, the only one there is.', {
  owner: setting(
    z
      .string()
      .regex(/^([A-Za-z0-9][A-Za-z0-9_-]{0,99})?$/)
      .default(''),
    'The user or organisation that owns the board.',
    { trust: 'needed', expects: 'the name of a user or an organisation', defaultText: 'found by itself' },
  ),
  number: whole(0, 999_999_999, 0, "The board's number; 0: the only one there is.", {
    trust: 'needed',
    defaultText: 'found by itself',
  }),
})
