import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** Jobs that run until they are done. */
export const workflowCommands: readonly Command[] = [
  {
    name: 'sessions',
    summary: 'Show the workflows that run, and how others ended.',
    options: { all: { type: 'boolean', short: 'a', help: 'Those that have ended, too.' }, ...JSON_OPTION },
    examples: [['baton sessions --all', 'Every run with its end and the reason.']],
    load: async () => (await import('../commands/sessions.ts')).sessions,
  },
  {
    name: 'stop',
    summary: 'Let a workflow stop at its next stop, without another continuation.',
    positionals: [{ name: 'SESSION', required: true, help: 'Its id, or the start of it.' }],
    options: { 'dry-run': { type: 'boolean', help: 'Say what would be stopped.' }, ...JSON_OPTION },
    examples: [['baton stop 3f2a91c0', 'The agent finishes its turn and is not continued.']],
    load: async () => (await import('../commands/stop.ts')).stop,
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
    load: async () => (await import('../commands/done.ts')).done,
  },
  {
    name: 'issue',
    summary: 'Show which session works on an issue.',
    positionals: [{ name: 'NUMBER', required: true, help: 'The issue.' }],
    options: JSON_OPTION,
    examples: [['baton issue 42', 'The session, its workflow and its state.']],
    load: async () => (await import('../commands/issue.ts')).issue,
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
    load: async () => (await import('../commands/clean.ts')).clean,
  },
]
