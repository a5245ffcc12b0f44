import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Ask } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { FleetSession } from '@batonpass/contract/fleet'
import { launchesOf } from '../adapters/agents/launches.ts'
import { gitClones } from '../adapters/git/clones.ts'
import { gitMerges } from '../adapters/git/merges.ts'
import { openJobQueue } from '../adapters/pg-boss/job-queue.ts'
import { type OwnPostgres, ownPostgres } from '../adapters/pg-boss/own-postgres.ts'
import { findQueuePackages } from '../adapters/pg-boss/queue-packages.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Asks } from '../ask/asks.ts'
import { repositoryName } from '../claim/claim-issue.ts'
import type { Claims } from '../claim/claims.ts'
import { claimMerges } from '../claim/merge-steps.ts'
import type { ClaimPorts } from '../claim/ports.ts'
import { askToMerge } from '../fleet/ask-to-merge.ts'
import { Fleet } from '../fleet/fleet.ts'
import { FleetAsks } from '../fleet/fleet-asks.ts'
import { FleetSettings, type JobRecord, JobRecords, MergeAnswers, MergeRecords } from '../fleet/job-record.ts'
import { MachineLeases } from '../fleet/machine-leases.ts'
import { Membership } from '../fleet/membership.ts'
import { MembershipFile } from '../fleet/membership-file.ts'
import { MergeQueue } from '../fleet/merge-queue.ts'
import type { JobFacts } from '../fleet/next-step.ts'
import type { FleetPorts } from '../fleet/ports.ts'
import { SettingsKeeper } from '../fleet/settings.ts'
import { signedReports } from '../fleet/signed-report.ts'
import { SourceFile, Sources } from '../fleet/sources.ts'
import type { FleetBoard } from '../ports/fleet-board.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import { readJsonFile } from '../ports/json-files.ts'
import { postgresBoard } from '../store/fleet-board.ts'
import { checkBudget, dayOf, spentOn } from '../work/workflows/budget.ts'
import { filedRuns } from '../work/workflows/run.ts'
import { FLEET_SETTINGS, type OpenedFleet } from './fleet-keeper.ts'
import { claimSteps, handoffSteps } from './fleet-steps.ts'
import type { ForgeKeeper } from './forge.ts'
import type { Ground } from './ground.ts'
import { newEntry } from './new-entry.ts'
import type { Sessions } from './sessions.ts'

/** Of those, the others get the newest. */
const MOST_SESSIONS = 100
const WORKFLOW = 'issue-to-impl'
/** Holds the secret key of this machine: 0600, and hidden from agents with all of the state folder. */
const MEMBERSHIP = 'fleet/membership.json'
const SOURCES = 'fleet/sources.json'

export interface FleetLinks {
  claims: Claims
  forges: ForgeKeeper
  sessions: Sessions
  asks: Asks
  claimPorts: ClaimPorts
  startWorkflow?:
    | ((
        agent: string,
        workflow: string,
        words: string,
        project: string,
      ) => { prompt: string; args: string[] })
    | undefined
}

