import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** What agents may do, why, and taking it back. */
export const permissionCommands: readonly Command[] = [
  {
    name: 'check',
    summary: 'Say what would be decided about a command, without running it.',
    details: 'By the rules alone: neither a model nor a person is asked.',
    positionals: [{ name: 'COMMAND', help: 'The command, as one word: quote it.' }],
    options: {
      tool: {
        type: 'string',
        value: 'TOOL',
        help: 'Judge a use of this tool instead of Bash, such as Read or Write.',
      },
      batch: {
        type: 'boolean',
        help: 'Read {"command": …} lines on stdin, write {"command", "decision", "reason"} lines.',
      },
      defaults: { type: 'boolean', help: 'With the default rules alone, and undo off.' },
      ...JSON_OPTION,
    },
    examples: [
      ["baton check 'git push --force'", 'Allowed, denied or asked, and why.'],
      ['baton check --batch --defaults < commands.jsonl', 'One decision for each line.'],
    ],
    load: async () => (await import('../commands/check.ts')).check,
  },
  {
    name: 'why',
    summary: 'Show how a permission decision came about.',
    positionals: [{ name: 'DECISION', help: 'Its id, as the agent was told it. Default: the latest.' }],
    options: JSON_OPTION,
    examples: [['baton why', 'The latest decision with its trail.']],
    load: async () => (await import('../commands/why.ts')).why,
  },
  {
    name: 'what-if',
    summary: 'Replay recorded tool calls under other rules.',
    options: {
      rules: {
        type: 'string',
        value: 'FILE',
        required: true,
        help: 'A file in the form of .baton.yaml: its rules are tried in place of all that is in force.',
      },
      since: { type: 'string', value: 'TIME', help: 'Only calls from this time on: 2h, 7d or a date.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton what-if --rules new.yaml --since 7d', 'Every decision of the last week that would change.'],
    ],
    load: async () => (await import('../commands/what-if.ts')).whatIf,
  },
  {
    name: 'learn',
    summary: 'Propose rules from what you kept allowing.',
    details:
      'Word for word, or by sub-command where you allowed several forms of it. What you denied is never proposed.',
    options: {
      accept: { type: 'boolean', help: 'Write the rules into your own .baton.yaml.' },
      times: { type: 'string', value: 'N', help: 'How often you must have allowed it. Default: 2.' },
      since: {
        type: 'string',
        value: 'TIME',
        help: 'Only what you allowed from this time on: 2h, 7d or a date.',
      },
      ...JSON_OPTION,
    },
    examples: [
      ['baton learn', 'The rules as a diff; nothing is written.'],
      ['baton learn --accept', 'Take them over.'],
    ],
    load: async () => (await import('../commands/learn.ts')).learn,
  },
  {
    name: 'undo',
    summary: 'Take back what a command did to the worktree.',
    details:
      'Goes back to the state before a command that was allowed because it can be undone. An undo can be undone.',
    positionals: [
      { name: 'STEP', help: 'The step to go back to. Default: the newest that differs from now.' },
    ],
    options: {
      list: { type: 'boolean', help: 'List the steps of this worktree.' },
      'dry-run': { type: 'boolean', help: 'Show what would change, and change nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton undo --list', 'The steps, newest first.'],
      ['baton undo --dry-run', 'What the newest would change, as a diff.'],
    ],
    load: async () => (await import('../commands/undo.ts')).undo,
  },
]
