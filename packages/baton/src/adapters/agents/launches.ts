import { BatonError } from '@batonpass/contract/errors'
import type { Launches } from '../../ports/launch.ts'
import { launches as claudeCode } from './claude-code/launch.ts'
import { launches as codex } from './codex/launch.ts'
import { launches as copilot } from './copilot/launch.ts'
import { launches as gemini } from './gemini/launch.ts'
import { launches as opencode } from './opencode/launch.ts'

/** The agents that Baton can start. */
const LAUNCHES: readonly Launches[] = [claudeCode, codex, opencode, gemini, copilot]

/** Names as people type them. */
export const LAUNCHABLE: readonly string[] = LAUNCHES.map(({ agent }) =>
  agent === 'claude-code' ? 'claude' : agent,
)

/** How an agent is started, by its name or the one people type. Throws BatonError agent_unknown. */
export function launchesOf(name: string): Launches {
  const found = LAUNCHES.find(({ agent }) => agent === (name === 'claude' ? 'claude-code' : name))
  if (found) return found
  throw new BatonError('agent_unknown', `Baton cannot start an agent '${name.slice(0, 80)}'`, {
    remedy: `Name one of: ${LAUNCHABLE.join(', ')}.`,
  })
}
