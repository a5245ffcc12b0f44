import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** The one process that writes state, and views of it. */
export const daemonCommands: readonly Command[] = [
  {
    name: 'pause',
    summary: 'Make Baton stand aside: here, in one session, or everywhere.',
    details:
      "While it is paused, Baton decides, continues, hands off, pushes and closes nothing there: the agent's own rules apply. It still\nrecords what happens, and keeps claims from running out. `baton unpause` ends it; a restart does not. Only a person can pause.",
    positionals: [
      {
        name: 'WHERE',
        help: '`project` (this one; the default), `machine`, or a session: its id, or the start of it.',
      },
    ],
    options: JSON_OPTION,
    examples: [
      ['baton pause', 'Stand aside in this project.'],
      ['baton pause machine', 'Stand aside everywhere on this machine.'],
    ],
    load: async () => (await import('../commands/pause.ts')).pause,
  },
  {
    name: 'unpause',
    hidden: true,
    summary: 'End pauses: all of them, or one.',
    positionals: [{ name: 'WHERE', help: '`project`, `machine`, or a session. Default: all pauses.' }],
    options: JSON_OPTION,
    examples: [['baton unpause', 'Baton decides and continues again.']],
    load: async () => (await import('../commands/pause.ts')).unpause,
  },
  {
    name: 'up',
    summary: 'Start the daemon.',
    details:
      'The first hook of an agent also starts it. A daemon of another version finishes its work and hands over.',
    options: {
      foreground: { type: 'boolean', help: 'Run in this terminal until Ctrl-C.' },
      restart: { type: 'boolean', help: 'Also replace a running daemon of the same version.' },
      ...JSON_OPTION,
    },
    examples: [['baton up', 'Start the daemon and print its address.']],
    load: async () => (await import('../commands/up.ts')).up,
  },
  {
    name: 'down',
    summary: 'Stop the daemon.',
    options: { force: { type: 'boolean', help: 'Kill a daemon that does not answer.' } },
    examples: [['baton down', 'Let it finish its current work, then stop.']],
    load: async () => (await import('../commands/down.ts')).down,
  },
  {
    name: 'status',
    summary: 'Show the daemon, its sessions and the work in this project.',
    positionals: [{ name: 'WORK', help: 'Show only this work item: its Work ID.' }],
    options: {
      all: { type: 'boolean', short: 'a', help: 'Include sessions that have ended.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton status', 'Live sessions.'],
      ['baton status auth-system', 'The state of that work item, and what to type next.'],
      ['baton status --all --json', 'Every session Baton knows, for a script.'],
    ],
    load: async () => (await import('../commands/status.ts')).status,
  },
  {
    name: 'dashboard',
    summary: 'Print a link that opens the dashboard in your browser.',
    details:
      'The link logs one browser in, once, within ten minutes; the browser then stays logged in for 30 days. The same link lets\nVS Code answer. Baton prints it only in a terminal that no agent started.',
    options: {
      open: { type: 'boolean', help: 'Also open it in the browser.' },
      logout: { type: 'boolean', help: 'Log out every browser and editor instead.' },
      ...JSON_OPTION,
    },
    examples: [['baton dashboard --open', 'See what the agents do, and answer their questions.']],
    load: async () => (await import('../commands/dashboard.ts')).dashboard,
  },
]
