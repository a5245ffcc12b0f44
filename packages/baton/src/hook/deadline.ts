import type { AgentProfile } from '../ports/agent.ts'

/** Long enough for an ask that a person answers after two hours, the most that can be configured. */
export const WAIT_SECONDS = 7260

/** Seconds one hook call may take, by the agent's own name of the event. */
export function hookSeconds(agent: AgentProfile, event: string, waitSeconds: number): number {
  const point = agent.hooks.find(hook => hook.event === event)
  return point?.waits ? waitSeconds : (point?.seconds ?? 10)
}
