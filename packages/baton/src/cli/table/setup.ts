import type { Command } from '../command.ts'
import { AGENTS, JSON_OPTION } from '../shared-options.ts'

/** Installing Baton, checking it, and removing it. */
export const setupCommands: readonly Command[] = [
  {
    name: 'init',
    summary: 'Set up Baton: install the hooks of your coding agents.',
    details:
      'Chooses the fastest hook client that passes a self-test here, writes one launcher into the state folder and adds it to the\nsettings of the agents. You can run it again at any time; it does not touch what is already right.',
    options: {
      agent: {
        type: 'string',
        value: 'AGENT',
        many: true,
        choices: AGENTS,
        help: 'Only this agent; repeatable. Default: all agents found here.',
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
      'no-trial': {
        type: 'boolean',
        help: 'Do not start Claude Code once, without a model, to see that its commands run in the sandbox.',
      },
      'no-status-line': {
        type: 'boolean',
        help: "Leave Claude Code's status line alone. By default it reports to Baton how full the context is, and your own stays visible.",
      },
      plugin: {
        type: 'boolean',
        help: "Also install Baton's plugin for Claude Code: slash commands (/issue-to-impl, /handoff, /claim), stage agents and tools.",
      },
      mcp: {
        type: 'boolean',
        help: "Also add Baton's tools for staged work to the agents as an MCP server, with their own `mcp add`.",
      },
      sandbox: {
        type: 'boolean',
        help: "Also install bubblewrap, which the sandbox needs, with this machine's package manager (as root or with sudo). Without this option only a yes at the terminal installs it.",
      },
      yes: { type: 'boolean', short: 'y', help: 'Ask nothing and use the defaults.' },
      shadow: {
        type: 'boolean',
        help: 'Only watch, and decide nothing; `baton shadow` later shows what Baton would have done.',
      },
      'dry-run': { type: 'boolean', help: 'Show the changes as a diff and write nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton init', 'Add hooks for the agents on this machine to your own settings.'],
      ['baton init --yes --plugin', 'The same without questions, with the slash commands for Claude Code.'],
      [
        'baton init --agent claude --scope project --dry-run',
        'Show what would change in .claude/settings.json of this project.',
      ],
    ],
    load: async () => (await import('../commands/setup.ts')).init,
  },
  {
    name: 'import',
    summary: 'Take over the files of agentize, PAW, oh-my-pi or MoltNet.',
    details:
      'Shows what it would write and writes only after a yes: settings under the name that Baton uses, sessions for `baton chat`,\nand the hooks of the other system removed, because both must not run at the same time. The original files stay.',
    positionals: [
      {
        name: 'SYSTEM',
        choices: ['agentize', 'paw', 'oh-my-pi', 'moltnet'],
        help: 'Only this system. Default: all that are found here.',
      },
    ],
    options: {
      hooks: {
        type: 'boolean',
        help: 'Only remove the hooks of other systems from the settings of your agents.',
      },
      yes: { type: 'boolean', short: 'y', help: 'Write without asking.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton import', 'Show what would be taken over, then ask.'],
      ['baton import agentize --yes', 'Take over the settings and running sessions of agentize.'],
    ],
    load: async () => (await import('../commands/import.ts')).importSystem,
  },
  {
    name: 'uninstall',
    summary: 'Remove Baton from this machine: hooks, daemon, journal and snapshots.',
    details:
      'Lists what would be lost (journal, undo snapshots, claims) and asks. Without a terminal, it needs --yes to remove more than\nhooks and daemon. With --agent or --scope it removes only those hooks. Handoff documents, work items and your configuration\nstay.',
    options: {
      agent: { type: 'string', value: 'AGENT', many: true, choices: AGENTS, help: 'Only this agent.' },
      scope: {
        type: 'string',
        value: 'SCOPE',
        choices: ['user', 'project', 'local'],
        help: 'Only these settings. Default: all of them.',
      },
      'keep-data': { type: 'boolean', help: 'Keep the journal and everything else in the state folder.' },
      yes: { type: 'boolean', short: 'y', help: 'List what is removed, and do not ask.' },
      'dry-run': {
        type: 'boolean',
        help: 'Show what would be removed, and write nothing.',
      },
      ...JSON_OPTION,
    },
    examples: [['baton uninstall', 'See what would be removed, then remove it.']],
    load: async () => (await import('../commands/uninstall.ts')).uninstall,
  },
  {
    name: 'doctor',
    summary: 'Check that everything works, and show how to fix what does not.',
    options: JSON_OPTION,
    examples: [['baton doctor', 'Agents, hooks, daemon, tmux, git and tokens, one line each.']],
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    name: 'tour',
    summary: 'See a live demo: an agent takes an issue to a merged pull request.',
    details:
      'A scripted agent works in a temporary repository and a private tmux. Hooks, daemon and engine are real. The tour touches\nnothing of yours and sends nothing anywhere.',
    options: {
      yes: { type: 'boolean', help: 'Let the tour answer the questions.' },
      pace: { type: 'string', value: 'MS', help: 'Pause after each step, in milliseconds. Default: 700.' },
      keep: { type: 'boolean', help: 'Keep the folder afterwards.' },
    },
    examples: [['baton tour', 'Takes about a minute.']],
    load: async () => (await import('../commands/tour.ts')).tour,
  },
  {
    name: 'tour-agent',
    summary: 'The scripted agent of the tour, inside its terminal.',
    hidden: true,
    options: { pace: { type: 'string', value: 'MS', help: 'Pause after each step, in milliseconds.' } },
    examples: [['baton tour-agent', 'The tour starts this in its own tmux.']],
    load: async () => (await import('../commands/tour.ts')).tourAgent,
  },
  {
    name: 'config',
    summary: 'Show the current configuration and where each value comes from.',
    positionals: [{ name: 'KEY', help: 'Show only this key, or the keys below it, such as handsoff.' }],
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
    summary: "Trust this project's .baton.yaml.",
    details:
      "A repository's file can always deny and ask. Allow rules, commands and channels in it count only after you trust the file,\nand only until it changes.",
    positionals: [{ name: 'FILE', help: "The file. Default: this project's." }],
    options: {
      list: { type: 'boolean', help: 'List the files you trust.' },
      remove: { type: 'boolean', help: 'Stop trusting it.' },
      'dry-run': { type: 'boolean', help: 'Show what would take effect, and trust nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton trust', "Trust this project's .baton.yaml as it is now."],
      ['baton trust --list', 'The files you trust.'],
    ],
    load: async () => (await import('../commands/trust.ts')).trust,
  },
]
