import type { Command } from '../command.ts'
import { JSON_OPTION, STARTED } from '../shared-options.ts'

/** From one session to the next. */
export const handoffCommands: readonly Command[] = [
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
    load: async () => (await import('../commands/handoff.ts')).handoff,
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
    load: async () => (await import('../commands/handoffs.ts')).handoffs,
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
    load: async () => (await import('../commands/cycle.ts')).cycle,
  },
]
