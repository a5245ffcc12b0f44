import { z } from 'zod'
import { AGENTS } from './agents.ts'
import { PermissionRule } from './permission.ts'
import { choice, flag, limit, numericText, section, setting, size, text, whole } from './setting.ts'

/** As people type them. */
const SUPERVISORS = Object.keys(AGENTS).map(name => (name === 'claude-code' ? 'claude' : name))

const handsoff = section('Hands-off mode: workflows go on by themselves until they are done.', {
  enabled: flag(true, 'Continue a workflow that stops before it is done.', { whenBroken: false }),
  max_continuations: whole(0, 1000, 10, 'How often one workflow is continued at most.'),
  auto_permission: flag(true, 'Let a model judge permission requests that no rule decides.', {
    trust: 'to-loosen',
    looser: [false, true],
    whenBroken: false,
  }),
  debug: flag(false, 'Write a debug log of sessions and permission decisions.'),
  supervisor: section('A second model that looks at a stopped workflow and writes the next prompt.', {
    provider: choice(['none', ...SUPERVISORS], 'none', 'Whose program supervises.', { trust: 'needed' }),
    model: text('', "The supervisor's model; empty leaves it to the provider.", {
      trust: 'needed',
      defaultText: 'provider-specific',
    }),
    flags: text('', "Extra arguments for the supervisor's program.", { trust: 'needed' }),
  }).prefault({}),
})

const channel = { trust: 'needed' } as const

const telegram = section('Questions to you by Telegram.', {
  enabled: flag(false, 'Send questions to Telegram.', channel),
  token: text('', 'The bot token from @BotFather. Better kept in the environment.', {
    ...channel,
    expects: 'the bot token from @BotFather, as text',
    secret: true,
    env: ['BATON_TELEGRAM_TOKEN', 'TELEGRAM_BOT_TOKEN'],
    defaultText: 'none',
  }),
  chat_id: setting(
    numericText.pipe(z.string().regex(/^(-?\d{1,20}|@[A-Za-z]\w{3,31})?$/)).prefault(''),
    'The chat or channel that is asked.',
    {
      ...channel,
      expects: 'a chat id such as 12345678 or -1001234567890, or @channelname',
      defaultText: 'none',
    },
  ),
  timeout_sec: whole(1, 7200, 60, 'How long to wait for an answer, in seconds.', channel),
  poll_interval_sec: whole(1, 300, 5, 'How often to look for answers, in seconds.', channel),
  allowed_user_ids: setting(
    z
      .union([z.string(), z.int(), z.array(numericText)])
      .transform(ids =>
        Array.isArray(ids)
          ? ids
          : String(ids)
              .split(',')
              .map(id => id.trim())
              .filter(Boolean),
      )
      .pipe(z.array(z.string().regex(/^\d{1,20}$/)))
      .prefault(''),
    'Who may answer. Empty: anyone in the chat.',
    { ...channel, expects: 'user ids, as "123,456" or as a list', defaultText: 'anyone in the chat' },
  ),
  on_timeout: choice(['ask', 'deny'], 'ask', 'What a question nobody answered becomes.', channel),
  api_root: setting(
    z
      .string()
      .regex(/^(https?:\/\/[^\s\p{Cc}]+)?$/u)
      .default(''),
    'The address of your own Bot API server. Read from your own files only.',
    { ...channel, expects: 'an address such as http://127.0.0.1:8081', defaultText: "Telegram's own" },
  ),
})

const shadow = section('Watching without acting, to see what Baton would do.', {
  enabled: flag(
    false,
    'Write everything down and answer nothing: the agents go on as if Baton were not there.',
    {
      trust: 'needed',
      whenBroken: false,
    },
  ),
})

/** What people are told of beside questions. */
export const NoticeKind = z.enum(['needs-input', 'ended', 'pr-ready', 'handoff', 'trouble'])
export type NoticeKind = z.infer<typeof NoticeKind>

