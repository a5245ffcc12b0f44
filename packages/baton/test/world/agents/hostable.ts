import { delimiter, dirname } from 'node:path'
import { installAgent, installProgram } from './install.ts'
import { type AgentName, protocolAdapters } from './pinned.ts'

/** What `baton chat` needs to host the pinned agent: a PATH with the program that speaks the Agent Client Protocol. */
export async function hostable(agent: AgentName): Promise<{ PATH: string; [name: string]: string }> {
  const program = await installAgent(agent)
  const path = process.env.PATH ?? '/usr/bin:/bin'
  if (agent !== 'claude-code' && agent !== 'codex') return { PATH: [dirname(program), path].join(delimiter) }
  const { runs, ...wanted } = protocolAdapters[agent]
  const adapter = await installProgram(wanted.bin, wanted, { small: true })
  return { PATH: [dirname(adapter), dirname(program), path].join(delimiter), [runs]: program }
}

export const claudeAcp = () => hostable('claude-code')
