import { type Command, flag } from '../command.ts'
import { JSON_OPTION, STARTED } from '../shared-options.ts'

/** Starting, watching and ending sessions. */
export const sessionCommands: readonly Command[] = [
  {
    name: 'run',
    summary: 'Start an agent that Baton watches.',
    details:
      'The daemon starts it, so it outlives this shell. In tmux it has its own terminal (see `baton attach`); a hosted session has\nnone, and its questions reach you through Baton.',
    positionals: [
      {
        name: 'PROMPT',
        many: true,
        help: "What the agent should do; with --workflow, the workflow's arguments.",
      },
    ],
    options: {
      agent: {
        type: 'string',
        value: 'AGENT',
        help: 'Which agent. Default: claude.',
        choices: STARTED,
      },
      workflow: { type: 'string', short: 'w', value: 'NAME', help: 'Start with this workflow.' },
      tmux: { type: 'boolean', help: 'In its own tmux session. This is the default.' },
      hosted: { type: 'boolean', help: 'Without a terminal, over the Agent Client Protocol.' },
      sandbox: {
        type: 'boolean',
        help: 'Run the whole agent in the sandbox, with its MCP servers: it reaches its model and this project, and its login stays outside.',
      },
      worktree: {
        type: 'string',
        value: 'NAME',
        optional: true,
        help: 'In a git worktree next to this one, on a branch of that name.',
      },
      title: { type: 'string', value: 'NAME', help: 'Its name in `baton ps` and tmux.' },
      arg: {
        type: 'string',
        value: 'ARG',
        many: true,
        help: "An argument for the agent's own program; repeatable.",
      },
      attach: { type: 'boolean', help: 'Attach to its terminal at once.' },
      'dry-run': { type: 'boolean', help: 'Show what would be started.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton run "fix the failing tests"', 'Claude Code in this folder, in its own tmux session.'],
      [
        'baton run --workflow issue-to-impl --worktree 42',
        'Issue 42 to a pull request, in a worktree on branch issue-42.',
      ],
      ['baton run --sandbox "update the dependencies"', 'The whole agent in the sandbox.'],
      [
        'baton run --agent codex --arg=--model --arg=gpt-5 --attach',
        'Another agent, with its own arguments.',
      ],
    ],
    load: async () => (await import('../commands/run.ts')).run,
  },
  {
    name: 'ps',
    summary: 'Show every session live: state, context, workflow and problems.',
    details:
      'In a terminal the table refreshes until Ctrl-C. Baton is about to hand off a session in the zone `trigger`. A session is called\nafter its first prompt or its issue; --name gives it another name.',
    positionals: [{ name: 'SESSION', help: 'With --name: its id, or the start of it.' }],
    options: {
      name: { type: 'string', value: 'NAME', help: 'Give SESSION this name.' },
      once: { type: 'boolean', help: 'Print the table once.' },
      all: {
        type: 'boolean',
        short: 'a',
        help: 'Include sessions that ended more than an hour ago; with --health, the latest findings.',
      },
      fleet: { type: 'boolean', help: 'Include sessions on the other machines of the fleet.' },
      health: {
        type: 'boolean',
        help: 'Show only problems: stalls, errors, dead processes and what they left running. Exits with 1 if one is critical.',
      },
      ...JSON_OPTION,
    },
    examples: [
      ['baton ps', 'What each session is doing, and how full its context is.'],
      ['baton ps --health', 'What is wrong with the sessions.'],
      ['baton ps 3f2a91c0 --name "Fix the login"', 'Call this session so everywhere.'],
    ],
    load: async () => {
      const { ps } = await import('../commands/ps.ts')
      const { health } = await import('../commands/health.ts')
      return (given, io) => (flag(given, 'health') ? health : ps)(given, io)
    },
  },
  {
    name: 'attach',
    summary: 'Attach to the terminal of a session.',
    positionals: [
      {
        name: 'SESSION',
        help: 'Its title or id, or the start of either. Default: the newest one that Baton started.',
      },
    ],
    examples: [['baton attach', 'Attach to the newest session that `baton run` started.']],
    load: async () => (await import('../commands/attach.ts')).attach,
  },
  {
    name: 'kill',
    summary: 'End a session that `baton run` started.',
    positionals: [{ name: 'SESSION', required: true, help: 'Its title or id, or the start of either.' }],
    options: JSON_OPTION,
    examples: [['baton kill shop-3f2a', 'End the agent and close its terminal.']],
    load: async () => (await import('../commands/kill.ts')).kill,
  },
  {
    name: 'watch',
    hidden: true,
    summary: 'Watch an agent without hooks that runs in a tmux pane.',
    details:
      'Baton already watches sessions in tmux whose agent has hooks; this adds one without hooks, by its screen alone.',
    positionals: [{ name: 'PANE', help: 'In tmux notation: %5 or work:1.0. Default: this pane.' }],
    options: {
      agent: {
        type: 'string',
        value: 'AGENT',
        help: 'Which agent runs there. Default: claude.',
      },
      list: { type: 'boolean', help: 'List the panes that you added.' },
      stop: { type: 'boolean', help: 'Stop watching the pane.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton watch %5', 'Show this pane in `baton ps`, and check its health.'],
      ['baton watch --list', 'The panes you added.'],
      ['baton watch %5 --stop', 'Stop watching it; the agent keeps running.'],
    ],
    load: async () => {
      const { unwatch, watch } = await import('../commands/watch.ts')
      return (given, io) => (flag(given, 'stop') ? unwatch : watch)(given, io)
    },
  },
  {
    name: 'unwatch',
    hidden: true,
    summary: 'Stop watching a pane. Now: baton watch PANE --stop.',
    positionals: [{ name: 'PANE', required: true, help: 'The pane, or the session in it.' }],
    options: JSON_OPTION,
    examples: [['baton unwatch %5', 'Stop watching it; the agent keeps running.']],
    load: async () => (await import('../commands/watch.ts')).unwatch,
  },
  {
    name: 'health',
    hidden: true,
    summary: 'Show what is wrong with the sessions. Now: baton ps --health.',
    details:
      'Stalls, errors on the screen, dead processes and what they left running. Exits with 1 if something is critical.',
    options: { all: { type: 'boolean', short: 'a', help: 'Include the latest findings.' }, ...JSON_OPTION },
    examples: [['baton health', 'One line per finding.']],
    load: async () => (await import('../commands/health.ts')).health,
  },
  {
    name: 'resume',
    summary: 'Print the command that resumes a session, or run it.',
    positionals: [{ name: 'SESSION', required: true, help: 'The id of the session, or the start of it.' }],
    options: { run: { type: 'boolean', help: 'Run it here.' }, ...JSON_OPTION },
    examples: [['baton resume 3f2a91c0', 'Print cd FOLDER && claude --resume SESSION.']],
    load: async () => (await import('../commands/resume.ts')).resume,
  },
  {
    name: 'chat',
    summary: 'Chat with an agent that Baton hosts.',
    details:
      "Runs the agent's own program over the Agent Client Protocol; Baton's rules decide about its tools. /handoff writes a\nhandoff document and continues in a new session.",
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
        help: 'Send this prompt, print the reply and exit; for scripts.',
      },
      resume: {
        type: 'string',
        short: 'r',
        value: 'SESSION',
        help: 'Resume a session of this folder: its number in /sessions, the start of its id, or a session file of pi or oh-my-pi.',
      },
      sandbox: {
        type: 'boolean',
        help: 'Run the whole agent in the sandbox, with its MCP servers: it reaches its model and this project, and its login stays outside.',
      },
      json: { type: 'boolean', help: 'With --prompt: print the reply and its end as JSON.' },
    },
    examples: [
      ['baton chat', 'Claude Code, in this terminal.'],
      ['baton chat --sandbox', 'The whole agent in the sandbox.'],
      ['baton chat --agent opencode -p "What does this project do?"', 'One question to another agent.'],
    ],
    load: async () => (await import('../commands/chat.ts')).chat,
  },
]
