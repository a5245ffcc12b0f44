import type { Command } from '../command.ts'
import { AGENTS, JSON_OPTION } from '../shared-options.ts'

/** Putting Baton on a machine, checking it, and taking it off again. */
export const setupCommands: readonly Command[] = [
  {
    name: 'init',
    summary: 'Install the hooks of your coding agents.',
    details:
      'Chooses the fastest hook client that passes a self-test here, writes one launcher into the state folder\nand names it in the settings of the agents. Running it again changes nothing that is right already.',
    options: {
      agent: {
        type: 'string',
        value: 'AGENT',
        many: true,
        choices: AGENTS,
        help: 'Only this agent; may be given more than once. Default: those found here.',
      },
      scope: {
        type: 'string',
        value: 'SCOPE',
        choices: ['user', 'project', 'local'],
        help: "Whose settings: yours, the project's, or the project's private ones. Default: user.",
      },
      transport: {
        type: 'string',
        value: 'NAME',
        choices: ['c', 'perl', 'curl', 'node'],
        help: 'Use this hook client instead of the fastest.',
      },
      'no-status-line': {
        type: 'boolean',
        help: "Leave Claude Code's status line alone. By default it tells Baton how full the context is; your own is kept.",
      },
      plugin: {
        type: 'boolean',
        help: "Also give Claude Code Baton's plugin: slash commands (/issue-to-impl, /handoff, /claim), stage agents and tools.",
      },
      mcp: {
        type: 'boolean',
        help: "Also give the agents Baton's tools for staged work, as an MCP server, by their own `mcp add`.",
      },
      yes: { type: 'boolean', short: 'y', help: 'Ask nothing and take the defaults, also at a terminal.' },
      shadow: {
        type: 'boolean',
        help: 'Only watch and decide nothing; `baton shadow` later says what Baton would have done.',
      },
      'dry-run': { type: 'boolean', help: 'Show the changes as a diff and write nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton init', 'Hooks for the agents found on this machine, in your own settings.'],
      ['baton init --yes --plugin', 'The same without questions, and Claude Code gets the slash commands.'],
      [
        'baton init --agent claude --scope project --dry-run',
        'Show what would change in .claude/settings.json of this project.',
      ],
    ],
    load: async () => (await import('../commands/setup.ts')).init,
  },
  {
    name: 'uninstall',
    summary: 'Remove Baton from this machine: hooks, daemon, journal and snapshots.',
    details:
      'Names what would be lost (journal, undo snapshots, claims) and asks; without a terminal it takes --yes to remove more than hooks\nand daemon. With --agent or --scope only those hooks go. Handoff documents, work items and your configuration are yours and stay.',
    options: {
      agent: { type: 'string', value: 'AGENT', many: true, choices: AGENTS, help: 'Only this agent.' },
      scope: {
        type: 'string',
        value: 'SCOPE',
        choices: ['user', 'project', 'local'],
        help: 'Only these settings. Default: all of them.',
      },
      'keep-data': { type: 'boolean', help: 'Keep the journal and everything else in the state folder.' },
      yes: { type: 'boolean', short: 'y', help: 'Name what goes, and do not ask.' },
      'dry-run': {
        type: 'boolean',
        help: 'Show what would go and the changes as a diff, and write nothing.',
      },
      ...JSON_OPTION,
    },
    examples: [['baton uninstall', 'See what goes, then take Baton off this machine.']],
    load: async () => (await import('../commands/uninstall.ts')).uninstall,
  },
  {
    name: 'doctor',
    summary: 'Check that everything works, and say how to fix what does not.',
    options: JSON_OPTION,
    examples: [['baton doctor', 'Agents, hooks, daemon, tmux, git and tokens, one line each.']],
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    name: 'tour',
    summary: 'See what Baton does, in a world of its own that goes away afterwards.',
    details:
      'A scripted agent takes an issue from claim to merged pull request in a temporary repository and a private tmux.\nHooks, daemon and engine are the real ones. Nothing of yours is touched, nothing is sent anywhere.',
    options: {
      yes: { type: 'boolean', help: 'Answer the questions by itself.' },
      pace: { type: 'string', value: 'MS', help: 'How long each step stays, in milliseconds. Default: 700.' },
      keep: { type: 'boolean', help: 'Keep the folder to look around in afterwards.' },
    },
    examples: [['baton tour', 'About a minute.']],
    load: async () => (await import('../commands/tour.ts')).tour,
  },
  {
    name: 'tour-agent',
    summary: 'The scripted agent of the tour, inside its terminal.',
    hidden: true,
    options: { pace: { type: 'string', value: 'MS', help: 'How long each step stays.' } },
    examples: [['baton tour-agent', 'What the tour starts in its own tmux.']],
    load: async () => (await import('../commands/tour.ts')).tourAgent,
  },
  {
    name: 'config',
    summary: 'Show the configuration in force and where each value comes from.',
    positionals: [{ name: 'KEY', help: 'Only this key, or the keys below it, such as handsoff.' }],
    options: {
      schema: { type: 'boolean', help: 'Print the JSON Schema of .baton.yaml, for editors.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton config', 'Every value with its file and line.'],
      ['baton config handsoff.max_continuations', 'One value.'],
    ],
    load: async () => (await import('../commands/config.ts')).config,
  },
  {
    name: 'trust',
    summary: "Let a project's own configuration count in full.",
    details:
      "A repository's file can always deny and ask. What loosens or reaches out (allow rules, commands, channels)\ncounts only while the file is exactly the one you trusted.",
    positionals: [{ name: 'FILE', help: "The file. Default: this project's." }],
    options: {
      list: { type: 'boolean', help: 'List the files you trust.' },
      remove: { type: 'boolean', help: 'Trust it no longer.' },
      'dry-run': { type: 'boolean', help: 'Show what would count, and trust nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton trust', "Trust this project's .baton.yaml as it is now."],
      ['baton trust --list', 'What is trusted.'],
    ],
    load: async () => (await import('../commands/trust.ts')).trust,
  },
]
