import type { AgentName } from '@batonpass/contract/event'
import type { Launches } from '../../ports/launch.ts'

/** What a person types into a shell to begin a stage: the prompt is one quoted word. */
export function startCommand(
  launchesOf: (agent: string) => Launches,
  agent: AgentName,
  project: string,
  prompt: string,
): string {
  // These are begun from their own windows.
  const startable = agent === 'cursor' || agent === 'pi' ? 'claude-code' : agent
  const { program, args } = launchesOf(startable).interactive({ prompt })
  return `cd ${quoted(project)} && ${[program, ...args].map(quoted).join(' ')}`
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
