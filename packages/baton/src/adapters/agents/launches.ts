import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type { AnswerLaunch, AnswerOrder, Launches } from '../../ports/launch.ts'
import { agents } from './agent-list.ts'
import { findProfile } from './profiles.ts'

/** The agents that Baton can start. */
const LAUNCHES: readonly Launches[] = agents.flatMap(({ launches }) => launches ?? [])

/** Names as people type them. */
export const LAUNCHABLE: readonly string[] = LAUNCHES.map(({ agent }) =>
  agent === 'claude-code' ? 'claude' : agent,
)

/** How an agent is started, by its name or the one people type. Throws BatonError agent_unknown. */
export function launchesOf(name: string): Launches {
  const found = LAUNCHES.find(({ agent }) => agent === findProfile(name)?.name)
  if (found) return found
  throw new BatonError('agent_unknown', `Baton cannot start an agent '${name.slice(0, 80)}'`, {
    remedy: `Name one of: ${LAUNCHABLE.join(', ')}.`,
  })
}

/** How the agents that can are started for one answer. */
export const answerLaunches = (order: AnswerOrder = {}): readonly (AnswerLaunch & { agent: AgentName })[] =>
  LAUNCHES.flatMap(({ agent, answer }) => (answer ? { agent, ...answer(order) } : []))
