import type { Model } from '../../ports/model.ts'
import { apiModel } from './api.ts'
import { cliModel } from './cli.ts'
import type { PrivateCalls } from './private-call.ts'

/** What answers questions here: the API where there is a key, else Claude Code's own program, else nothing. */
export function chooseModel(
  calls: PrivateCalls & {
    /** The file a program name runs, or undefined. */
    find(program: string): string | undefined
  },
): { by: 'api' | 'claude'; model: Model } | undefined {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: baseUrl } = calls.env
  if (key) return { by: 'api', model: apiModel({ key, baseUrl }) }
  const claude = calls.find('claude')
  return claude ? { by: 'claude', model: cliModel(claude, calls) } : undefined
}
