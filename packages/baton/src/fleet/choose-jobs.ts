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
  /** What agents of other machines work on: it uses no slot here, but counts for the limits. */
  elsewhere?: readonly Work[]
  waiting: readonly WaitingJob[]
  now: number
}

/** A job gains one step of priority in this time, so that urgent ones cannot delay it forever. */
export const AGEING_MS = 10 * 60_000

/** The jobs to take now, in this order: the most urgent first, within the limits. Pure. */
export const chooseJobs = (load: FleetLoad): ChosenJob[] =>
  chooseInOrder({ ...load, waiting: [...load.waiting].sort(byUrgency) })

/** The same for jobs that are in the order of their urgency already, which does not change as time passes. */
export function chooseInOrder(load: FleetLoad): ChosenJob[] {
  const { slots, agents, exhausted, working, waiting, now } = load
  const chosen: ChosenJob[] = []
  let free = slots - working.length
  if (free <= 0) return chosen
  const counts = new Counts(load)
  for (const job of waiting) {
    if (free <= 0) break
    if (job.notBefore > now) continue
    if (!counts.hasRoom(job)) continue
    const able = (job.agent === undefined ? agents : [job.agent]).filter(
      agent => !exhausted?.has(agent) && counts.hasAgent(agent),
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
  readonly #repositories = new Map<string, number>()
  /** By `agent:NAME` and `label:NAME`. */
  readonly #others = new Map<string, number>()

  constructor(load: FleetLoad) {
    this.#load = load
    for (const work of load.working) this.add(work)
    for (const work of load.elsewhere ?? []) this.#count(work)
  }

  add(work: Work): void {
    this.works.push(work)
    this.#count(work)
  }

  #count({ repository, agent, labels }: Work): void {
    increase(this.#repositories, repository)
    increase(this.#others, `agent:${agent}`)
    for (const label of labelKeys(labels)) increase(this.#others, label)
  }

  /** Whether the limits of its repository and labels leave room for a job. */
  hasRoom({ repository, labels }: Pick<WaitingJob, 'repository' | 'labels'>): boolean {
    const count = this.#repositories.get(repository) ?? 0
    if (count >= repositoryLimit(repository, this.#load)) return false
    return !labels?.length || labelKeys(labels).every(label => this.#isFree(label))
  }

  hasAgent(agent: string): boolean {
    return this.#isFree(`agent:${agent}`)
  }

  #isFree(key: string): boolean {
    return (this.#others.get(key) ?? 0) < (this.#load.limits?.[key] ?? Number.POSITIVE_INFINITY)
  }
}

const increase = (counts: Map<string, number>, key: string): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1)

const labelKeys = (labels: readonly string[] = []): string[] => [
  ...new Set(labels.map(label => `label:${label.toLowerCase()}`)),
]

/** Sorts the most urgent job first. */
export const byUrgency = (a: WaitingJob, b: WaitingJob): number =>
  urgency(b) - urgency(a) || a.addedAt - b.addedAt || (a.id < b.id ? -1 : 1)

const urgency = ({ priority, addedAt }: WaitingJob): number => priority * AGEING_MS - addedAt

/** The agent with the fewest jobs; of equal ones the first. */
export function chooseAgent<A extends string>(
  agents: readonly [A, ...A[]],
  working: readonly { agent: string }[],
): A {
  const jobs = (agent: string) => working.filter(each => each.agent === agent).length
  return agents.reduce((best, each) => (jobs(each) < jobs(best) ? each : best))
}