/** Builds the fleet. Imported only where one is used. */
export function composeFleet(ground: Ground, links: FleetLinks): OpenedFleet {
  const { stateDir, env, home, local, write, fault, redactor } = ground
  const { claims, forges, sessions } = links
  const runs = filedRuns(systemSmallFiles, stateDir)
  const database = queueDatabase(ground)

  async function factsOf({ clone, terminal, pull, data }: JobRecord): Promise<JobFacts> {
    const [record, ps, all] = await Promise.all([claims.at(clone), sessions.ps(), runs.all()])
    const view = record && (await claims.list()).find(({ id }) => id === record.id)
    const here = ps.filter(row => row.project === clone || (terminal !== undefined && row.title === terminal))
    const isAlive = here.some(({ state }) => !['dead', 'gone', 'ended'].includes(state))
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
  }

  const settings = new SettingsKeeper(
    {
      read: () => readJsonFile(systemSmallFiles, stateDir, FLEET_SETTINGS, FleetSettings),
      write: next => systemSmallFiles.write(stateDir, FLEET_SETTINGS, JSON.stringify(next)),
    },
    systemIds,
  )
  const journal: FleetPorts['journal'] = async entry => {
    await write([newEntry({ kind: 'fleet', ...entry })])
  }
  const board = sharedBoard(ground)
  const announce = (project: string, text: string) => links.asks.tell({ project, text, kind: 'needs-input' })
  const membership =
    board &&
    membershipIn(ground, board, settings, journal, text => {
      void announce(home, text).catch(cause => fault('announcing a machine', cause))
    })
  const machines = sharedLeases(ground, links.claimPorts, settings, membership)
  const repositoryOf = async (project: string) => repositoryName(await forges.open({ home: project }))
  const records = new JobRecords(systemSmallFiles, stateDir)
  const isOfFleet = async ({ key, facts: { project } }: Ask) => {
    const all = await records.all()
    // The question about a merge names the project from which the job came.
    const isMerge = key.startsWith('merge ')
    return all.some(({ clone, data }) => clone === project || (isMerge && data.project === project))
  }
  const asks =
    board &&
    membership &&
    new FleetAsks({
      board,
      membership,
      isOfFleet,
      redact: redactor.redact,
      journal: reason => journal({ what: 'answered', reason }),
      fault,
      clock: systemClock,
      pause: ms => pause(ms, undefined, { ref: false }),
    })
  const git = gitMerges({ mergiraf: () => onPath('mergiraf', env) })
  const merges = new MergeQueue({
    jobs: records,
    records: new MergeRecords(systemSmallFiles, stateDir),
    answers: new MergeAnswers(systemSmallFiles, stateDir),
    git,
    bases: machines,
    claimAt: clone => claims.at(clone),
    actions: claimMerges(links.claimPorts),
    isPaused: claim => links.claimPorts.paused?.(claim) ?? false,
    async look(claim) {
      await claims.readNow(claim)
    },
    agreeToClose: claim => claims.agreeToClose(claim),
    forgeOf: ({ project, repository }) => forges.open({ home: project, repository }),
    loginFor: forges.login,
    configOf: async project => (await links.claimPorts.config(project)).merge,
    askPerson: (record, claim, signal) => askToMerge(links.asks, record, claim, signal),
    journal,
    announce,
    redact: redactor.text,
    fault,
    clock: systemClock,
  })

  const ports: FleetPorts = {
    records,
    merges,
    changedFiles: clone => git.changedFiles(clone).catch(() => []),
    settings,
    machines,
    membership,
    asks,
    async openAsks() {
      const here = links.asks.open()
      const isOurs = await Promise.all(here.map(isOfFleet))
      const others = (await asks?.others().catch(() => [])) ?? []
      return [...here.filter((_, index) => isOurs[index]), ...others].map(({ id, title, facts }) => ({
        id,
        title: redactor.text(title),
        ...(facts.machine ? { machine: facts.machine } : {}),
      }))
    },
    async sessionsHere() {
      const clones = new Set((await records.all()).map(({ clone }) => clone))
      const rows = (await sessions.ps()).filter(({ project }) => project && clones.has(project))
      return redactor.redact(rows.slice(-MOST_SESSIONS).map(row => FleetSession.parse(row)))
    },
    queue: database.open,
    closeQueue: database.close,
    database: database.kind,
    clones: gitClones,
    repositoryOf,
    loginFor: forges.login,
    ...claimSteps(claims, links.claimPorts),
    ...handoffSteps(redactor, links.claimPorts),
    factsOf,
    async startAgent({ agent, clone, project, issue, terminal }) {
      const launches = launchesOf(agent)
      // A clone of what the user trusts, with the same remote.
      await launches.inheritTrust?.(clone, project, { home, configFolder: env.CLAUDE_CONFIG_DIR })
      const start = links.startWorkflow?.(agent, WORKFLOW, String(issue), clone)
      await sessions.run({
        agent: launches.agent,
        driver: 'tmux',
        cwd: clone,
        title: terminal,
        prompt: start?.prompt ?? `/${WORKFLOW} ${issue}`,
        args: start?.args ?? [],
        env: {},
        tools: false,
      })
    },
    obstacleTo(agent) {
      const missing = ['tmux', launchesOf(agent).interactive({}).program].find(
        program => !program.includes('/') && !onPath(program, env),
      )
      return missing && `${missing} is not installed`
    },
    async endAgent(terminal) {
      await sessions.kill(terminal).catch(cause => {
        if (!(cause instanceof BatonError) || cause.code !== 'not_found') fault('ending an agent', cause)
      })
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
    labelsOf: async (project, issue) =>
      (await (await forges.open({ home: project })).issue(issue).catch(() => undefined))?.labels ?? [],
    sources: new Sources({
      file: {
        read: () => readJsonFile(systemSmallFiles, stateDir, SOURCES, SourceFile),
        write: file => systemSmallFiles.write(stateDir, SOURCES, JSON.stringify(file)),
      },
      repositoryOf,
      forgeOf: project => forges.open({ home: project }),
      settingsOf: async project => (await links.claimPorts.config(project)).fleet,
      redact: redactor.text,
      clock: systemClock,
    }),
    journal,
    announce,
    redact: redactor.text,
    fault,
    clock: systemClock,
    ids: systemIds,
  }
  return {
    fleet: new Fleet(ports),
    asks,
    async close() {
      merges.pause()
      membership?.stop()
      await asks?.stop()
      await board?.close()
      await database.end()
    },
  }
}

/** What machines show each other; undefined if this one has the database for itself. */
function sharedBoard({ machine }: Ground): FleetBoard | undefined {
  const url = machine().config.fleet.postgres
  return url === '' ? undefined : postgresBoard(url)
}

function membershipIn(
  { stateDir, machine }: Ground,
  board: FleetBoard,
  settings: SettingsKeeper,
  journal: FleetPorts['journal'],
  announce: (text: string) => void,
): Membership {
  return new Membership({
    board,
    file: {
      read: () => readJsonFile(systemSmallFiles, stateDir, MEMBERSHIP, MembershipFile),
      write: file => systemSmallFiles.write(stateDir, MEMBERSHIP, JSON.stringify(file)),
    },
    // Stored: the others know this machine by it from now on.
    machine: async () => ({
      id: (await settings.update(known => ({ ...known }))).machine,
      name: machine().config.fleet.name || hostname(),
    }),
    journal: (what, reason) => journal({ what, reason }),
    announce,
    clock: systemClock,
    pause: ms => pause(ms),
  })
}

/** The leases among machines; undefined if this one has the database for itself. */
function sharedLeases(
  { machine }: Ground,
  { leases }: ClaimPorts,
  settings: SettingsKeeper,
  membership: Membership | undefined,
): MachineLeases | undefined {
  if (!membership) return undefined
  return new MachineLeases({
    leases: leases(),
    machine: async () => ({
      id: (await settings.read()).machine,
      name: machine().config.fleet.name || hostname(),
    }),
    ttlMs: () => machine().config.fleet.lease_minutes * 60_000,
    isMember: id => membership.isMember(id),
    reports: signedReports(membership),
    clock: systemClock,
  })
}

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

/** The queue's database: the user's own, or one that Baton starts and stops. Opened once, when it is needed. */
function queueDatabase({ stateDir, machine }: Ground) {
  let opened: Promise<JobQueue> | undefined
  let own: OwnPostgres | undefined
  let hasEnded = false
  const url = () => machine().config.fleet.postgres

  async function open(): Promise<JobQueue> {
    // What still runs while the daemon stops must not start the database again.
    if (hasEnded) throw new BatonError('daemon_busy', 'The daemon is stopping')
    const found = findQueuePackages(stateDir)
    if (!found || (!url() && !found.postgres))
      throw new BatonError('missing_tool', 'What keeps the queue is not installed', {
        remedy: 'Run `baton fleet up`, which fetches it.',
      })
    if (!url())
      own ??= ownPostgres({ folder: join(stateDir, 'fleet', 'postgres'), native: found.postgres ?? '' })
    return openJobQueue(url() || ((await own?.start()) ?? ''), found.boss)
  }

  async function close(): Promise<void> {
    const queue = await opened?.catch(() => undefined)
    opened = undefined
    await queue?.close()
    await own?.stop()
  }

  return {
    kind: () => (url() ? ('fleet.postgres' as const) : ('own' as const)),
    open(): Promise<JobQueue> {
      opened ??= open().catch(cause => {
        opened = undefined
        throw cause
      })
      return opened
    },
    close,
    async end(): Promise<void> {
      hasEnded = true
      await close()
    },
  }
}
