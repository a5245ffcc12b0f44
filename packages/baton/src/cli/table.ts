import type { Command } from './command.ts'
import { SHELLS } from './completions.ts'
import { agentCommands } from './table/agent.ts'
import { askCommands } from './table/ask.ts'
import { claimCommands } from './table/claim.ts'
import { daemonCommands } from './table/daemon.ts'
import { handoffCommands } from './table/handoff.ts'
import { journalCommands } from './table/journal.ts'
import { permissionCommands } from './table/permission.ts'
import { sessionCommands } from './table/session.ts'
import { setupCommands } from './table/setup.ts'
import { stageCommands } from './table/stage.ts'
import { workflowCommands } from './table/workflow.ts'

const completions: Command = {
  name: 'completions',
  summary: 'Print a shell completion script.',
  positionals: [{ name: 'SHELL', required: true, choices: SHELLS, help: 'Your shell.' }],
  examples: [['eval "$(baton completions bash)"', 'Completions in this bash.']],
  load: async () => (await import('./commands/completions.ts')).completionsOf(COMMANDS),
}

/**
 * Every command: parsing, help, completions and the reference are made from this, in this order.
 * A new one goes into the file of its group; its handler is imported only when it runs.
 */
export const COMMANDS: readonly Command[] = [
  ...under('Set up', setupCommands),
  ...under('The daemon', daemonCommands),
  ...under('Sessions', sessionCommands),
  ...under('Questions to you', askCommands),
  ...under('What agents may run', permissionCommands),
  ...under('Hands-off work', workflowCommands),
  ...under('Issues and pull requests', claimCommands),
  ...under('Handoffs', handoffCommands),
  ...under('Staged work', stageCommands),
  ...under('Looking back', journalCommands),
  ...under('For shells and agents', [completions, ...agentCommands]),
]

function under(group: string, commands: readonly Command[]): Command[] {
  return commands.map(command => ({ ...command, group }))
}
