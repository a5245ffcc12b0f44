import { deadFrom, readClock } from '../../packages/baton/src/adapters/git/lease.ts'
import { byUrgency, chooseInOrder, type WaitingJob } from '../../packages/baton/src/fleet/choose-jobs.ts'
import { JobRecord, type MergeRecord } from '../../packages/baton/src/fleet/job-record.ts'
import { chooseMerges, type MergeCandidate } from '../../packages/baton/src/fleet/merge-steps.ts'
import { type JobFacts, nextJobStep } from '../../packages/baton/src/fleet/next-step.ts'
import { Heap, insertSorted, randomFrom } from './parts.ts'

export interface Size {
  machines: number
  /** Agents that may work at the same time on each machine. */
  slots: number
  issues: number
  repositories: number
  perRepository: number
  seed: number
}

export interface Figures {
  merged: number
  parked: number
  /** Issues that were merged more than once, or are neither merged nor parked. Must be 0. */
  wrong: number
  /** Times at which a limit was exceeded. Must be 0. */
  overLimit: number
  /** Leases of machines that work, which another machine took for dead. Must be 0. */
  takenFromLiving: number
  takeovers: number
  /** Agents of machines that woke up after their lease was taken over: they do nothing outside. */
  fenced: number
  sentBack: number
  decisions: number
  virtualHours: number
  /** The part of all slots that was in use until the queue was empty. */
  busy: number
  leadHours: { median: number; p95: number; max: number }
}

const MINUTE = 60_000
const TICK_MS = 60_000
const LEASE_MS = 60 * MINUTE
/** Two clocks differ by less than the margin of a lease (15 minutes). */
const MAX_SKEW_MS = 7 * MINUTE
/** The part of agents' pull requests that conflict, in AgenticFlict (107,000 pull requests). */
const CONFLICTS = 0.2767

interface Issue extends WaitingJob {
  state: 'waiting' | 'working' | 'review' | 'merged' | 'parked'
  failures: number
  merges: number
  /** Grows with each holder, as the token of a lease does. */
  token: number
  machine: Machine | undefined
  startedAt: number
  agent: string
}

interface Machine {
  id: number
  skewMs: number
  /** How long ago its leases were renewed. That is due after a third of their time, but the network may be away for a while. */
  phaseMs: number
  /** While it sleeps or is gone, it renews nothing. */
  silentSince: number | undefined
  works: Set<Issue>
}

interface Lane {
  version: number
  candidates: { issue: Issue; candidate: MergeCandidate; builtOn: number }[]
}

/**
 * A fleet in virtual time: machines that die or sleep past their leases, agents that fail, branches that conflict. What
 * decides is Baton's own code: which job is next, what happens to a job, when a lease is dead, whose merge is next.
 */
