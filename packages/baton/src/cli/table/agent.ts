import { profiles } from '../../adapters/agents/profile-list.ts'
import type { Command } from '../command.ts'

/** Commands that agents and scripts call; the overview lists them in one line. */
export const agentCommands: readonly Command[] = [
  {
    name: 'hook',
    hidden: true,
    summary: 'Answer one hook call of an agent.',
    details:
      "Reads the JSON of one hook from stdin and prints the answer in that agent's format. Always exits with 0 and valid JSON.",
    positionals: [
      {
        name: 'AGENT',
        required: true,
        help: `The agent that calls: ${profiles.map(({ name }) => name).join(', ')}.`,
      },
      { name: 'EVENT', help: "The agent's own name for the event. Default: read from the JSON." },
    ],
    options: {
      source: {
        type: 'string',
        value: 'SOURCE',
        choices: ['plugin', 'user', 'project', 'local', 'manual'],
        help: 'Which installation of the hooks made the call.',
      },
      inline: {
        type: 'boolean',
        help: 'Run the engine in this process, where no daemon can run.',
      },
      retry: { type: 'boolean', help: 'Repeat a call whose answer was lost.' },
      'state-dir': {
        type: 'string',
        value: 'FOLDER',
        help: 'The state folder, if the environment does not name it.',
      },
    },
    insteadOfFailing: '{}',
    examples: [['baton hook claude < event.json', 'Ask the daemon what to answer to this event.']],
    load: async () => (await import('../commands/hook.ts')).hook,
  },
  {
    name: 'request',
    hidden: true,
    summary: 'Ask the user to open a host, a port or a path to commands in the sandbox.',
    details:
      'For agents: run it in the sandbox. It waits until the user has answered, and exits with 0 if commands may use it now. The\nuser is asked once, and chooses: for 10 minutes, for the session, for the project, or no.',
    positionals: [
      { name: 'KIND', required: true, choices: ['host', 'port', 'path'], help: 'What it is.' },
      {
        name: 'NAME',
        required: true,
        help: 'A host (api.example.com, http://api.example.com:8080), a port of this machine, or an absolute path.',
      },
    ],
    options: {
      methods: {
        type: 'string',
        value: 'METHODS',
        help: 'For a host: HTTP methods in addition to reads, such as GET,POST.',
      },
    },
    examples: [
      ['baton request host api.example.com', 'Ask whether commands may read from this host.'],
      ['baton request port 5432', 'Ask whether commands may connect to the database of this machine.'],
    ],
    load: async () => (await import('../commands/request.ts')).request,
  },
]