const notify = section(
  'How you are told that something ended or waits for you, beside the questions themselves.',
  {
    desktop: flag(false, 'Show notifications on this desktop.', channel),
    bell: flag(false, "Ring the bell of the session's own terminal.", channel),
    webhook: setting(
      z
        .string()
        .regex(/^(https?:\/\/[^\s\p{Cc}]+)?$/u)
        .default(''),
      'An address that gets each notification as JSON.',
      {
        ...channel,
        expects: 'an address such as https://hooks.example.com/baton',
        secret: true,
        env: ['BATON_NOTIFY_WEBHOOK'],
        defaultText: 'none',
      },
    ),
    about: setting(
      z.array(NoticeKind).default([...NoticeKind.options]),
      'What you are told of, by Telegram, too.',
      { ...channel, expects: `a list out of ${NoticeKind.options.join(', ')}` },
    ),
    quiet_hours: setting(
      z
        .string()
        .regex(/^(([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d)?$/)
        .default(''),
      'When you are told of nothing, in local time. Questions by Telegram still come.',
      { ...channel, expects: 'a span such as "22:00-07:00"', defaultText: 'none' },
    ),
    repeat_minutes: whole(0, 1440, 15, 'The same is not told again within so many minutes.', channel),
  },
)

const store = section('Where state is kept beside the local database.', {
  url: setting(
    z
      .string()
      .regex(/^(postgres(ql)?:\/\/[^\s\p{Cc}]+)?$/u)
      .default(''),
    'A PostgreSQL database that receives a copy of the journal and is shared by a fleet.',
    {
      expects: 'an address such as postgres://user:password@host/database',
      trust: 'needed',
      secret: true,
      env: ['BATON_STORE_URL'],
      defaultText: 'none',
    },
  ),
})

const journal = section('The record of everything that happened.', {
  retain: section('How much of the journal is kept; the oldest entries go first.', {
    days: whole(1, 3650, 30, 'How many days an entry is kept.'),
    size: size(10e6, '2GB', 'How large the journal may grow.'),
  }).prefault({}),
  content: choice(['full', 'digest'], 'full', 'Keep whole prompts and tool results, or only their digests.'),
})

const daemon = section('The one process that writes state.', {
  port: whole(0, 65_535, 4747, 'The loopback port of API and dashboard; 0 takes any free one.', {
    trust: 'needed',
  }),
})

const permission = section('How permission requests are decided.', {
  preset: choice(['cautious', 'standard', 'trusting'], 'standard', 'The built-in rules to start from.', {
    trust: 'to-loosen',
    looser: ['cautious', 'standard', 'trusting'],
    whenBroken: 'cautious',
  }),
  undecided: choice(
    ['ask', 'defer'],
    'ask',
    "What a request becomes that nothing decided: ask a person, or leave it to the agent's own permission mode.",
    { trust: 'to-loosen', looser: ['ask', 'defer'], whenBroken: 'ask' },
  ),
  undo: flag(true, 'Snapshot the worktree before a command that can be undone, and allow it.', {
    trust: 'needed',
  }),
  judge: choice(
    ['auto', 'api', ...SUPERVISORS],
    'auto',
    'Who judges what no rule decides: the Anthropic API by its key, or the program of an agent. `auto` takes the first that is there.',
    { trust: 'needed' },
  ),
})

const Rule = setting(
  PermissionRule,
  'A regular expression on a Bash command, or a rule such as {program: git, subcommand: push}.',
  { expects: 'a pattern as text, or a rule such as {pattern: "^npm test", tool: Bash}' },
)
const rules = (description: string, facts: { trust?: 'needed' } = {}) =>
  setting(z.array(Rule).default([]), description, { expects: 'a list of rules', accumulates: true, ...facts })

const permissions = section('Your own permission rules; those of all files count together.', {
  allow: rules('What may run without a question.', { trust: 'needed' }),
  deny: rules('What never runs.'),
  ask: rules('What always needs a person.'),
})

const health = section('When a session under watch counts as unwell.', {
  enabled: flag(true, 'Look after the sessions under watch.'),
  stall_minutes: whole(
    1,
    1440,
    15,
    'Minutes without output, while it works, after which a session has stalled.',
  ),
  error_lines: whole(1, 500, 50, 'How many of the last lines on the screen are searched for error words.'),
  error_words: setting(
    z
      .array(
        z
          .string()
          .min(1)
          .max(100)
          .regex(/^[^\p{Cc}]*$/u),
      )
      .max(100)
      .default(['Error', 'Failed', 'Exception', 'Traceback', 'fatal']),
    'Words in the output that are worth a look.',
    { expects: 'a list of words' },
  ),
  tell: flag(true, 'Tell you, by the channels you set up, of a session that stalled or died.'),
})

const watch = section('How sessions are watched.', {
  interval_sec: whole(1, 300, 5, 'How often the terminals are looked at, in seconds.'),
})

const budgetLimits = (span: string) =>
  section(`What ${span} may use.`, {
    tokens: limit(z.int().min(1), 'a whole number of at least 1', `Tokens that ${span} may use.`),
    money: limit(z.number().positive(), 'an amount above 0', `US dollars that ${span} may cost.`),
    hours: limit(z.number().positive(), 'a number above 0', `Hours that ${span} may run.`),
  }).prefault({})

const budget = section('Limits that end a workflow before it costs too much.', {
  per_workflow: budgetLimits('one workflow'),
  per_day: budgetLimits('one day'),
})

const workflows = setting(
  z
    .record(
      z.string().regex(/^[A-Za-z0-9][\w.:-]{0,63}$/),
      setting(z.record(z.string(), z.unknown()), 'One workflow.', { expects: "the workflow's settings" }),
    )
    .default({}),
  'Your own workflows, by name.',
  { expects: 'a map from workflow names (letters, digits, . _ : -) to their settings', trust: 'needed' },
)

const percent = (fallback: number, description: string) => whole(1, 100, fallback, description)

const context = section('How full a session may get, in percent of its context window.', {
  note: percent(50, 'From here on it is noted.'),
  warn: percent(70, 'From here on the agent is advised to keep its steps small.'),
  trigger: percent(85, 'From here on the session is handed off.'),
  advise: flag(true, 'Add the advice to the context of the agent, once each time the zone is entered.'),
})

const github = section('GitHub, where issues and pull requests are.', {
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
  api_url: setting(
    z
      .string()
      .regex(/^(https?:\/\/[^\s\p{Cc}]+)?$/u)
      .default(''),
    "The API's address of that host, where it cannot be told from its name.",
    {
      trust: 'needed',
      expects: 'an address such as https://github.example.com/api/v3',
      defaultText: 'by the host',
    },
  ),
  webhook_secret: text('', 'The secret of the webhook that `baton webhook` serves.', {
    trust: 'needed',
    expects: 'the secret, as text',
    secret: true,
    env: ['BATON_WEBHOOK_SECRET'],
    defaultText: 'none',
  }),
})

const board = section('The GitHub Projects board. Left out, the only one there is.', {
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

const claim = section('Issues that an agent holds until their pull request is merged.', {
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

const forge = section('Where issues and pull requests are, when it is not GitHub.', {
  folder: text(
    '',
    'A folder that stands for the forge, to try Baton out without a network; the tour makes one.',
    {
      trust: 'needed',
      defaultText: 'none',
    },
  ),
})

const cycle = section('The automated handoff of a session whose context is full.', {
  enabled: flag(true, 'Hand a full session off to a fresh one at the same place, where Baton can reach it.'),
  at_once: whole(1, 50, 2, 'How many sessions are handed off at the same time.'),
  stagger_sec: whole(0, 3600, 5, 'How many seconds lie between the beginnings of two handoffs.'),
  document_sec: whole(10, 3600, 300, 'How long the agent may take to write the document, in seconds.'),
  answer_sec: whole(10, 3600, 300, 'How long the new session may take to show that it has the essentials.'),
  force: percent(95, 'From here on a turn that still runs is interrupted for the handoff.'),
})

/** `.baton.yaml`, all sections. A capability adds its section here, made with the words of setting.ts. */
export const Config = section("Baton's configuration.", {
  handsoff: handsoff.prefault({}),
  telegram: telegram.prefault({}),
  notify: notify.prefault({}),
  shadow: shadow.prefault({}),
  store: store.prefault({}),
  journal: journal.prefault({}),
  daemon: daemon.prefault({}),
  permission: permission.prefault({}),
  permissions: permissions.prefault({}),
  budget: budget.prefault({}),
  watch: watch.prefault({}),
  health: health.prefault({}),
  context: context.prefault({}),
  cycle: cycle.prefault({}),
  workflows,
  forge: forge.prefault({}),
  github: github.prefault({}),
  board: board.prefault({}),
  claim: claim.prefault({}),
})

/** The effective configuration: every default filled in, every value normalised. */
export type Config = z.output<typeof Config>
/** What a person may write. */
export type ConfigInput = z.input<typeof Config>