export function simulate({
  machines: count,
  slots,
  issues,
  repositories,
  perRepository,
  seed,
}: Size): Figures {
  const random = randomFrom(seed)
  const between = (low: number, high: number) => low + random() * (high - low)
  const events = new Heap<() => void>()
  const after = (ms: number, act: () => void) => events.push(now + ms, act)
  const figures = { takenFromLiving: 0, takeovers: 0, fenced: 0, sentBack: 0, decisions: 0, overLimit: 0 }
  const lanes = new Map<string, Lane>()
  const leads: number[] = []
  const active = new Set<Issue>()
  const waiting: Issue[] = []
  let now = 0
  let open = issues
  let usedMs = 0
  let drainedAt = 0

  const all = Array.from({ length: issues }, (_, at): Issue => {
    // A few repositories have most of the issues.
    const repository = `h/o/r${Math.floor(repositories * random() ** 1.3)}`
    return {
      ...{ id: `job-${at}`, repository, issue: at + 1, priority: Math.round(between(-5, 5)) },
      ...{ addedAt: Math.round(random() * 24 * 60) * MINUTE, notBefore: 0, state: 'waiting', failures: 0 },
      ...{ merges: 0, token: 0, machine: undefined, startedAt: 0, agent: 'claude-code' },
    }
  })
  for (const issue of all) events.push(issue.addedAt, () => insertSorted(waiting, issue, byUrgency))
  const machines = Array.from({ length: count }, (_, id): Machine => {
    const skewMs = between(-MAX_SKEW_MS, MAX_SKEW_MS)
    return { id, skewMs, phaseMs: between(0, LEASE_MS), silentSince: undefined, works: new Set() }
  })
  for (const machine of machines) events.push(between(1, 48) * 60 * MINUTE, () => falls(machine))
  after(TICK_MS, tick)
  after(5 * MINUTE, sweep)

  for (let next = events.pop(); next && open > 0; next = events.pop()) {
    now = next.at
    next.item()
  }

  /** Every machine with a free slot takes what it may. */
  function tick(): void {
    usedMs += active.size * TICK_MS
    if (waiting.length > 0) drainedAt = now
    for (const machine of machines) {
      if (machine.silentSince !== undefined || machine.works.size >= slots || waiting.length === 0) continue
      figures.decisions++
      const working = [...machine.works]
      const elsewhere = [...active].filter(issue => issue.machine !== machine)
      const load = { slots, perRepository, agents: ['claude-code'], working, elsewhere, waiting, now }
      const chosen = chooseInOrder(load)
      for (const { id } of chosen) begin(machine, id)
      // The limits are the same for all machines.
      if (chosen.length === 0) break
    }
    if (open > 0) after(TICK_MS, tick)
  }

  function begin(machine: Machine, id: string): void {
    const at = waiting.findIndex(issue => issue.id === id)
    const [issue] = waiting.splice(at, 1)
    if (!issue) return
    issue.token++
    Object.assign(issue, { state: 'working', machine, startedAt: now })
    machine.works.add(issue)
    active.add(issue)
    const inRepository = [...active].filter(({ repository }) => repository === issue.repository).length
    if (inRepository > perRepository || machine.works.size > slots) figures.overLimit++
    works(issue, issue.token, Math.exp(between(2.5, 4.5)) * MINUTE)
  }

  function works(issue: Issue, token: number, ms: number): void {
    after(ms, () => {
      const { machine } = issue
      if (issue.token !== token || !machine) return
      // While the machine sleeps its agents do, too; falls() lets them continue, or fences them.
      if (machine.silentSince === undefined) ends(issue)
    })
  }

  /** The agent hands off, or fails. */
  function ends(issue: Issue): void {
    const luck = random()
    const claim = { phase: 'coding', isLost: false }
    const pull = { number: issue.issue, url: 'u', state: 'open' as const }
    const facts: JobFacts =
      luck < 0.9
        ? { agent: 'alive', claim: { ...claim, phase: 'pr_created', pull } }
        : luck < 0.95
          ? { agent: 'gone', claim }
          : { agent: 'alive', claim, runEnd: { kind: 'capped', reason: 'the limit', at: now } }
    const step = nextJobStep(recordOf(issue), facts, now)
    leave(issue)
    if (step.do === 'opened') review(issue)
    else if (step.do !== 'fail') throw new Error(`unexpected step ${step.do}`)
    else if (++issue.failures < 2) wait(issue, 5000)
    else {
      issue.state = 'parked'
      open--
    }
  }

  function leave(issue: Issue): void {
    issue.machine?.works.delete(issue)
    issue.machine = undefined
    active.delete(issue)
  }

  function wait(issue: Issue, ms: number): void {
    issue.state = 'waiting'
    issue.notBefore = now + ms
    insertSorted(waiting, issue, byUrgency)
  }

  /** A machine dies, or sleeps for a while; another one appears in the place of a dead one. */
  function falls(machine: Machine): void {
    machine.silentSince = now
    const isGone = random() < 0.3
    after(between(10, 300) * MINUTE, () => {
      for (const issue of [...machine.works]) {
        machine.works.delete(issue)
        if (issue.machine !== machine) figures.fenced++
        else if (!isGone) {
          machine.works.add(issue)
          works(issue, issue.token, between(1, 20) * MINUTE)
        } else machine.works.add(issue)
      }
      // What a dead machine held waits for its lease; the new one starts empty.
      if (isGone) machines[machine.id] = { ...machine, silentSince: undefined, works: new Set() }
      else machine.silentSince = undefined
      const next = machines[machine.id]
      if (next) after(between(1, 48) * 60 * MINUTE, () => falls(next))
    })
  }

  /** Another machine looks for leases that are dead by its own clock. */
  function sweep(): void {
    const looks = machines.find(({ silentSince }) => silentSince === undefined)
    if (looks)
      for (const issue of [...active]) {
        const { machine } = issue
        if (!machine) continue
        const renewedAt = (machine.silentSince ?? now) + machine.skewMs - machine.phaseMs
        const reader = readClock(now + looks.skewMs, undefined)
        if (deadFrom({ until: renewedAt + LEASE_MS, by: 'machine' }, reader.by) >= reader.now) continue
        if (machine.silentSince === undefined) figures.takenFromLiving++
        figures.takeovers++
        active.delete(issue)
        issue.machine = undefined
        issue.token++
        wait(issue, 0)
      }
    if (open > 0) after(5 * MINUTE, sweep)
  }

  function review(issue: Issue): void {
    issue.state = 'review'
    const lane = lanes.get(issue.repository) ?? { version: 0, candidates: [] }
    lanes.set(issue.repository, lane)
    const { repository, issue: number } = issue
    const record: MergeRecord = {
      ...{ version: 1, data: { repository, issue: number, project: '/p' }, pull: number, base: 'main' },
      ...{ since: now, lineage: ['head'], notBefore: 0 },
    }
    const seen: MergeCandidate['seen'] = {
      ...{ head: 'head', base: 'main', isDraft: false, verdict: 'passed', approvedCommits: [] },
    }
    const candidate: MergeCandidate = { record, seen, review: 'none', hasConflict: false, policy: 'proven' }
    lane.candidates.push({ issue, candidate, builtOn: lane.version })
    mergeNext(lane)
  }

  function mergeNext(lane: Lane): void {
    const [chosen] = chooseMerges(
      lane.candidates.map(({ candidate }) => candidate),
      now,
    )
    const turn = lane.candidates.find(({ candidate }) => candidate === chosen)
    if (!turn) return
    const { record } = turn.candidate
    record.attempt = { via: 'baton', head: turn.candidate.seen.head, startedAt: now, hasChecks: true }
    after(between(3, 12) * MINUTE, () => {
      record.attempt = undefined
      const isBehind = turn.builtOn < lane.version
      // Half of the conflicts are solved by rerere or a structural merge.
      if (isBehind && random() < CONFLICTS / 2) sendBack(lane, turn)
      else merged(lane, turn)
      mergeNext(lane)
    })
  }

  function sendBack(lane: Lane, turn: Lane['candidates'][number]): void {
    const { candidate } = turn
    figures.sentBack++
    const { head } = candidate.seen
    candidate.record.sentBack = { head, at: now, count: (candidate.record.sentBack?.count ?? 0) + 1 }
    after(between(5, 40) * MINUTE, () => {
      candidate.seen = { ...candidate.seen, head: `${head}'` }
      candidate.record.lineage = [`${head}'`]
      turn.builtOn = lane.version
      mergeNext(lane)
    })
  }

  function merged(lane: Lane, turn: Lane['candidates'][number]): void {
    lane.version++
    lane.candidates.splice(lane.candidates.indexOf(turn), 1)
    turn.issue.merges++
    turn.issue.state = 'merged'
    leads.push(now - turn.issue.addedAt)
    open--
  }

  leads.sort((a, b) => a - b)
  const hours = (part: number) => (leads[Math.floor((leads.length - 1) * part)] ?? 0) / 3_600_000
  return {
    ...figures,
    merged: all.filter(({ state }) => state === 'merged').length,
    parked: all.filter(({ state }) => state === 'parked').length,
    wrong: all.filter(
      ({ state, merges }) => (state !== 'merged' || merges !== 1) && (state !== 'parked' || merges !== 0),
    ).length,
    virtualHours: now / 3_600_000,
    busy: usedMs / (Math.max(drainedAt, 1) * count * slots),
    leadHours: { median: hours(0.5), p95: hours(0.95), max: hours(1) },
  }
}

const recordOf = ({ id, repository, issue, priority, agent, startedAt }: Issue): JobRecord =>
  JobRecord.parse({
    ...{ version: 1, job: id, data: { repository, project: '/p', issue, priority }, agent },
    ...{ clone: '/c', objects: '/o', stage: 'working', takenAt: startedAt, startedAt },
  })
