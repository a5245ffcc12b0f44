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
]
