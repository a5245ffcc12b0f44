import { profiles } from '../adapters/agents/profile-list.ts'
import type { Command } from './command.ts'
import { SHELLS } from './completions.ts'

const JSON_OPTION = { json: { type: 'boolean', help: 'Print JSON for scripts.' } } as const
/** As people type them. */
const STARTED = profiles.map(({ name, aliases }) => aliases[0] ?? name)
const AGENTS = [...profiles.flatMap(({ name, aliases }) => [...aliases, name]), 'all']

const TOKEN_FILE = {
  'token-file': {
    type: 'string',
    value: 'FILE',
    help: 'Answer with this token, for scripts without a terminal.',
  },
} as const

/** Every command: parsing, help, completions and the reference are made from this. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'init',
    summary: 'Install the hooks of your coding agents.',
    details:
      'Chooses the fastest hook client that passes a self-test here, writes one launcher into the state folder\nand names it in the settings of the agents. Running it again changes nothing that is right already.',
    options: {
      agent: {
        type: 'string',
        value: 'AGENT',
        many: true,
        choices: AGENTS,
        help: 'Only this agent; may be given more than once. Default: those found here.',
      },
      scope: {
        type: 'string',
        value: 'SCOPE',
        choices: ['user', 'project', 'local'],
        help: "Whose settings: yours, the project's, or the project's private ones. Default: user.",
      },
      transport: {
        type: 'string',
        value: 'NAME',
        choices: ['perl', 'curl', 'node'],
        help: 'Use this hook client instead of the fastest.',
      },
      'no-http': {
        type: 'boolean',
        help: 'Use the hook client for observing events, too, instead of HTTP hooks.',
      },
      'no-status-line': {
        type: 'boolean',
        help: "Leave Claude Code's status line alone. By default it tells Baton how full the context is; your own is kept.",
      },
      yes: { type: 'boolean', short: 'y', help: 'Ask nothing and take the defaults, also at a terminal.' },
      shadow: {
        type: 'boolean',
        help: 'Only watch and decide nothing; `baton shadow` later says what Baton would have done.',
      },
      'dry-run': { type: 'boolean', help: 'Show the changes as a diff and write nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton init', 'Hooks for the agents found on this machine, in your own settings.'],
      [
        'baton init --agent claude --scope project --dry-run',
        'Show what would change in .claude/settings.json of this project.',
      ],
    ],
    load: async () => (await import('./commands/setup.ts')).init,
  },
  {
    name: 'uninstall',
    summary: 'Remove Baton from this machine: hooks, daemon, journal and snapshots.',
    details:
      'With --agent or --scope only those hooks go. Handoff documents and your configuration stay, because they are yours.',
    options: {
      agent: { type: 'string', value: 'AGENT', many: true, choices: AGENTS, help: 'Only this agent.' },
      scope: {
        type: 'string',
        value: 'SCOPE',
        choices: ['user', 'project', 'local'],
        help: 'Only these settings. Default: all of them.',
      },
      'keep-data': { type: 'boolean', help: 'Keep the journal and everything else in the state folder.' },
      yes: { type: 'boolean', short: 'y', help: 'Do not ask first, also at a terminal.' },
      'dry-run': { type: 'boolean', help: 'Show the changes as a diff and write nothing.' },
      ...JSON_OPTION,
    },
    examples: [['baton uninstall', "Take Baton out of your settings and this project's."]],
    load: async () => (await import('./commands/uninstall.ts')).uninstall,
  },
  {
    name: 'tour',
    summary: 'See what Baton does, in a world of its own that goes away afterwards.',
    details:
      'A scripted agent takes an issue from claim to merged pull request in a temporary repository and a private tmux.\nHooks, daemon and engine are the real ones. Nothing of yours is touched, nothing is sent anywhere.',
    options: {
      yes: { type: 'boolean', help: 'Answer the questions by itself.' },
      pace: { type: 'string', value: 'MS', help: 'How long each step stays, in milliseconds. Default: 700.' },
      keep: { type: 'boolean', help: 'Keep the folder to look around in afterwards.' },
    },
    examples: [['baton tour', 'About a minute.']],
    load: async () => (await import('./commands/tour.ts')).tour,
  },
  {
    name: 'tour-agent',
    summary: 'The scripted agent of the tour, inside its terminal.',
    hidden: true,
    options: { pace: { type: 'string', value: 'MS', help: 'How long each step stays.' } },
    examples: [['baton tour-agent', 'What the tour starts in its own tmux.']],
    load: async () => (await import('./commands/tour.ts')).tourAgent,
  },
  {
    name: 'doctor',
    summary: 'Check that everything works, and say how to fix what does not.',
    options: JSON_OPTION,
    examples: [['baton doctor', 'Agents, hooks, daemon, tmux, git and tokens, one line each.']],
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'up',
    summary: 'Start the daemon.',
    details:
      'The first hook of an agent starts it, too. A daemon of another version is drained and hands over.',
    options: {
      foreground: { type: 'boolean', help: 'Stay in this terminal until Ctrl-C.' },
      restart: { type: 'boolean', help: 'Replace a running daemon of the same version, too.' },
      ...JSON_OPTION,
    },
    examples: [['baton up', 'Start it and print where it listens.']],
    load: async () => (await import('./commands/up.ts')).up,
  },
  {
    name: 'dashboard',
    summary: 'Print a link that opens the dashboard in your browser.',
    details:
      'The link lets one browser in, once, within ten minutes; the browser then stays logged in for 30 days. It is given\nonly where asks may be answered: in a terminal that no agent started, or with the token.',
    options: {
      open: { type: 'boolean', help: 'Open it in the browser, too.' },
      logout: { type: 'boolean', help: 'Log every browser out instead.' },
      ...TOKEN_FILE,
      ...JSON_OPTION,
    },
    examples: [['baton dashboard --open', 'See what the agents do, and answer what they ask.']],
    load: async () => (await import('./commands/dashboard.ts')).dashboard,
  },
  {
    name: 'recap',
    summary: 'Say what happened while you were away.',
    details:
      'Commits, files and tests, what was decided for you and why, what ended and why, and what waits. Without --since it\nbegins where you last typed a prompt or gave an answer before a pause of half an hour.',
    options: {
      since: { type: 'string', value: 'TIME', help: 'From then on: a span such as 8h, or a date.' },
      ...JSON_OPTION,
    },
    examples: [['baton recap --since 8h', 'The last eight hours.']],
    load: async () => (await import('./commands/recap.ts')).recap,
  },
  {
    name: 'shadow',
    summary: 'Say what Baton would have done in shadow mode, or end it.',
    details:
      'Replays what was recorded under the rules in force: what would have been allowed, stopped and asked, where work would\nhave gone on, and which sessions would have been handed off. A model is not asked, so fewer questions may remain.',
    options: {
      since: {
        type: 'string',
        value: 'TIME',
        help: 'From then on: a span such as 2d, or a date. Default: everything.',
      },
      end: { type: 'boolean', help: 'End shadow mode: from now on Baton decides.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton shadow --since 1d', 'What Baton would have done since yesterday.'],
      ['baton shadow --end', 'Let Baton decide from now on.'],
    ],
    load: async () => (await import('./commands/shadow.ts')).shadow,
  },
  {
    name: 'down',
    summary: 'Stop the daemon.',
    options: { force: { type: 'boolean', help: 'End a daemon that does not answer.' } },
    examples: [['baton down', 'Let it finish what is under way and stop.']],
    load: async () => (await import('./commands/down.ts')).down,
  },
  {
    name: 'status',
    summary: 'Show the daemon, its sessions and where the work here stands.',
    positionals: [{ name: 'WORK', help: 'Only this work item: its Work ID.' }],
    options: { all: { type: 'boolean', short: 'a', help: 'Sessions that have ended, too.' }, ...JSON_OPTION },
    examples: [
      ['baton status', 'Live sessions.'],
      ['baton status auth-system', 'Where that work stands, and what to type next.'],
      ['baton status --all --json', 'Every session Baton knows, for a script.'],
    ],
    load: async () => (await import('./commands/status.ts')).status,
  },
  {
    name: 'logs',
    summary: 'Show what happened, from the journal.',
    options: {
      follow: { type: 'boolean', short: 'f', help: 'Go on with what happens now.' },
      session: {
        type: 'string',
        short: 's',
        value: 'SESSION',
        help: "Only this session: Baton's or the agent's own id, or the start of either.",
      },
      project: { type: 'string', value: 'FOLDER', help: 'Only this project.' },
      kind: {
        type: 'string',
        value: 'KIND',
        choices: [
          'event',
          'reaction',
          'decision',
          'ask',
          'workflow',
          'handoff',
          'cycle',
          'health',
          'spawn',
          'stage',
          'claim',
          'fault',
          'daemon',
          'config',
          'forgotten',
        ],
        help: 'Only entries of this kind.',
      },
      since: { type: 'string', value: 'TIME', help: 'From this time on: 2h, 7d or a date.' },
      lines: { type: 'string', short: 'n', value: 'N', help: 'How many entries at the most. Default: 50.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton logs --follow', 'Everything, as it happens.'],
      ['baton logs --since 2h --kind fault', 'What went wrong in the last two hours.'],
    ],
    load: async () => (await import('./commands/logs.ts')).logs,
  },
  {
    name: 'sessions',
    summary: 'Show the workflows that run, and how others ended.',
    options: { all: { type: 'boolean', short: 'a', help: 'Those that have ended, too.' }, ...JSON_OPTION },
    examples: [['baton sessions --all', 'Every run with its end and the reason.']],
    load: async () => (await import('./commands/sessions.ts')).sessions,
  },
  {
    name: 'run',
    summary: 'Start an agent that Baton watches.',
    details:
      'The daemon starts it, so it outlives this shell. In tmux it has a terminal of its own (see `baton attach`);\nhosted it has none, and questions reach you through Baton.',
    positionals: [
      { name: 'PROMPT', many: true, help: "What it is to do; with --workflow, the workflow's arguments." },
    ],
    options: {
      agent: {
        type: 'string',
        value: 'AGENT',
        help: 'Which agent: claude, codex, opencode, gemini, copilot. Default: claude.',
      },
      workflow: { type: 'string', short: 'w', value: 'NAME', help: 'Begin with this workflow.' },
      tmux: { type: 'boolean', help: 'In a tmux session of its own. This is the default.' },
      hosted: { type: 'boolean', help: 'Without a terminal, over the Agent Client Protocol.' },
      worktree: {
        type: 'string',
        value: 'NAME',
        optional: true,
        help: 'In a git worktree beside this one, on a branch of that name.',
      },
      title: { type: 'string', value: 'NAME', help: 'What it is called in `baton ps` and tmux.' },
      arg: {
        type: 'string',
        value: 'ARG',
        many: true,
        help: "An argument for the agent's own program; may be given more than once.",
      },
      attach: { type: 'boolean', help: 'Go to its terminal at once.' },
      'dry-run': { type: 'boolean', help: 'Say what would be started.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton run "fix the failing tests"', 'Claude Code in this folder, in a tmux session of its own.'],
      [
        'baton run --workflow issue-to-impl --worktree 42',
        'Issue 42 to a pull request, in a worktree on branch issue-42.',
      ],
      [
        'baton run --agent codex --arg=--model --arg=gpt-5 --attach',
        'Another agent, with arguments of its own.',
      ],
    ],
    load: async () => (await import('./commands/run.ts')).run,
  },
  {
    name: 'ps',
    summary: 'Show every session under watch, live.',
    details:
      'On a terminal the table refreshes in place until Ctrl-C. A context in the zone `trigger` is about to be handed off.',
    options: {
      once: { type: 'boolean', help: 'Print it once.' },
      all: { type: 'boolean', short: 'a', help: 'Also what ended more than an hour ago.' },
      ...JSON_OPTION,
    },
    examples: [['baton ps', 'What each is doing, how full its context is, and what is wrong.']],
    load: async () => (await import('./commands/ps.ts')).ps,
  },
  {
    name: 'attach',
    summary: 'Go to the terminal of a session.',
    positionals: [
      {
        name: 'SESSION',
        help: 'Its title or id, or the start of either. Default: the newest that Baton started.',
      },
    ],
    examples: [['baton attach', 'To the newest session that `baton run` started.']],
    load: async () => (await import('./commands/attach.ts')).attach,
  },
  {
    name: 'kill',
    summary: 'End a session that `baton run` started.',
    positionals: [{ name: 'SESSION', required: true, help: 'Its title or id, or the start of either.' }],
    options: JSON_OPTION,
    examples: [['baton kill shop-3f2a', 'Its terminal goes, and the agent with it.']],
    load: async () => (await import('./commands/kill.ts')).kill,
  },
  {
    name: 'watch',
    summary: 'Watch an agent that runs in a tmux pane already.',
    details:
      'With hooks installed, sessions in tmux are under watch anyway; this adds one whose agent has none, by its screen alone.',
    positionals: [{ name: 'PANE', help: 'As tmux names it: %5 or work:1.0. Default: this one.' }],
    options: {
      agent: {
        type: 'string',
        value: 'AGENT',
        help: 'Which agent it is, where no hook tells. Default: claude.',
      },
      list: { type: 'boolean', help: 'List the panes that were adopted.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton watch %5', 'From now on it is in `baton ps` and its health is looked after.'],
      ['baton watch --list', 'What was adopted.'],
    ],
    load: async () => (await import('./commands/watch.ts')).watch,
  },
  {
    name: 'unwatch',
    summary: 'Let a pane go that `baton watch` adopted.',
    positionals: [{ name: 'PANE', required: true, help: 'The pane, or the session in it.' }],
    options: JSON_OPTION,
    examples: [['baton unwatch %5', 'What runs there goes on.']],
    load: async () => (await import('./commands/watch.ts')).unwatch,
  },
  {
    name: 'health',
    summary: 'Show what is wrong with the sessions under watch.',
    details:
      'Stalls, errors on the screen, processes that died and what they left running. Exits with 1 when something is critical.',
    options: { all: { type: 'boolean', short: 'a', help: 'The latest findings, too.' }, ...JSON_OPTION },
    examples: [['baton health', 'One line for each finding.']],
    load: async () => (await import('./commands/health.ts')).health,
  },
  {
    name: 'stop',
    summary: 'Let a workflow stop at its next stop, without another continuation.',
    positionals: [{ name: 'SESSION', required: true, help: 'Its id, or the start of it.' }],
    options: { 'dry-run': { type: 'boolean', help: 'Say what would be stopped.' }, ...JSON_OPTION },
    examples: [['baton stop 3f2a91c0', 'The agent finishes its turn and is not continued.']],
    load: async () => (await import('./commands/stop.ts')).stop,
  },
  {
    name: 'done',
    summary: "End the calling session's workflow (for agents, from inside a session).",
    options: {
      blocked: {
        type: 'string',
        value: 'REASON',
        help: 'It is not done: only a person can help, for this reason.',
      },
      'dry-run': { type: 'boolean', help: 'Say what would be marked.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton done', 'The goal is reached.'],
      ['baton done --blocked "no rights to push"', 'A person is needed.'],
    ],
    load: async () => (await import('./commands/done.ts')).done,
  },
  {
    name: 'resume',
    summary: 'Print the command that takes up a session again, or run it.',
    positionals: [{ name: 'SESSION', required: true, help: 'Its id, or the start of it.' }],
    options: { run: { type: 'boolean', help: 'Run it here.' }, ...JSON_OPTION },
    examples: [['baton resume 3f2a91c0', 'Prints cd FOLDER and claude -r SESSION.']],
    load: async () => (await import('./commands/resume.ts')).resume,
  },
  {
    name: 'issue',
    summary: 'Show which session works on an issue.',
    positionals: [{ name: 'NUMBER', required: true, help: 'The issue.' }],
    options: JSON_OPTION,
    examples: [['baton issue 42', 'The session, its workflow and its state.']],
    load: async () => (await import('./commands/issue.ts')).issue,
  },
  {
    name: 'claim',
    summary: 'Take an issue, until its pull request is merged.',
    details:
      'Checks the issue, takes it so that nobody else can (also on other machines), assigns it, moves it on the board,\nmakes its branch and writes .agent-claim.json. `ready` hands the branch off: checked, pushed, and Baton opens the\npull request when the agent ends its turn.',
    positionals: [
      { name: 'ISSUE', help: 'Its number, `next`, or one of `ready`, `release` and `takeover`.' },
      { name: 'NUMBER', help: 'With `release` and `takeover`: the issue.' },
    ],
    options: {
      list: { type: 'boolean', help: 'List the issues that wait, and who holds which.' },
      worktree: { type: 'boolean', help: 'Work in a new worktree beside this one.' },
      anyway: { type: 'boolean', help: 'Although it is blocked, or not to do on the board.' },
      force: { type: 'boolean', help: 'With `takeover`: also from a holder that is alive. Only for people.' },
      summary: {
        type: 'string',
        value: 'TEXT',
        help: 'With `ready`: the title of the pull request; may be left out once there is one.',
      },
      'dry-run': { type: 'boolean', help: 'Say what would be done.' },
      ...TOKEN_FILE,
      ...JSON_OPTION,
    },
    examples: [
      ['baton claim 42', 'Take issue 42 on a branch of its own.'],
      ['baton claim next --worktree', 'Take the next free issue, in a new worktree.'],
      ['baton claim ready --summary "Renew leases before they end"', 'Push the branch and hand it off.'],
      ['baton claim takeover 42', 'Take it from a session that is not heard of any more.'],
    ],
    load: async () => (await import('./commands/claim.ts')).claim,
  },
  {
    name: 'claims',
    summary: 'Show the issues that are claimed on this machine.',
    options: JSON_OPTION,
    examples: [['baton claims', 'Each with its phase, pull request, checks and what it waits for.']],
    load: async () => (await import('./commands/claims.ts')).claims,
  },
  {
    name: 'board',
    summary: "Show the project's board, or set it up.",
    positionals: [
      { name: 'WHAT', choices: ['setup'], help: '`setup` makes what is missing; without it, the table.' },
    ],
    options: {
      title: {
        type: 'string',
        value: 'NAME',
        help: 'With `setup`: make a board of this name if there is none.',
      },
      'dry-run': { type: 'boolean', help: 'Say what would be made.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton board', 'The issues by Status, with who works on them.'],
      ['baton board setup', 'Add the Status options, the field Agent and the labels that are missing.'],
    ],
    load: async () => (await import('./commands/board.ts')).board,
  },
  {
    name: 'webhook',
    summary: 'Hear of checks, reviews and merges at once, by a webhook of GitHub.',
    details:
      'Listens on this machine only; a tunnel of yours leads the deliveries here. Each is checked by its signature.',
    options: { port: { type: 'string', value: 'N', help: 'The port. Default: 4748; 0 takes any free one.' } },
    examples: [['baton webhook --port 4748', 'Serve until Ctrl-C.']],
    load: async () => (await import('./commands/webhook.ts')).webhook,
  },
  {
    name: 'clean',
    summary: 'Remove state files that nobody needs any more.',
    options: {
      days: { type: 'string', value: 'N', help: 'Older than this many days. Default: 7.' },
      'dry-run': { type: 'boolean', help: 'List them and remove nothing.' },
      ...JSON_OPTION,
    },
    examples: [['baton clean --dry-run', 'What would go.']],
    load: async () => (await import('./commands/clean.ts')).clean,
  },
  {
    name: 'chat',
    summary: 'Talk with an agent that Baton hosts.',
    details:
      "The agent's own program runs behind it, over the Agent Client Protocol; Baton's rules decide about its tools.\n/handoff writes down where the work stands and goes on in a new session.",
    options: {
      agent: {
        type: 'string',
        short: 'a',
        value: 'AGENT',
        choices: STARTED,
        help: 'Which agent. Default: claude.',
      },
      prompt: {
        type: 'string',
        short: 'p',
        value: 'TEXT',
        help: 'Send this prompt, print the reply and leave; for scripts.',
      },
      resume: {
        type: 'string',
        short: 'r',
        value: 'SESSION',
        help: 'Go on with a session of this folder: its number in /sessions, or the start of its id.',
      },
      json: { type: 'boolean', help: 'With --prompt: print the reply and how it ended as JSON.' },
    },
    examples: [
      ['baton chat', 'Claude Code, at this terminal.'],
      ['baton chat --agent opencode -p "What does this project do?"', 'One question to another agent.'],
    ],
    load: async () => (await import('./commands/chat.ts')).chat,
  },
  {
    name: 'handoff',
    summary: 'Hand a session off: write down where its work stands.',
    details:
      "Of a live session, or of one that crashed: by its transcript and git, not by anybody's memory. Nothing of the\nsession itself is changed.",
    options: {
      session: {
        type: 'string',
        short: 's',
        value: 'SESSION',
        help: "Its id, or the start of it. Default: the session this runs in, else the project's newest.",
      },
      transcript: {
        type: 'string',
        value: 'FILE',
        help: 'By this transcript of an agent.',
      },
      focus: { type: 'string', value: 'TEXT', help: 'What the next session is to look at first.' },
      to: {
        type: 'string',
        value: 'AGENT',
        choices: STARTED,
        help: 'Start this agent with it: at this terminal, or without one for a single turn.',
      },
      print: { type: 'boolean', help: 'Print it as context for a new session, and store nothing.' },
      verify: { type: 'string', value: 'FILE', help: 'Compare this document with the evidence instead.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton handoff', "Write the newest session's document into .bmad/handoffs."],
      [
        'baton handoff --verify .bmad/handoffs/handoff-2026-01-22-14-30.md',
        'Say which of its claims do not hold.',
      ],
      ['claude "$(baton handoff --print)"', 'Begin a new session where the last one ended.'],
      ['baton handoff --to codex', 'Let another agent go on with the work.'],
    ],
    load: async () => (await import('./commands/handoff.ts')).handoff,
  },
  {
    name: 'cycle',
    summary: 'Show the handoffs of live sessions, begin one, or call one off.',
    details:
      'A session whose context is full is handed off by itself: its document is written and checked, the context cleared,\nand the new session has to show that it knows goal, branch and next step before it goes on.',
    positionals: [
      {
        name: 'WHAT',
        help: 'now: hand this session off at its next rest. cancel: call it off.',
        choices: ['now', 'cancel'],
      },
      { name: 'SESSION', help: "Baton's or the agent's own id, or the start of either." },
    ],
    options: { all: { type: 'boolean', short: 'a', help: 'Those that have ended, too.' }, ...JSON_OPTION },
    examples: [
      ['baton cycle', 'What is under way.'],
      ['baton cycle now 5d0c3ab2', 'Hand that session off without waiting for a full context.'],
    ],
    load: async () => (await import('./commands/cycle.ts')).cycle,
  },
  {
    name: 'work',
    summary: 'Begin staged work, list it, look at it, and let it go on.',
    details:
      'A work item lives in .paw/work/ID and moves through stages: spec, research, code, plan, implement, review, docs,\npr. `run` begins a stage in a fresh session by the words you would type to an agent; without words it does what\n`continue` means.',
    positionals: [
      { name: 'WHAT', help: '`new`, `list`, `show`, `mode` or `run`; without it, the list.' },
      {
        name: 'WORDS',
        many: true,
        help: 'TITLE for new, [ID] for show, ID [MODE] for mode, [ID [COMMAND]] for run.',
      },
    ],
    options: {
      mode: {
        type: 'string',
        value: 'MODE',
        choices: ['manual', 'semi-auto', 'auto'],
        help: 'With `new`: how much happens without you. Default: manual.',
      },
      strategy: {
        type: 'string',
        value: 'STRATEGY',
        choices: ['local', 'prs'],
        help: 'With `new`: review at the end, or in pull requests on the way. Default: local.',
      },
      workflow: {
        type: 'string',
        value: 'NAME',
        choices: ['full', 'minimal', 'review'],
        help: "With `new`: all stages, without spec and docs, or the review of somebody's pull request.",
      },
      id: { type: 'string', value: 'ID', help: 'With `new`: the Work ID. Default: made of the title.' },
      branch: {
        type: 'string',
        value: 'BRANCH',
        help: 'With `new`: the target branch. Default: feature/ID.',
      },
      issue: { type: 'string', value: 'URL', help: 'With `new`: the issue, or the pull request to review.' },
      remote: { type: 'string', value: 'NAME', help: 'With `new`: the git remote. Default: origin.' },
      'dry-run': { type: 'boolean', help: 'Say what would begin, and begin nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton work new "Auth System" --mode semi-auto', 'Makes .paw/work/auth-system/WorkflowContext.md.'],
      ['baton work run auth-system', 'Begins the next stage in tmux, or prints the command that does.'],
      [
        'baton work run auth-system implement Phase 2 but add rate limiting',
        'Begins that phase, with an instruction.',
      ],
      ['baton work mode auth-system auto', 'From the next transition on it goes on by itself.'],
    ],
    load: async () => (await import('./commands/work.ts')).work,
  },
  {
    name: 'mcp',
    summary: "Serve Baton's tools to an agent (MCP server).",
    details:
      'On standard input and output, as agents start it: claude mcp add baton -- baton mcp. The tools are paw_call_agent,\npaw_generate_prompt, paw_create_prompt_templates, paw_get_context, baton_status and baton_handoff.',
    options: {
      http: { type: 'boolean', help: 'Print the address and the key file of the same tools over HTTP.' },
      project: { type: 'string', value: 'FOLDER', help: 'The project. Default: the working folder.' },
      ...JSON_OPTION,
    },
    examples: [['claude mcp add baton -- baton mcp', 'Offer the tools to Claude Code in this project.']],
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  {
    name: 'handoffs',
    summary: 'List the handoff documents of this project, show one, or compare two.',
    positionals: [
      { name: 'WHAT', help: '`show` or `diff`; without it, the list.' },
      { name: 'NAME', many: true, help: 'The documents, or parts of their names. Default: the newest.' },
    ],
    options: {
      context: { type: 'boolean', help: 'With `show`: as context for a new session.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton handoffs', 'Every document with the session that wrote it and the one it began with.'],
      ['baton handoffs show', 'The newest.'],
      ['baton handoffs diff', 'What changed between the last two.'],
    ],
    load: async () => (await import('./commands/handoffs.ts')).handoffs,
  },
  {
    name: 'asks',
    summary: 'List the questions that wait for you.',
    positionals: [{ name: 'ASK', help: 'Only this one: its id, or the start of it.' }],
    options: { all: { type: 'boolean', short: 'a', help: 'Settled ones, too.' }, ...JSON_OPTION },
    examples: [['baton asks', 'Open questions with their ids and full commands.']],
    load: async () => (await import('./commands/asks.ts')).asks,
  },
  {
    name: 'allow',
    summary: 'Answer an ask with yes.',
    details: 'Only from a terminal of your own: an agent, or anything it started, is refused.',
    positionals: [{ name: 'ASK', required: true, help: 'Its id, or the start of it.' }],
    options: {
      session: { type: 'boolean', help: 'Allow exactly this for the rest of the session.' },
      ...TOKEN_FILE,
      ...JSON_OPTION,
    },
    examples: [['baton allow ask_3f2a', 'Allow it once.']],
    load: async () => (await import('./commands/allow.ts')).allow,
  },
  {
    name: 'deny',
    summary: 'Answer an ask with no.',
    details: 'Only from a terminal of your own: an agent, or anything it started, is refused.',
    positionals: [{ name: 'ASK', required: true, help: 'Its id, or the start of it.' }],
    options: {
      reason: { type: 'string', value: 'TEXT', help: 'Tell the agent why.' },
      ...TOKEN_FILE,
      ...JSON_OPTION,
    },
    examples: [
      ['baton deny ask_3f2a --reason "use the staging database"', 'Deny it, and the agent learns why.'],
    ],
    load: async () => (await import('./commands/deny.ts')).deny,
  },
  {
    name: 'check',
    summary: 'Say what would be decided about a command, without running it.',
    details: 'By the rules alone: neither a model nor a person is asked.',
    positionals: [{ name: 'COMMAND', help: 'The command, as one word: quote it.' }],
    options: {
      tool: {
        type: 'string',
        value: 'TOOL',
        help: 'Judge a use of this tool instead of Bash, such as Read or Write.',
      },
      batch: {
        type: 'boolean',
        help: 'Read {"command": …} lines on stdin, write {"command", "decision", "reason"} lines.',
      },
      defaults: { type: 'boolean', help: 'With the default rules alone, and undo off.' },
      ...JSON_OPTION,
    },
    examples: [
      ["baton check 'git push --force'", 'Allowed, denied or asked, and why.'],
      ['baton check --batch --defaults < commands.jsonl', 'One decision for each line.'],
    ],
    load: async () => (await import('./commands/check.ts')).check,
  },
  {
    name: 'why',
    summary: 'Show how a permission decision came about.',
    positionals: [{ name: 'DECISION', help: 'Its id, as the agent was told it. Default: the latest.' }],
    options: JSON_OPTION,
    examples: [['baton why', 'The latest decision with its trail.']],
    load: async () => (await import('./commands/why.ts')).why,
  },
  {
    name: 'what-if',
    summary: 'Replay recorded tool calls under other rules.',
    options: {
      rules: {
        type: 'string',
        value: 'FILE',
        required: true,
        help: 'A file in the form of .baton.yaml: its rules are tried in place of all that is in force.',
      },
      since: { type: 'string', value: 'TIME', help: 'Only calls from this time on: 2h, 7d or a date.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton what-if --rules new.yaml --since 7d', 'Every decision of the last week that would change.'],
    ],
    load: async () => (await import('./commands/what-if.ts')).whatIf,
  },
  {
    name: 'learn',
    summary: 'Propose rules from what you kept allowing.',
    details:
      'Word for word, or by sub-command where you allowed several forms of it. What you denied is never proposed.',
    options: {
      accept: { type: 'boolean', help: 'Write the rules into your own .baton.yaml.' },
      times: { type: 'string', value: 'N', help: 'How often you must have allowed it. Default: 2.' },
      since: {
        type: 'string',
        value: 'TIME',
        help: 'Only what you allowed from this time on: 2h, 7d or a date.',
      },
      ...JSON_OPTION,
    },
    examples: [
      ['baton learn', 'The rules as a diff; nothing is written.'],
      ['baton learn --accept', 'Take them over.'],
    ],
    load: async () => (await import('./commands/learn.ts')).learn,
  },
  {
    name: 'undo',
    summary: 'Take back what a command did to the worktree.',
    details:
      'Goes back to the state before a command that was allowed because it can be undone. An undo can be undone.',
    positionals: [
      { name: 'STEP', help: 'The step to go back to. Default: the newest that differs from now.' },
    ],
    options: {
      list: { type: 'boolean', help: 'List the steps of this worktree.' },
      'dry-run': { type: 'boolean', help: 'Show what would change, and change nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton undo --list', 'The steps, newest first.'],
      ['baton undo --dry-run', 'What the newest would change, as a diff.'],
    ],
    load: async () => (await import('./commands/undo.ts')).undo,
  },
  {
    name: 'config',
    summary: 'Show the configuration in force and where each value comes from.',
    positionals: [{ name: 'KEY', help: 'Only this key, or the keys below it, such as handsoff.' }],
    options: {
      schema: { type: 'boolean', help: 'Print the JSON Schema of .baton.yaml, for editors.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton config', 'Every value with its file and line.'],
      ['baton config handsoff.max_continuations', 'One value.'],
    ],
    load: async () => (await import('./commands/config.ts')).config,
  },
  {
    name: 'trust',
    summary: "Let a project's own configuration count in full.",
    details:
      "A repository's file can always deny and ask. What loosens or reaches out (allow rules, commands, channels)\ncounts only while the file is exactly the one you trusted.",
    positionals: [{ name: 'FILE', help: "The file. Default: this project's." }],
    options: {
      list: { type: 'boolean', help: 'List the files you trust.' },
      remove: { type: 'boolean', help: 'Trust it no longer.' },
      'dry-run': { type: 'boolean', help: 'Show what would count, and trust nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton trust', "Trust this project's .baton.yaml as it is now."],
      ['baton trust --list', 'What is trusted.'],
    ],
    load: async () => (await import('./commands/trust.ts')).trust,
  },
  {
    name: 'forget',
    summary: 'Remove a session from the journal.',
    positionals: [{ name: 'SESSION', required: true, help: 'Its id, or the start of it.' }],
    options: JSON_OPTION,
    examples: [['baton forget 3f2a91c0', 'Everything the journal holds of that session goes.']],
    load: async () => (await import('./commands/forget.ts')).forget,
  },
  {
    name: 'hook',
    summary: 'Answer one hook call of an agent (for agents and scripts).',
    details:
      "Reads the JSON of one hook on stdin and writes the answer in that agent's form. Always exits 0 with valid JSON.",
    positionals: [
      {
        name: 'AGENT',
        required: true,
        help: `The agent that calls: ${profiles.map(({ name }) => name).join(', ')}.`,
      },
      { name: 'EVENT', help: "The agent's own name of the event; read from the JSON when left out." },
    ],
    options: {
      source: {
        type: 'string',
        value: 'SOURCE',
        choices: ['plugin', 'user', 'project', 'local', 'manual'],
        help: 'Which installation of the hooks calls.',
      },
      inline: {
        type: 'boolean',
        help: 'Run the engine in this process, for places where no daemon can run.',
      },
      retry: { type: 'boolean', help: 'The call was made before and its answer was lost.' },
      'state-dir': {
        type: 'string',
        value: 'FOLDER',
        help: 'The state folder, where the environment does not say.',
      },
    },
    insteadOfFailing: '{}',
    examples: [['baton hook claude < event.json', 'Ask the daemon what to answer to this event.']],
    load: async () => (await import('./commands/hook.ts')).hook,
  },
  {
    name: 'completions',
    summary: 'Print a shell completion script.',
    positionals: [{ name: 'SHELL', required: true, choices: SHELLS, help: 'Your shell.' }],
    examples: [['eval "$(baton completions bash)"', 'Completions in this bash.']],
    load: async () => (await import('./commands/completions.ts')).completionsOf(COMMANDS),
  },
]
