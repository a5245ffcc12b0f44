import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** Questions to a person, and the answers. */
export const askCommands: readonly Command[] = [
  {
    name: 'asks',
    summary: 'List the questions that wait for you.',
    positionals: [{ name: 'ASK', help: 'Show only this ask: its id, or the start of it.' }],
    options: {
      all: { type: 'boolean', short: 'a', help: 'Include closed questions.' },
      fleet: { type: 'boolean', help: 'Include the open questions of the other machines of the fleet.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton asks', 'Open questions with their ids and full commands.'],
      ['baton asks --fleet', 'Also those of the other machines; answer them here as your own.'],
    ],
    load: async () => (await import('../commands/asks.ts')).asks,
  },
  {
    name: 'answer',
    summary: "Answer an agent's question, form or plan.",
    details:
      'Give one answer for each question, in order: the number or label of a choice, several with commas (1,3), or your own words.\n`-` leaves an optional question out. Without answers, Baton asks you here, one question after the other.\nWorks only in your own terminal, not for agents or programs that they started.',
    positionals: [
      { name: 'ASK', required: true, help: 'The id of the ask, or the start of it.' },
      { name: 'ANSWER', many: true, help: 'The answer to each question, in order.' },
    ],
    options: {
      approve: { type: 'boolean', help: 'Approve the plan.' },
      'send-back': { type: 'string', value: 'COMMENT', help: 'Send the plan back with a comment.' },
      decline: { type: 'boolean', help: 'Do not answer; the agent learns that.' },
      reason: { type: 'string', value: 'TEXT', help: 'Tell the agent why you decline.' },
      screen: { type: 'boolean', help: "Open the form on the agent's own screen instead." },
      ...JSON_OPTION,
    },
    examples: [
      ['baton answer ask_3f2a 2', 'Take the second choice.'],
      ['baton answer ask_3f2a 1 1,3 "in the evening"', 'Answer three questions.'],
      ['baton answer ask_3f2a --send-back "add a rollback step"', 'Send a plan back.'],
    ],
    load: async () => (await import('../commands/answer-ask.ts')).answerAsk,
  },
  {
    name: 'allow',
    summary: 'Allow what an agent asked for.',
    details:
      'With --project and --always, Baton adds a rule to your own .baton.yaml: exactly this command, and nothing else.\nWorks only in your own terminal, not for agents or programs that they started.',
    positionals: [
      { name: 'ASK', help: 'The id of the ask, or the start of it. Default: the only open one.' },
    ],
    options: {
      session: { type: 'boolean', help: 'Allow exactly this until the session ends.' },
      project: { type: 'boolean', help: 'Always allow exactly this command in this project.' },
      always: { type: 'boolean', help: 'Always allow exactly this command, in every project.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton allow ask_3f2a', 'Allow it once.'],
      ['baton allow ask_3f2a --project', 'Allow it, and do not ask again in this project.'],
    ],
    load: async () => (await import('../commands/allow.ts')).allow,
  },
  {
    name: 'deny',
    summary: 'Deny what an agent asked for.',
    details: 'Works only in your own terminal, not for agents or programs that they started.',
    positionals: [
      { name: 'ASK', help: 'The id of the ask, or the start of it. Default: the only open one.' },
    ],
    options: {
      reason: { type: 'string', value: 'TEXT', help: 'Tell the agent why.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton deny ask_3f2a --reason "use the staging database"', 'Deny it and tell the agent why.'],
    ],
    load: async () => (await import('../commands/deny.ts')).deny,
  },
  {
    name: 'away',
    hidden: true,
    summary: 'Say that you are away.',
    details:
      'While you are away, questions that no one answers are treated as in a workflow: parked after 30 minutes, or what\n`asks.unanswered` and `asks.after_minutes` say. Works only in your own terminal.',
    options: { ...JSON_OPTION },
    examples: [['baton away', 'Questions still go to every channel at once.']],
    load: async () => (await import('../commands/away.ts')).away,
  },
  {
    name: 'back',
    hidden: true,
    summary: 'Say that you are back.',
    details: 'Works only in your own terminal.',
    options: { ...JSON_OPTION },
    examples: [['baton back', 'Questions wait for you again.']],
    load: async () => (await import('../commands/away.ts')).back,
  },
]
