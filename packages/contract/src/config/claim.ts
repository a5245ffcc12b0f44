import { z } from 'zod'
import { choice, flag, section, setting, text, webAddress, whole } from '../setting.ts'

export const claim = section('Issues that an agent holds until their pull request is merged.', {
  branch: setting(
    z
      .string()
      .regex(/^(?![-/.])[\w./-]{0,80}\{N\}[\w./-]{0,80}$/)
      .default('issue-{N}'),
    "The name of an issue's branch; {N} is the issue's number.",
    { expects: 'a branch name with {N} in it, such as issue-{N}' },
  ),
  label: text(
    'ready-for-agent',
    'Issues with this label come first. Without a board, only these are offered.',
  ),
  poll_seconds: whole(10, 86_400, 120, 'How many seconds to wait between two checks of a pull request.'),
  lease_minutes: whole(
    5,
    10_080,
    60,
    'How many minutes a claim stays valid after its daemon last renewed it.',
  ),
  validate: text(
    '',
    'A shell command that must succeed before Baton opens the pull request, such as npm test.',
    {
      trust: 'needed',
      defaultText: 'none',
    },
  ),
  pr_template: text(
    '',
    "A template for the pull request's text: a file in the project, with {SUMMARY} and {ISSUE}.",
    {
      expects: 'the path of a file in the project',
      defaultText: "Baton's own",
    },
  ),
  draft: flag(false, 'Open pull requests as drafts.'),
  max_fixes: whole(
    0,
    100,
    5,
    'How many times Baton asks an agent to fix failed checks, reviews or conflicts; 0 means never.',
  ),
  log_lines: whole(0, 500, 60, "How many lines of a failed check's log the agent receives."),
  wake: choice(
    ['type', 'resume', 'off'],
    'type',
    'How Baton reaches an idle agent: `type` into its terminal, also `resume` an ended session, or `off` (wait for its next turn).',
    { trust: 'to-loosen', looser: ['off', 'type', 'resume'] },
  ),
})

export const forge = section('Where issues and pull requests are, if not on GitHub.', {
  folder: text('', 'A folder that acts as the forge, to try Baton without a network. The tour creates one.', {
    trust: 'needed',
    defaultText: 'none',
  }),
})

export const github = section('GitHub, where issues and pull requests are.', {
  token: text('', 'The GitHub token. Prefer the environment or `gh auth login`.', {
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
    'Your GitHub Enterprise host. Baton sends the token only to this host and to github.com.',
    { trust: 'needed', expects: 'a host such as github.example.com', defaultText: 'github.com' },
  ),
  api_url: setting(webAddress, "The address of that host's API, if it does not follow from the host name.", {
    trust: 'needed',
    expects: 'an address such as https://github.example.com/api/v3',
    defaultText: 'derived from the host',
  }),
  webhook_secret: text('', 'The secret of the webhook that `baton webhook` serves.', {
    trust: 'needed',
    expects: 'the secret, as text',
    secret: true,
    env: ['BATON_WEBHOOK_SECRET'],
    defaultText: 'none',
  }),
})

export const board = section('The GitHub Projects board. By default, the only board there is.', {
  owner: setting(
    z
      .string()
      .regex(/^([A-Za-z0-9][A-Za-z0-9_-]{0,99})?$/)
      .default(''),
    'The user or organisation that owns the board.',
    { trust: 'needed', expects: 'the name of a user or an organisation', defaultText: 'detected' },
  ),
  number: whole(0, 999_999_999, 0, "The board's number; 0 means the only board there is.", {
    trust: 'needed',
    defaultText: 'detected',
  }),
})
