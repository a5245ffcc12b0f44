import type { Command } from '../command.ts'
import { byFirstWord, JSON_OPTION } from '../shared-options.ts'

/** Issues, from the claim to the merge. */
export const claimCommands: readonly Command[] = [
  {
    name: 'claim',
    summary: 'Claim an issue and follow it until its pull request is merged.',
    details:
      'Checks the issue, takes it so that no one else can (on any machine), assigns it, moves it on the board, creates its\nbranch and writes .agent-claim.json. `ready` checks and pushes the branch, and Baton opens the pull request when the\nagent ends its turn. `done` marks the issue as done after the merge, when the user told the agent to close it. `list` shows the issues claimed on this machine, `board` the board of the project.',
    positionals: [
      {
        name: 'ISSUE',
        help: 'An issue number, `next`, `ready`, `done`, `release`, `takeover`, `list` or `board`.',
      },
      {
        name: 'NUMBER',
        help: 'With `release` and `takeover`: the issue. With `board`: `setup` creates what is missing.',
      },
    ],
    options: {
      list: { type: 'boolean', help: 'List the issues that are ready for an agent, and who holds which.' },
      worktree: { type: 'boolean', help: 'Work in a new worktree next to this one.' },
      anyway: { type: 'boolean', help: 'Claim it even if it is blocked or not in Todo.' },
      force: { type: 'boolean', help: 'With `takeover`: take it even from a live holder. For people only.' },
      summary: {
        type: 'string',
        value: 'TEXT',
        help: 'With `ready`: the title of the pull request. Optional once there is one.',
      },
      'dry-run': { type: 'boolean', help: 'Show what would happen, and change nothing.' },
      title: {
        type: 'string',
        value: 'NAME',
        help: 'With `board setup`: create a board with this name if there is none.',
      },
      ...JSON_OPTION,
    },
    examples: [
      ['baton claim 42', 'Claim issue 42, on its own branch.'],
      ['baton claim next --worktree', 'Claim the next free issue, in a new worktree.'],
      ['baton claim ready --summary "Renew leases before they end"', 'Push the branch and hand it off.'],
      ['baton claim list', 'The claims of this machine: phase, pull request, checks, and what blocks them.'],
      ['baton claim takeover 42', 'Take it over from a session that no longer reports.'],
    ],
    load: async () =>
      byFirstWord((await import('../commands/claim.ts')).claim, {
        list: async () => (await import('../commands/claims.ts')).claims,
        board: async () => (await import('../commands/board.ts')).board,
      }),
  },
  {
    name: 'claims',
    hidden: true,
    summary: 'Show the issues that are claimed on this machine. Now: baton claim list.',
    options: JSON_OPTION,
    examples: [['baton claims', 'Each with its phase, pull request, checks and what it waits for.']],
    load: async () => (await import('../commands/claims.ts')).claims,
  },
  {
    name: 'board',
    hidden: true,
    summary: "Show the project's board, or set it up. Now: baton claim board.",
    positionals: [
      { name: 'WHAT', choices: ['setup'], help: '`setup` creates what is missing. Default: show the board.' },
    ],
    options: {
      title: {
        type: 'string',
        value: 'NAME',
        help: 'With `setup`: create a board with this name if there is none.',
      },
      'dry-run': { type: 'boolean', help: 'Show what would be created.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton board', 'The issues by Status, with who works on them.'],
      ['baton board setup', 'Add missing Status options, the Agent field and the labels.'],
    ],
    load: async () => (await import('../commands/board.ts')).board,
  },
  {
    name: 'webhook',
    hidden: true,
    summary: 'Receive checks, reviews and merges at once, from a GitHub webhook.',
    details:
      'Listens on this machine only; forward the deliveries through a tunnel. Baton verifies the signature of each.',
    options: { port: { type: 'string', value: 'N', help: 'The port. Default: 4748; 0 uses any free one.' } },
    examples: [['baton webhook --port 4748', 'Serve until Ctrl-C.']],
    load: async () => (await import('../commands/webhook.ts')).webhook,
  },
]
