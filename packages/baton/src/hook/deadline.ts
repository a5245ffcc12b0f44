import type { AgentProfile } from '../ports/agent.ts'

/** Long enough for a question that a person answers after a day. */
export const WAIT_SECONDS = 24 * 3600 + 60

/**
 * Seconds without a byte after which a daemon counts as hung. Not less: on a busy machine a healthy daemon takes more than a
 * second now and then.
 */
export const SILENCE_SECONDS = 3
const SILENCE_AT_STOP_SECONDS = 30

/** Seconds one hook call may take, by the agent's own name of the event. */
export function hookSeconds(agent: AgentProfile, event: string, waitSeconds: number): number {
  const point = agent.hooks.find(hook => hook.event === event)
  return point?.waits ? waitSeconds : (point?.seconds ?? 10)
}

/**
 * How long the client waits for a sign of life. A stop waits longer than other calls: the agent has nothing to do meanwhile, and
 * without an answer it would end its work.
 */
export function hookSilence(agent: AgentProfile, event: string): number {
  const isStop = agent.hooks.some(hook => hook.event === event && hook.isStop)
  return isStop ? SILENCE_AT_STOP_SECONDS : SILENCE_SECONDS
}
