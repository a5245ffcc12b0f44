import type { Command } from './command.ts'
import { SHELLS } from './completions.ts'
import { agentCommands } from './table/agent.ts'
import { askCommands } from './table/ask.ts'
import { claimCommands } from './table/claim.ts'
import { daemonCommands } from './table/daemon.ts'
import { fleetCommands } from './table/fleet.ts'
import { handoffCommands } from './table/handoff.ts'
import { journalCommands } from './table/journal.ts'
import { permissionCommands } from './table/permission.ts'
import { proofCommands } from './table/proof.ts'
import { sessionCommands } from './table/session.ts'
import { setupCommands } from './table/setup.ts'
import { stageCommands } from './table/stage.ts'
import { workflowCommands } from './table/workflow.ts'

const completions: Command = {
  name: 'completions',
  hidden: true,
  summary: 'Print a shell completion script.',
  positionals: [{ name: 'SHELL', required: true, choices: SHELLS, help: 'Your shell.' }],
  examples: [['eval "$(baton completions bash)"', 'Enable completions in this bash.']],
  load: async () => (await import('./commands/completions.ts')).completionsOf(COMMANDS),
}

/**
 * Every command, grouped by what people want to do. Parsing, help, completions and the reference are generated from this, in
 * this order. A handler is imported only when it runs. Hidden commands are old names, and what agents call.
 */
export const COMMANDS: readonly Command[] = [
  ...under('Set up', [...setupCommands, ...pick(daemonCommands, 'up', 'down', 'pause', 'unpause')]),
  ...under('Watch', [
    ...pick(daemonCommands, 'status', 'dashboard'),
    ...pick(sessionCommands, 'ps', 'attach', 'watch', 'unwatch', 'health'),
  ]),
  ...under('Answer', askCommands),
  ...under('Permissions', [...permissionCommands, ...pick(journalCommands, 'shadow')]),
  ...under('Work', [
    ...pick(sessionCommands, 'run', 'chat', 'resume', 'kill'),
    ...pick(workflowCommands, 'stop', 'done'),
    ...claimCommands,
    ...fleetCommands,
    ...proofCommands,
    ...stageCommands,
    ...handoffCommands,
  ]),
  ...under('Look back', [
    ...pick(journalCommands, 'recap', 'logs'),
    ...pick(workflowCommands, 'history', 'sessions', 'issue', 'clean'),
    ...pick(journalCommands, 'forget'),
  ]),
  ...under('Agents and shells', [completions, ...agentCommands]),
]

function pick(commands: readonly Command[], ...names: string[]): Command[] {
  return names.flatMap(name => commands.filter(command => command.name === name))
}

function under(group: string, commands: readonly Command[]): Command[] {
  return commands.map(command => ({ ...command, group }))
}
