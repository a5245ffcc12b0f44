import type { AgentName } from '@batonpass/contract/event'
import type { AnswerLaunch } from '../../ports/launch.ts'
import type { Model } from '../../ports/model.ts'
import { programModel } from './agent-program.ts'
import { apiModel } from './api.ts'
import { cliModel } from './cli.ts'
import type { PrivateCalls } from './private-call.ts'

export interface Choice extends PrivateCalls {
  /** The file a program name runs, or undefined. */
  find(program: string): string | undefined
  /** How the agents are started for one answer, the preferred one first. */
  agents: readonly (AnswerLaunch & { agent: AgentName })[]
}

/** What answers questions here: who is wanted, or else the API where there is a key, else the first agent's program that is there. */
export function chooseModel(
  choice: Choice,
  wanted: 'auto' | 'api' | AgentName = 'auto',
): { by: string; model: Model } | undefined {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: baseUrl } = choice.env
  if (key && (wanted === 'auto' || wanted === 'api')) return { by: 'api', model: apiModel({ key, baseUrl }) }
  for (const { agent, ...launch } of choice.agents) {
    if (wanted !== 'auto' && wanted !== agent) continue
    const program = choice.find(launch.program)
    if (!program) continue
    // Its own choice of a model, except Claude Code's: ours are names of Claude's.
    const model = agent === 'claude-code' ? cliModel(program, choice) : programModel(program, launch, choice)
    return { by: launch.program, model }
  }
  return undefined
}
