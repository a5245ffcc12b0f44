/** A job that waits in the queue. */
export interface WaitingJob {
  id: string
  repository: string
  issue: number
  priority: number
  /** Milliseconds since the epoch. */
  addedAt: number
  notBefore: number
  labels?: readonly string[] | undefined
  /** The agent that a person chose for it. */
  agent?: string | undefined
}

/** A job with the agent that works on it. */
export type ChosenJob = WaitingJob & { agent: string }
type Work = Pick<ChosenJob, 'repository' | 'agent' | 'labels'>

export interface FleetLoad {
  /** How many agents may work at the same time. */
  slots: number
  /** How many of them in one repository, unless `limits` says something else about it. */
  perRepository: number
  /** How many of them at most: `label:NAME`, `agent:NAME` or `repository:HOST/OWNER/NAME`. */
  limits?: Readonly<Record<string, number>>
  /** The fleet's agents; the first is preferred. */
  agents: readonly string[]
  /** Agents that have no quota left at the moment. */
  exhausted?: ReadonlySet<string>
  /** What agents work on now. */
  working: readonly Work[]
  waiting: readonly WaitingJob[]
  now: number
}

/** A job gains one step of priority in this time, so that urgent ones cannot delay it forever. */
export const AGEING_MS = 10 * 60_000

/** The jobs to take now, in this order: the most urgent first, within the limits. Pure. */
export function chooseJobs(load: FleetLoad): ChosenJob[] {
  const { slots, agents, exhausted, working, waiting, now } = load
  const chosen: ChosenJob[] = []
  let free = slots - working.length
  if (free <= 0) return chosen
  const counts = new Counts(load)
  for (const job of waiting.filter(({ notBefore }) => notBefore <= now).sort(byUrgency(now))) {
    if (free <= 0) break
    const able = (job.agent === undefined ? agents : [job.agent]).filter(
      agent => !exhausted?.has(agent) && counts.hasRoom({ ...job, agent }),
    )
    const [first, ...rest] = able
    if (first === undefined) continue
    const next = { ...job, agent: chooseAgent([first, ...rest], counts.works) }
    counts.add(next)
    chosen.push(next)
    free--
  }
  return chosen
}

/** How many agents may work in a repository. */
export const repositoryLimit = (
  repository: string,
  { limits, perRepository }: Pick<FleetLoad, 'limits' | 'perRepository'>,
): number => limits?.[`repository:${repository}`] ?? perRepository

/** Counts work by everything that can be limited. */
class Counts {
  readonly works: Work[] = []
  readonly #load: FleetLoad
  readonly #counts = new Map<string, number>()

  constructor(load: FleetLoad) {
    this.#load = load
    for (const work of load.working) this.add(work)
  }

  add(work: Work): void {
    this.works.push(work)
    for (const key of keysOf(work)) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  hasRoom(work: Work): boolean {
    return keysOf(work).every(key => (this.#counts.get(key) ?? 0) < this.#limitOf(key, work))
  }

  #limitOf(key: string, { repository }: Work): number {
    if (key === `repository:${repository}`) return repositoryLimit(repository, this.#load)
    return this.#load.limits?.[key] ?? Number.POSITIVE_INFINITY
  }
}

const keysOf = ({ repository, agent, labels = [] }: Work): string[] => [
  `repository:${repository}`,
  `agent:${agent}`,
  ...new Set(labels.map(label => `label:${label.toLowerCase()}`)),
]

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
