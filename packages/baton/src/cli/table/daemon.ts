import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** The one process that writes state, and looking at it. */
export const daemonCommands: readonly Command[] = [
  {
    name: 'up',
    summary: 'Start the daemon.',
    details:
      'The first hook of an agent starts it, too. A daemon of another version is drained and hands over.',
    options: {
      foreground: { type: 'boolean', help: 'Stay in this terminal until Ctrl-C.' },
      restart: { type: 'boolean', help: 'Replace a running daemon of the same version, too.' },
      ...JSON_OPTION,
    },
    examples: [['baton up', 'Start it and print where it listens.']],
    load: async () => (await import('../commands/up.ts')).up,
  },
  {
    name: 'down',
    summary: 'Stop the daemon.',
    options: { force: { type: 'boolean', help: 'End a daemon that does not answer.' } },
    examples: [['baton down', 'Let it finish what is under way and stop.']],
    load: async () => (await import('../commands/down.ts')).down,
  },
  {
    name: 'status',
    summary: 'Show the daemon, its sessions and where the work here stands.',
    positionals: [{ name: 'WORK', help: 'Only this work item: its Work ID.' }],
    options: { all: { type: 'boolean', short: 'a', help: 'Sessions that have ended, too.' }, ...JSON_OPTION },
    examples: [
      ['baton status', 'Live sessions.'],
      ['baton status auth-system', 'Where that work stands, and what to type next.'],
      ['baton status --all --json', 'Every session Baton knows, for a script.'],
    ],
    load: async () => (await import('../commands/status.ts')).status,
  },
  {
    name: 'dashboard',
    summary: 'Print a link that opens the dashboard in your browser.',
    details:
      'The link lets one browser in, once, within ten minutes; the browser then stays logged in for 30 days. The same link lets\nVS Code answer. Baton prints it only at a terminal that no agent started.',
    options: {
      open: { type: 'boolean', help: 'Open it in the browser, too.' },
      logout: { type: 'boolean', help: 'Log every browser and editor out instead.' },
      ...JSON_OPTION,
    },
    examples: [['baton dashboard --open', 'See what the agents do, and answer what they ask.']],
    load: async () => (await import('../commands/dashboard.ts')).dashboard,
  },
]
