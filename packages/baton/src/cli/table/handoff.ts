import type { Command } from '../command.ts'
import { byFirstWord, JSON_OPTION, STARTED } from '../shared-options.ts'

/** Moving work from one session to the next. */
export const handoffCommands: readonly Command[] = [
  {
    name: 'handoff',
    summary: 'Hand a session off to a new one: write, show and manage handoffs.',
    details:
      'Without WHAT, writes the handoff document of a live or crashed session from its transcript and git. It does not change\nthe session. Baton also hands off a live session automatically when its context is full: `now` does so at once, `cancel`\nprevents it, `cycles` lists these.',
    positionals: [
      {
        name: 'WHAT',
        choices: ['list', 'show', 'diff', 'facts', 'now', 'cancel', 'cycles'],
        help: 'What to do with handoffs. Default: write a document.',
      },
      {
        name: 'NAME',
        many: true,
        help: 'The documents, or parts of their names; for `now` and `cancel`, the session; for `facts`, a document, `remove ID ...` or `edit ID TEXT`.',
      },
    ],
    options: {
      session: {
        type: 'string',
        short: 's',
        value: 'SESSION',
        help: "Its id, or the start of it. Default: the calling session, or else the project's newest.",
      },
      transcript: {
        type: 'string',
        value: 'FILE',
        help: 'Use this transcript of an agent.',
      },
      focus: { type: 'string', value: 'TEXT', help: 'What the next session should look at first.' },
      to: {
        type: 'string',
        value: 'AGENT',
        choices: STARTED,
        help: 'Start this agent with the document: in this terminal, or without one for a single turn.',
      },
      print: { type: 'boolean', help: 'Print the document as context for a new session, and store nothing.' },
      verify: {
        type: 'string',
        value: 'FILE',
        help: 'Compare this document with git and the transcript instead; - reads standard input.',
      },
      context: { type: 'boolean', help: 'With `show`: print it as context for a new session.' },
      section: {
        type: 'string',
        value: 'SECTION',
        help: 'With `show`: print one section in full, e.g. instructions, decisions, dead-ends, results or said. With `facts`: list only these.',
      },
      all: { type: 'boolean', short: 'a', help: 'With `cycles`: include those that have ended.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton handoff', "Write the newest session's document to .bmad/handoffs."],
      ['baton handoff list', 'Every document, with the session that wrote it and who received it.'],
      ['baton handoff now 5d0c3ab2', 'Hand that live session off without waiting for a full context.'],
      [
        'baton handoff --verify .bmad/handoffs/handoff-2026-01-22-14-30.md',
        'List the statements that are wrong.',
      ],
      ['baton handoff show --section decisions', 'Every decision of the work so far.'],
      ['baton handoff facts', 'What goes from session to session, with the id of each fact.'],
      ['baton handoff facts remove 3fa2c18b', 'No later session gets this one.'],
      ['claude "$(baton handoff --print)"', 'Start a new session where the last one ended.'],
      ['baton handoff --to codex', 'Let another agent continue the work.'],
    ],
    load: async () => {
      const documents = async () => (await import('../commands/handoffs.ts')).handoffs
      const cycles = async () => (await import('../commands/cycle.ts')).cycle
      return byFirstWord(
        (await import('../commands/handoff.ts')).handoff,
        { list: documents, cycles },
        { show: documents, diff: documents, facts: documents, now: cycles, cancel: cycles },
      )
    },
  },
  {
    name: 'handoffs',
    hidden: true,
    summary: 'List, show or compare handoff documents. Now: baton handoff list, show, diff.',
    positionals: [
      { name: 'WHAT', help: '`show`, `diff` or `facts`. Default: list them.' },
      { name: 'NAME', many: true, help: 'The documents, or parts of their names. Default: the newest.' },
    ],
    options: {
      context: { type: 'boolean', help: 'With `show`: print it as context for a new session.' },
      section: { type: 'string', value: 'SECTION', help: 'With `show`: print one section in full.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton handoffs', 'Every document with the session that wrote it and the one it started with.'],
      ['baton handoffs show', 'The newest.'],
      ['baton handoffs diff', 'What changed between the last two.'],
    ],
    load: async () => (await import('../commands/handoffs.ts')).handoffs,
  },
  {
    name: 'cycle',
    hidden: true,
    summary: 'Show, start or cancel handoffs of live sessions. Now: baton handoff now, cancel, cycles.',
    details:
      'Baton hands off a session whose context is full: the agent writes the document, Baton checks it and clears the context,\nand the new session must repeat the goal, the branch and the next step before it continues.',
    positionals: [
      {
        name: 'WHAT',
        help: 'now: hand this session off when its turn ends. cancel: leave it alone.',
        choices: ['now', 'cancel'],
      },
      { name: 'SESSION', help: "Baton's or the agent's own id, or the start of either." },
    ],
    options: { all: { type: 'boolean', short: 'a', help: 'Include those that have ended.' }, ...JSON_OPTION },
    examples: [
      ['baton cycle', 'Handoffs that are in progress.'],
      ['baton cycle now 5d0c3ab2', 'Hand that session off without waiting for a full context.'],
    ],
    load: async () => (await import('../commands/cycle.ts')).cycle,
  },
]
