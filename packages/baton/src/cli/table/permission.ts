import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** What agents may do, why, and how to undo it. */
export const permissionCommands: readonly Command[] = [
  {
    name: 'check',
    summary: 'Show what Baton would decide about a command, without running it.',
    details:
      'Uses the rules alone: it calls no model and asks no one. With --rules, replays recorded tool calls under other rules and\nlists the decisions that would change.',
    positionals: [{ name: 'COMMAND', help: 'The command, quoted as one word.' }],
    options: {
      tool: {
        type: 'string',
        value: 'TOOL',
        help: 'Check a use of this tool instead of Bash, such as Read or Write.',
      },
      batch: {
        type: 'boolean',
        help: 'Read {"command": …} lines on stdin, write {"command", "decision", "reason"} lines, with "sandbox": true for what runs in the sandbox.',
      },
      rules: {
        type: 'string',
        value: 'FILE',
        help: 'Replay recorded calls under the rules of this file (in the form of .baton.yaml).',
      },
      since: {
        type: 'string',
        value: 'TIME',
        help: 'With --rules: only calls since this time: 2h, 7d or a date.',
      },
      defaults: { type: 'boolean', help: 'Use only the default settings, with undo off.' },
      'no-sandbox': { type: 'boolean', help: 'Decide as on a machine without a sandbox.' },
      ...JSON_OPTION,
    },
    examples: [
      ["baton check 'git push --force'", 'Allow, deny or ask, and why.'],
      [
        'baton check --rules new.yaml --since 7d',
        'Every decision of the last week that these rules would change.',
      ],
      ['baton check --batch --defaults < commands.jsonl', 'One decision for each line.'],
    ],
    load: async () => {
      const { check } = await import('../commands/check.ts')
      const { whatIf } = await import('../commands/what-if.ts')
      return (given, io) => (given.options.rules === undefined ? check : whatIf)(given, io)
    },
  },
  {
    name: 'why',
    summary: 'Explain a permission decision.',
    positionals: [
      { name: 'DECISION', help: "The decision's id, from the agent's message. Default: the latest." },
    ],
    options: JSON_OPTION,
    examples: [['baton why', 'The latest decision and the steps that led to it.']],
    load: async () => (await import('../commands/why.ts')).why,
  },
  {
    name: 'what-if',
    hidden: true,
    summary: 'Replay recorded tool calls under other rules. Now: baton check --rules FILE.',
    options: {
      rules: {
        type: 'string',
        value: 'FILE',
        required: true,
        help: 'A file in the form of .baton.yaml; its rules replace all current ones.',
      },
      since: { type: 'string', value: 'TIME', help: 'Only calls since this time: 2h, 7d or a date.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton what-if --rules new.yaml --since 7d', 'Every decision of the last week that would change.'],
    ],
    load: async () => (await import('../commands/what-if.ts')).whatIf,
  },
  {
    name: 'learn',
    summary: 'Propose rules for what you keep allowing.',
    details:
      'Proposes exact commands, or a subcommand if you allowed several forms of it. Never proposes what you denied.',
    options: {
      accept: { type: 'boolean', help: 'Write the rules to your own .baton.yaml.' },
      times: { type: 'string', value: 'N', help: 'How often you must have allowed something. Default: 2.' },
      since: {
        type: 'string',
        value: 'TIME',
        help: 'Only what you allowed since this time: 2h, 7d or a date.',
      },
      ...JSON_OPTION,
    },
    examples: [
      ['baton learn', 'Show the rules as a diff, and write nothing.'],
      ['baton learn --accept', 'Add them to your rules.'],
    ],
    load: async () => (await import('../commands/learn.ts')).learn,
  },
  {
    name: 'undo',
    summary: 'Undo what a command did to the worktree.',
    details:
      'Restores the state before a command that Baton allowed because it can be undone. You can undo an undo.',
    positionals: [
      {
        name: 'STEP',
        help: 'The step to go back to. Default: the newest that differs from the current state.',
      },
    ],
    options: {
      list: { type: 'boolean', help: 'List the steps of this worktree.' },
      'dry-run': { type: 'boolean', help: 'Show what would change, and change nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton undo --list', 'The steps, newest first.'],
      ['baton undo --dry-run', 'What undoing the newest step would change, as a diff.'],
    ],
    load: async () => (await import('../commands/undo.ts')).undo,
  },
]
