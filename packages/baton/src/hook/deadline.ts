import type { AgentProfile } from '../ports/agent.ts'

/** Long enough for a question that a person answers after a day. */
export const WAIT_SECONDS = 24 * 3600 + 60

/** Seconds one hook call may take, by the agent's own name of the event. */
export function hookSeconds(agent: AgentProfile, event: string, waitSeconds: number): number {
  const point = agent.hooks.find(hook => hook.event === event)
  return point?.waits ? waitSeconds : (point?.seconds ?? 10)
}
