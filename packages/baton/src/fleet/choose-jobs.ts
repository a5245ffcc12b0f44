/** A job that waits in the queue. */
export interface WaitingJob {
  id: string
  repository: string
  issue: number
  priority: number
  /** Milliseconds since the epoch. */
  addedAt: number
  notBefore: number
}

export interface FleetLoad {
  /** How many agents may work at the same time. */
  slots: number
  /** How many of them in one repository. */
  perRepository: number
  /** The repositories of the jobs that agents work on now. */
  working: readonly { repository: string }[]
  waiting: readonly WaitingJob[]
  now: number
}

/** A job gains one step of priority in this time, so that urgent ones cannot delay it forever. */
export const AGEING_MS = 10 * 60_000

/** The jobs to take now, in this order: the most urgent first, within the limits. Pure. */
export function chooseJobs({ slots, perRepository, working, waiting, now }: FleetLoad): WaitingJob[] {
  const inRepository = new Map<string, number>()
  for (const { repository } of working) inRepository.set(repository, (inRepository.get(repository) ?? 0) + 1)
  let free = slots - working.length
  const chosen: WaitingJob[] = []
  for (const job of waiting.filter(({ notBefore }) => notBefore <= now).sort(byUrgency(now))) {
    if (free <= 0) break
    const busy = inRepository.get(job.repository) ?? 0
    if (busy >= perRepository) continue
    inRepository.set(job.repository, busy + 1)
    free--
    chosen.push(job)
  }
  return chosen
}

const byUrgency = (now: number) => (a: WaitingJob, b: WaitingJob) =>
  urgency(b, now) - urgency(a, now) || a.addedAt - b.addedAt || (a.id < b.id ? -1 : 1)

const urgency = ({ priority, addedAt }: WaitingJob, now: number): number =>
  priority + Math.floor(Math.max(0, now - addedAt) / AGEING_MS)

/** The agent with the fewest jobs; of equal ones the first. */
export function chooseAgent<A extends string>(
  agents: readonly [A, ...A[]],
  working: readonly { agent: string }[],
): A {
  const jobs = (agent: string) => working.filter(each => each.agent === agent).length
  return agents.reduce((best, each) => (jobs(each) < jobs(best) ? each : best))
}
