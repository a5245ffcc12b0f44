import type { AgentName } from '@batonpass/contract/event'
import type { Launches } from '../../ports/launch.ts'

/** The shell command that a person can run to start a stage; the prompt is one quoted argument. */
export function startCommand(
  launchesOf: (agent: string) => Launches,
  agent: AgentName,
  project: string,
  prompt: string,
): string {
  // Cursor and pi cannot be started with a prompt from a shell.
  const startable = agent === 'cursor' || agent === 'pi' ? 'claude-code' : agent
  const { program, args } = launchesOf(startable).interactive({ prompt })
  return `cd ${quoted(project)} && ${[program, ...args].map(quoted).join(' ')}`
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
