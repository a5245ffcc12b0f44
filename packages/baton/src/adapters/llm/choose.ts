import type { Launch } from '../../ports/launch.ts'
import type { Model } from '../../ports/model.ts'
import { programModel } from './agent-program.ts'
import { apiModel } from './api.ts'
import { cliModel } from './cli.ts'
import type { PrivateCalls } from './private-call.ts'

/** What answers questions here: the API where there is a key, else Claude Code's own program, else another agent's, else nothing. */
export function chooseModel(
  calls: PrivateCalls & {
    /** The file a program name runs, or undefined. */
    find(program: string): string | undefined
    /** How the other agents are started for one answer, the preferred one first. */
    others?: readonly Launch[]
  },
): { by: string; model: Model } | undefined {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: baseUrl } = calls.env
  if (key) return { by: 'api', model: apiModel({ key, baseUrl }) }
  const claude = calls.find('claude')
  if (claude) return { by: 'claude', model: cliModel(claude, calls) }
  for (const launch of calls.others ?? []) {
    const program = calls.find(launch.program)
    // Its own choice of a model: ours are names of Claude's.
    if (program) return { by: launch.program, model: programModel(program, launch, calls) }
  }
  return undefined
}
