import { chooseJobs } from './choose-jobs.ts'
import { type JobRecord, usesSlot } from './job-record.ts'
import type { FleetPorts } from './ports.ts'

/**
 * Why no agent may start now for news about an open pull request; undefined if one may. The same counts as for a new issue: the
 * mode, the slots and limits of this machine, the budget, the quota of its agent and its program.
 */
export async function obstacleToReviewStart(
  ports: FleetPorts,
  { agent, data, job, takenAt }: JobRecord,
): Promise<string | undefined> {
  const { mode, slots } = await ports.settings.read()
  if (mode !== 'up') return `There is news about its pull request, but the fleet is ${mode}`
  const { exhausted, overBudget } = await ports.usage()
  const missing = overBudget ?? ports.obstacleTo(agent)
  if (missing) return `There is news about its pull request, but ${missing}`
  const working = (await ports.records.all()).filter(usesSlot)
  const chosen = chooseJobs({
    slots,
    ...ports.limits(),
    agents: [agent],
    exhausted: new Set(exhausted.keys()),
    working: working.map(record => ({ ...record.data, agent: record.agent })),
    waiting: [{ ...data, agent, id: job, addedAt: takenAt, notBefore: 0 }],
    now: ports.clock.now(),
  })
  if (chosen.length > 0) return undefined
  return `There is news about its pull request, which waits for ${exhausted.has(agent) ? `the quota of ${agent}` : 'a free slot'}`
}
