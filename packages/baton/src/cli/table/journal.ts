import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** What happened, and what would have happened. */
export const journalCommands: readonly Command[] = [
  {
    name: 'logs',
    summary: 'Print the journal: events, decisions, faults.',
    options: {
      follow: { type: 'boolean', short: 'f', help: 'Keep printing new entries.' },
      session: {
        type: 'string',
        short: 's',
        value: 'SESSION',
        help: "Only this session: Baton's id or the agent's, or the start of either.",
      },
      project: { type: 'string', value: 'FOLDER', help: 'Only this project.' },
      kind: {
        type: 'string',
        value: 'KIND',
        choices: [
          'event',
          'reaction',
          'decision',
          'sandbox',
          'broker',
          'model',
          'ask',
          'workflow',
          'handoff',
          'cycle',
          'health',
          'spawn',
          'stage',
          'claim',
          'fleet',
          'fault',
          'daemon',
          'config',
          'proof',
          'forgotten',
        ],
        help: 'Only entries of this kind.',
      },
      since: { type: 'string', value: 'TIME', help: 'Start at this time: 2h, 7d or a date.' },
      lines: {
        type: 'string',
        short: 'n',
        value: 'N',
        help: 'Print at most this many entries. Default: 50.',
      },
      ...JSON_OPTION,
    },
    examples: [
      ['baton logs --follow', 'Everything, as it happens.'],
      ['baton logs --since 2h --kind fault', 'Faults of the last two hours.'],
    ],
    load: async () => (await import('../commands/logs.ts')).logs,
  },
  {
    name: 'recap',
    summary: 'Show what happened while you were away.',
    details:
      'Commits, files and tests, what Baton decided and why, what ended and why, and what waits for you. Without --since, it\nstarts at your last prompt or answer before a pause of half an hour.',
    options: {
      since: { type: 'string', value: 'TIME', help: 'Start at this time: a span such as 8h, or a date.' },
      ...JSON_OPTION,
    },
    examples: [['baton recap --since 8h', 'The last eight hours.']],
    load: async () => (await import('../commands/recap.ts')).recap,
  },
  {
    name: 'shadow',
    hidden: true,
    summary: 'Show what Baton would have done in shadow mode, or end it.',
    details:
      'Replays the recording under the current rules: what Baton would have allowed, denied and asked, which stops it would have\ncontinued, and which sessions it would have handed off. It calls no permission model, so with one you may get fewer questions.',
    options: {
      since: {
        type: 'string',
        value: 'TIME',
        help: 'Start at this time: a span such as 2d, or a date. Default: everything.',
      },
      end: { type: 'boolean', help: 'End shadow mode: from now on Baton decides.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton shadow --since 1d', 'What Baton would have done since yesterday.'],
      ['baton shadow --end', 'Let Baton decide from now on.'],
    ],
    load: async () => (await import('../commands/shadow.ts')).shadow,
  },
  {
    name: 'forget',
    hidden: true,
    summary: 'Delete a session from the journal, and everything else Baton stored about it.',
    details:
      'Overwrites the entries in the file, and deletes conversations of `baton chat` and the state of its handoffs, workflow and\nstage. Handoff documents in the project and the transcript of the agent stay; the command lists them.',
    positionals: [{ name: 'SESSION', required: true, help: 'The id of the session, or the start of it.' }],
    options: JSON_OPTION,
    examples: [['baton forget 3f2a91c0', 'Delete everything Baton holds about that session.']],
    load: async () => (await import('../commands/forget.ts')).forget,
  },
]
