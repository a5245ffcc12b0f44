import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** Issues, from taken to merged. */
export const claimCommands: readonly Command[] = [
  {
    name: 'claim',
    summary: 'Take an issue, until its pull request is merged.',
    details:
      'Checks the issue, takes it so that nobody else can (also on other machines), assigns it, moves it on the board,\nmakes its branch and writes .agent-claim.json. `ready` hands the branch off: checked, pushed, and Baton opens the\npull request when the agent ends its turn.',
    positionals: [
      { name: 'ISSUE', help: 'Its number, `next`, or one of `ready`, `release` and `takeover`.' },
      { name: 'NUMBER', help: 'With `release` and `takeover`: the issue.' },
    ],
    options: {
      list: { type: 'boolean', help: 'List the issues that wait, and who holds which.' },
      worktree: { type: 'boolean', help: 'Work in a new worktree beside this one.' },
      anyway: { type: 'boolean', help: 'Although it is blocked, or not to do on the board.' },
      force: { type: 'boolean', help: 'With `takeover`: also from a holder that is alive. Only for people.' },
      summary: {
        type: 'string',
        value: 'TEXT',
        help: 'With `ready`: the title of the pull request; may be left out once there is one.',
      },
      'dry-run': { type: 'boolean', help: 'Say what would be done.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton claim 42', 'Take issue 42 on a branch of its own.'],
      ['baton claim next --worktree', 'Take the next free issue, in a new worktree.'],
      ['baton claim ready --summary "Renew leases before they end"', 'Push the branch and hand it off.'],
      ['baton claim takeover 42', 'Take it from a session that is not heard of any more.'],
    ],
    load: async () => (await import('../commands/claim.ts')).claim,
  },
  {
    name: 'claims',
    summary: 'Show the issues that are claimed on this machine.',
    options: JSON_OPTION,
    examples: [['baton claims', 'Each with its phase, pull request, checks and what it waits for.']],
    load: async () => (await import('../commands/claims.ts')).claims,
  },
  {
    name: 'board',
    summary: "Show the project's board, or set it up.",
    positionals: [
      { name: 'WHAT', choices: ['setup'], help: '`setup` makes what is missing; without it, the table.' },
    ],
    options: {
      title: {
        type: 'string',
        value: 'NAME',
        help: 'With `setup`: make a board of this name if there is none.',
      },
      'dry-run': { type: 'boolean', help: 'Say what would be made.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton board', 'The issues by Status, with who works on them.'],
      ['baton board setup', 'Add the Status options, the field Agent and the labels that are missing.'],
    ],
    load: async () => (await import('../commands/board.ts')).board,
  },
  {
    name: 'webhook',
    summary: 'Hear of checks, reviews and merges at once, by a webhook of GitHub.',
    details:
      'Listens on this machine only; a tunnel of yours leads the deliveries here. Each is checked by its signature.',
    options: { port: { type: 'string', value: 'N', help: 'The port. Default: 4748; 0 takes any free one.' } },
    examples: [['baton webhook --port 4748', 'Serve until Ctrl-C.']],
    load: async () => (await import('../commands/webhook.ts')).webhook,
  },
]
