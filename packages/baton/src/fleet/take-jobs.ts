import type { QueuedJob } from '../ports/job-queue.ts'
import { chooseJobs, repositoryLimit } from './choose-jobs.ts'
import type { FleetView } from './fleet-view.ts'
import type { JobFollower } from './job-follower.ts'
import { jobKey, usesSlot } from './job-record.ts'
import type { FleetPorts } from './ports.ts'
import { withProject } from './reconcile.ts'

/** Takes jobs from the queue while slots, limits, quotas and the budget allow it. Returns what it waits for, if anything. */
export async function takeJobs(
  ports: FleetPorts,
  follower: JobFollower,
  view: FleetView,
): Promise<string | undefined> {
  const { slots, machine, agents, projects } = await ports.settings.read()
  // Also when no slot is free: the status says whether the database works.
  const queue = await ports.queue()
  const working = (await ports.records.all()).filter(usesSlot)
  const limits = ports.limits()
  const { exhausted, overBudget } = await ports.usage()
  const obstacles = new Set(agents.flatMap(agent => ports.obstacleTo(agent) ?? []))
  const waits = overBudget ?? ([...obstacles, ...exhaustedTexts(exhausted)].join(', ') || undefined)
  if (overBudget || working.length >= slots) return waits
  const { jobs, progress } = await view.look()
  const left = new Map(progress.map(row => [jobKey(row.data), row]))
  const alive = new Set((await view.machines()).flatMap(({ id, isAlive }) => (isAlive ? [id] : [])))
  const elsewhere = jobs.filter(({ state, data }) => state === 'active' && data.machine !== machine)
  const isForThisMachine = (job: QueuedJob) => {
    const row = left.get(jobKey(job.data))
    const holder = row?.machine
    // Its clone and its claim are on that machine, which tries again.
    const isElsewhere = holder !== undefined && holder !== machine && alive.has(holder)
    // Removed and added again: this machine forgets the first job at its next tick.
    const isLeft = holder === machine && row?.isRemoved === true
    // A machine that lacks a program would make each issue of the queue fail, one after the other.
    if (job.data.agent && ports.obstacleTo(job.data.agent)) return false
    return withProject(job, ports, projects) !== undefined && !isElsewhere && !isLeft
  }
  const chosen = chooseJobs({
    slots,
    ...limits,
    agents: agents.filter(agent => !ports.obstacleTo(agent)),
    exhausted: new Set(exhausted.keys()),
    working: working.map(({ data, agent }) => ({ ...data, agent })),
    elsewhere: elsewhere.map(({ data }) => ({ ...data, agent: data.agent ?? '' })),
    waiting: jobs
      .filter(job => job.state === 'waiting' && isForThisMachine(job))
      .map(({ id, data, addedAt, notBefore }) => ({ ...data, id, addedAt, notBefore })),
    now: ports.clock.now(),
  })
  for (const { id, repository, agent } of chosen) {
    // A person may have stopped or paused the fleet meanwhile.
    if ((await ports.settings.read()).mode !== 'up') return waits
    const job = await queue.take(id, machine, repositoryLimit(repository, limits))
    const own = job && withProject(job, ports, projects)
    if (own) await follower.follow(await follower.begin(own, agents, agent, left.get(jobKey(own.data))))
  }
  return waits
}

const exhaustedTexts = (exhausted: ReadonlyMap<string, number>): string[] =>
  [...exhausted].map(
    ([agent, until]) => `${agent} has no quota until ${new Date(until).toISOString().slice(0, 16)}Z`,
  )
