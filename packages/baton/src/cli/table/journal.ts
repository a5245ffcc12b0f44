import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** What happened, and what would have. */
export const journalCommands: readonly Command[] = [
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
    load: async () => (await import('../commands/logs.ts')).logs,
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
    load: async () => (await import('../commands/recap.ts')).recap,
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
    load: async () => (await import('../commands/shadow.ts')).shadow,
  },
  {
    name: 'forget',
    summary: 'Remove a session from the journal, and what else Baton keeps of it.',
    details:
      'The entries are overwritten in the file. Conversations of `baton chat` and what was remembered of its handoffs, workflow\nand stage go with them. Handoff documents in the project and the transcript of the agent are named and stay.',
    positionals: [{ name: 'SESSION', required: true, help: 'Its id, or the start of it.' }],
    options: JSON_OPTION,
    examples: [['baton forget 3f2a91c0', 'Everything Baton holds of that session goes.']],
    load: async () => (await import('../commands/forget.ts')).forget,
  },
]
