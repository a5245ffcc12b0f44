import { launchesOf } from '../adapters/agents/launches.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Claims } from '../claim/claims.ts'
import type { JobRecord } from '../fleet/job-record.ts'
import type { JobFacts } from '../fleet/next-step.ts'
import type { FleetPorts } from '../fleet/ports.ts'
import { checkBudget, dayOf, spentOn } from '../work/workflows/budget.ts'
import { filedRuns } from '../work/workflows/run.ts'
import type { ForgeKeeper } from './forge.ts'
import type { Ground } from './ground.ts'
import type { Sessions } from './sessions.ts'

/** The states of a session that has ended. */
const OVER: ReadonlySet<string> = new Set(['dead', 'gone', 'ended'])

/** What the rest of Baton knows about jobs, and what this machine may use for them. */
export function fleetFacts(
  ground: Ground,
  { claims, forges, sessions }: { claims: Claims; forges: ForgeKeeper; sessions: Sessions },
): Pick<FleetPorts, 'factsOf' | 'limits' | 'usage' | 'dayBudget'> {
  const { stateDir, local } = ground
  const runs = filedRuns(systemSmallFiles, stateDir)
  return {
    async factsOf({ clone, terminal, pull, data }: JobRecord): Promise<JobFacts> {
      const [record, ps, all] = await Promise.all([claims.at(clone), sessions.ps(), runs.all()])
      const view = record && (await claims.list()).find(({ id }) => id === record.id)
      const here = ps.filter(
        row => row.project === clone || (terminal !== undefined && row.title === terminal),
      )
      const isAlive = here.some(({ state }) => !OVER.has(state))
      const wasStarted =
        here.length > 0 || local.watch.spawns({ kinds: ['run'] }).some(({ title }) => title === terminal)
      const [run] = all.filter(({ project }) => project === clone).sort((a, b) => b.startedAt - a.startedAt)
      // The claim may have ended between two looks: the forge knows whether its pull request was merged.
      const asked =
        record || !pull ? undefined : await forges.open({ home: data.project, repository: data.repository })
      const pullState = asked && pull ? (await asked.pullRequest(pull.number)).state : undefined
      return {
        ...(pullState ? { pullState } : {}),
        agent: isAlive ? 'alive' : wasStarted ? 'gone' : 'never',
        isWorking: here.some(({ state }) => !OVER.has(state) && state !== 'waiting'),
        ...(run?.end ? { runEnd: run.end } : {}),
        ...(record
          ? {
              claim: {
                phase: view?.phase ?? 'coding',
                isLost: record.lease.lost,
                pull: record.pr,
                session: record.nativeSession,
                proof: record.proof?.id,
                hasTask: record.inbox.some(({ act }) => act),
              },
            }
          : {}),
      }
    },
    limits() {
      const { per_repository: perRepository, limits } = ground.machine().config.fleet
      return { perRepository, limits: Object.fromEntries(Object.entries(limits).map(normalLimit)) }
    },
    async usage() {
      const now = systemClock.now()
      const all = await runs.all()
      const parked = all.flatMap(({ agent, parked, end }): [string, number][] =>
        parked && !end && !parked.resumed && parked.until > now ? [[agent, parked.until]] : [],
      )
      const { budget } = ground.machine().config
      const none = { tokens: 0, money: 0, ms: 0 }
      const { over } = checkBudget(budget, none, spentOn(dayOf(now), all))
      return { exhausted: new Map(parked.sort(([, a], [, b]) => a - b)), overBudget: over }
    },
    async dayBudget() {
      const { tokens, money, ms } = spentOn(dayOf(systemClock.now()), await runs.all())
      const used = { tokens: Math.round(tokens), money: hundredths(money), hours: hundredths(ms / 3_600_000) }
      return { used, limits: ground.machine().config.budget.per_day }
    },
  }
}

/** Exact enough for people: a report that changes all the time would be written all the time. */
const hundredths = (value: number): number => Math.round(value * 100) / 100

/** Users write agents as they call them, such as `claude`, and labels and repositories in any case. */
function normalLimit([key, most]: [string, number]): [string, number] {
  const [, word] = /^agent:(.+)$/.exec(key) ?? []
  return [word === undefined ? key.toLowerCase() : `agent:${agentNamed(word)}`, most]
}

function agentNamed(word: string): string {
  try {
    return launchesOf(word).agent
  } catch {
    // A limit for an agent that Baton does not know limits nothing.
    return word
  }
}
