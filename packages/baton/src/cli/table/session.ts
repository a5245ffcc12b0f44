import type { Command } from '../command.ts'
import { JSON_OPTION, STARTED } from '../shared-options.ts'

/** Agents that run under watch. */
export const sessionCommands: readonly Command[] = [
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
        help: 'Which agent. Default: claude.',
        choices: STARTED,
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
    load: async () => (await import('../commands/run.ts')).run,
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
    load: async () => (await import('../commands/ps.ts')).ps,
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
    load: async () => (await import('../commands/attach.ts')).attach,
  },
  {
    name: 'kill',
    summary: 'End a session that `baton run` started.',
    positionals: [{ name: 'SESSION', required: true, help: 'Its title or id, or the start of either.' }],
    options: JSON_OPTION,
    examples: [['baton kill shop-3f2a', 'Its terminal goes, and the agent with it.']],
    load: async () => (await import('../commands/kill.ts')).kill,
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
    load: async () => (await import('../commands/watch.ts')).watch,
  },
  {
    name: 'unwatch',
    summary: 'Let a pane go that `baton watch` adopted.',
    positionals: [{ name: 'PANE', required: true, help: 'The pane, or the session in it.' }],
    options: JSON_OPTION,
    examples: [['baton unwatch %5', 'What runs there goes on.']],
    load: async () => (await import('../commands/watch.ts')).unwatch,
  },
  {
    name: 'health',
    summary: 'Show what is wrong with the sessions under watch.',
    details:
      'Stalls, errors on the screen, processes that died and what they left running. Exits with 1 when something is critical.',
    options: { all: { type: 'boolean', short: 'a', help: 'The latest findings, too.' }, ...JSON_OPTION },
    examples: [['baton health', 'One line for each finding.']],
    load: async () => (await import('../commands/health.ts')).health,
  },
  {
    name: 'resume',
    summary: 'Print the command that takes up a session again, or run it.',
    positionals: [{ name: 'SESSION', required: true, help: 'Its id, or the start of it.' }],
    options: { run: { type: 'boolean', help: 'Run it here.' }, ...JSON_OPTION },
    examples: [['baton resume 3f2a91c0', 'Prints cd FOLDER && claude --resume SESSION.']],
    load: async () => (await import('../commands/resume.ts')).resume,
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
    load: async () => (await import('../commands/chat.ts')).chat,
  },
]
