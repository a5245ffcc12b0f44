import { profiles } from '../../adapters/agents/profile-list.ts'
import type { Command } from '../command.ts'

/** What agents and scripts call. */
export const agentCommands: readonly Command[] = [
  {
    name: 'hook',
    summary: 'Answer one hook call of an agent (for agents and scripts).',
    details:
      "Reads the JSON of one hook on stdin and writes the answer in that agent's form. Always exits 0 with valid JSON.",
    positionals: [
      {
        name: 'AGENT',
        required: true,
        help: `The agent that calls: ${profiles.map(({ name }) => name).join(', ')}.`,
      },
      { name: 'EVENT', help: "The agent's own name of the event; read from the JSON when left out." },
    ],
    options: {
      source: {
        type: 'string',
        value: 'SOURCE',
        choices: ['plugin', 'user', 'project', 'local', 'manual'],
        help: 'Which installation of the hooks calls.',
      },
      inline: {
        type: 'boolean',
        help: 'Run the engine in this process, for places where no daemon can run.',
      },
      retry: { type: 'boolean', help: 'The call was made before and its answer was lost.' },
      'state-dir': {
        type: 'string',
        value: 'FOLDER',
        help: 'The state folder, where the environment does not say.',
      },
    },
    insteadOfFailing: '{}',
    examples: [['baton hook claude < event.json', 'Ask the daemon what to answer to this event.']],
    load: async () => (await import('../commands/hook.ts')).hook,
  },
]
