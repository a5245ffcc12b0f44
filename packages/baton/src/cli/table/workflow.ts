import { type Command, type Handler, text } from '../command.ts'
import { byFirstWord, JSON_OPTION } from '../shared-options.ts'

/** Workflows: jobs that run until they are done. */
export const workflowCommands: readonly Command[] = [
  {
    name: 'history',
    summary: 'List workflow runs: what is running, and how others ended.',
    positionals: [
      { name: 'WHAT', choices: ['clean'], help: 'clean: delete state files of runs that are over.' },
    ],
    options: {
      all: { type: 'boolean', short: 'a', help: 'Include runs that have ended.' },
      issue: { type: 'string', value: 'NUMBER', help: 'Show which session works on this issue.' },
      days: {
        type: 'string',
        value: 'N',
        help: 'With `clean`: also files older than this many days. Default: 7.',
      },
      'dry-run': { type: 'boolean', help: 'With `clean`: list the files, and delete nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton history --all', 'Every run with how it ended, and why.'],
      ['baton history --issue 42', 'The session that works on issue 42.'],
    ],
    load: async () => {
      const { sessions } = await import('../commands/sessions.ts')
      const { issue } = await import('../commands/issue.ts')
      const runs: Handler = (given, io) => {
        const number = text(given, 'issue')
        return number === undefined ? sessions(given, io) : issue({ ...given, positionals: [number] }, io)
      }
      return byFirstWord(runs, { clean: async () => (await import('../commands/clean.ts')).clean })
    },
  },
  {
    name: 'sessions',
    hidden: true,
    summary: 'List workflow runs. Now: baton history.',
    options: { all: { type: 'boolean', short: 'a', help: 'Include runs that have ended.' }, ...JSON_OPTION },
    examples: [['baton sessions --all', 'Every run with how it ended, and why.']],
    load: async () => (await import('../commands/sessions.ts')).sessions,
  },
  {
    name: 'stop',
    summary: 'Stop continuing a workflow; the agent finishes its current turn.',
    positionals: [{ name: 'SESSION', required: true, help: 'The id of the session, or the start of it.' }],
    options: { 'dry-run': { type: 'boolean', help: 'Show what would be stopped.' }, ...JSON_OPTION },
    examples: [['baton stop 3f2a91c0', 'The agent finishes its turn, and Baton does not continue it.']],
    load: async () => (await import('../commands/stop.ts')).stop,
  },
  {
    name: 'done',
    hidden: true,
    summary: "End the calling session's workflow (for agents, inside a session).",
    options: {
      blocked: {
        type: 'string',
        value: 'REASON',
        help: 'The work is not done: only a person can help, for this reason.',
      },
      'dry-run': { type: 'boolean', help: 'Show what would be marked.' },
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
    hidden: true,
    summary: 'Show which session works on an issue. Now: baton history --issue NUMBER.',
    positionals: [{ name: 'NUMBER', required: true, help: 'The issue.' }],
    options: JSON_OPTION,
    examples: [['baton issue 42', 'The session, its workflow and its state.']],
    load: async () => (await import('../commands/issue.ts')).issue,
  },
  {
    name: 'clean',
    hidden: true,
    summary: 'Delete state files of runs that are over. Now: baton history clean.',
    options: {
      days: { type: 'string', value: 'N', help: 'Also files older than this many days. Default: 7.' },
      'dry-run': { type: 'boolean', help: 'List the files, and delete nothing.' },
      ...JSON_OPTION,
    },
    examples: [['baton clean --dry-run', 'What would be deleted.']],
    load: async () => (await import('../commands/clean.ts')).clean,
  },
]
