import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** Questions to a person, and the answers. */
export const askCommands: readonly Command[] = [
  {
    name: 'asks',
    summary: 'List the questions that wait for you.',
    positionals: [{ name: 'ASK', help: 'Only this one: its id, or the start of it.' }],
    options: { all: { type: 'boolean', short: 'a', help: 'Settled ones, too.' }, ...JSON_OPTION },
    examples: [['baton asks', 'Open questions with their ids and full commands.']],
    load: async () => (await import('../commands/asks.ts')).asks,
  },
  {
    name: 'allow',
    summary: 'Answer an ask with yes.',
    details: 'Only from a terminal of your own: an agent, or anything it started, is refused.',
    positionals: [{ name: 'ASK', required: true, help: 'Its id, or the start of it.' }],
    options: {
      session: { type: 'boolean', help: 'Allow exactly this for the rest of the session.' },
      ...JSON_OPTION,
    },
    examples: [['baton allow ask_3f2a', 'Allow it once.']],
    load: async () => (await import('../commands/allow.ts')).allow,
  },
  {
    name: 'deny',
    summary: 'Answer an ask with no.',
    details: 'Only from a terminal of your own: an agent, or anything it started, is refused.',
    positionals: [{ name: 'ASK', required: true, help: 'Its id, or the start of it.' }],
    options: {
      reason: { type: 'string', value: 'TEXT', help: 'Tell the agent why.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton deny ask_3f2a --reason "use the staging database"', 'Deny it, and the agent learns why.'],
    ],
    load: async () => (await import('../commands/deny.ts')).deny,
  },
]
