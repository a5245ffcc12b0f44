import { BatonError } from '@batonpass/contract/errors'
import type { Entry, NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { HealthReport, PsRow, RunRequest, Spawn } from '@batonpass/contract/watch'
import { acpDriver, type Revived } from '../adapters/acp/driver.ts'
import type { AcpDriverParts } from '../adapters/acp/parts.ts'
import { savedSessions } from '../adapters/acp/saved-sessions.ts'
import { launchesOf } from '../adapters/agents/launches.ts'
import { terminals } from '../adapters/agents/terminals.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { systemProcesses } from '../adapters/system/processes.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { tmuxDriver } from '../adapters/tmux/driver.ts'
import type { Asks } from '../ask/asks.ts'
import { ACCESS_REQUEST } from '../ask/question.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import { batonHome, type Environment } from '../config/places.ts'
import { findWorktreeRoot } from '../config/project.ts'
import type { Redactor } from '../journal/redact.ts'
import type { Driver, ToolServer } from '../ports/driver.ts'
import type { ForwardedPort } from '../ports/network.ts'
import type { WatchStore } from '../ports/watch-store.ts'
import { handoffFinding } from '../session/watch/handoff-findings.ts'
import { psRows } from '../session/watch/ps-rows.ts'
import { type Revival, Spawns } from '../session/watch/spawns.ts'
import { Watch } from '../session/watch/watch.ts'
import { WorkflowActions } from '../work/workflows/actions.ts'
import { filedRuns } from '../work/workflows/run.ts'
import { StateFiles } from '../work/workflows/state-files.ts'
import { newEntry } from './new-entry.ts'
import type { ComposedWholeAgents } from './whole-agents.ts'

/** The drivers, which act on sessions from outside. */
export interface Drivers {
  all: readonly Driver[]
  /** The driver that reaches a place. */
  at(place: string): Driver | undefined
  /** Restarts the hosted sessions that the previous daemon left. */
  revive(): Promise<Revived[]>
  /** `leave`: hosted sessions stay for the next daemon to resume. */
  close(hosted?: 'end' | 'leave'): Promise<void>
}

export function composeDrivers(env: Environment, tell: AcpDriverParts['tell'], stateDir?: string): Drivers {
  const tmux = tmuxDriver({ terminals, elapsed: () => systemClock.elapsed(), env: { ...env } })
  const acp = acpDriver({
    tell,
    env,
    clock: systemClock,
    ids: systemIds,
    processes: systemProcesses,
    ...(stateDir === undefined ? {} : { kept: savedSessions(systemSmallFiles, stateDir) }),
  })
  const all: readonly Driver[] = [tmux, acp]
  return {
    all,
    at: place => all.find(driver => driver.reaches(place)),
    revive: () => acp.revive(),
    async close(hosted) {
      tmux.close()
      await acp.close(hosted)
    },
  }
}

export interface SessionParts {
  drivers: Drivers
  watchStore: WatchStore
  /** Every session that has not ended, according to its hooks. */
  liveSessions(): Promise<readonly Session[]>
  config: ConfigKeeper
  env: Environment
  home: string
  stateDir: string
  redactor: Redactor
  content(): 'full' | 'digest'
  /** How to start Baton's own tools, for hosted sessions that need them. */
  toolServer?: ToolServer | undefined
  /** Prepares an agent to run in the sandbox as a whole. Absent in a process that handles a single call. */
  contain?: ComposedWholeAgents['contain'] | undefined
  /** Called when a session has ended without a SessionEnd event. */
  lost(session: Session, why: string): Promise<void>
  /** Servers in a session's sandbox that answer on this machine. */
  serversOf(session: string): ForwardedPort[]
  asks: Pick<Asks, 'tell' | 'open'>
  write(entries: readonly NewEntry[]): Promise<unknown>
  fault(during: string, cause: unknown): void
}

/** Starts, adopts and watches sessions. */
export interface Sessions {
  watch: Watch
  ps(): Promise<PsRow[]>
  /** Records the result of a handoff if a journal entry reports one. */
  hear(entry: Entry): void
  health(): Promise<HealthReport>
  run(order: RunRequest): Promise<Spawn>
  adopt(place: string, agent: string | undefined): Promise<Spawn>
  release(name: string): Promise<Spawn>
  kill(name: string): Promise<Spawn>
  /** Records whether a hosted session of the previous daemon could be resumed. */
  revived(revival: Revival): Promise<void>
}

const CHECKS_SHOWN = 200

export function composeSessions(parts: SessionParts): Sessions {
  const { drivers, watchStore, redactor } = parts
  const watchParts = {
    store: watchStore,
    liveSessions: parts.liveSessions,
    lost: parts.lost,
    // No agent waits because of a confirmation, such as whether to close an issue, or of a request from the sandbox.
    asking: () =>
      new Set(
        parts.asks
          .open()
          .flatMap(({ kind, key, facts }) =>
            kind === 'confirm' || key.startsWith(ACCESS_REQUEST) ? [] : (facts.session ?? []),
          ),
      ),
    drivers: drivers.all,
    processes: systemProcesses,
    self: process.pid,
    clock: systemClock,
    ids: systemIds,
    configOf: async (project: string | undefined) => (await parts.config.get(project)).config,
    journal: async (
      { id, ...about }: Parameters<Watch['note']>[0] & { nativeSession?: string | undefined },
      body: NewEntry['body'],
    ) => {
      await parts.write([newEntry(body, { ...about, session: id })])
    },
    tell: parts.asks.tell.bind(parts.asks),
    redact: <T>(value: T) => redactor.redact(value) as T,
    content: parts.content,
    fault: parts.fault,
  }
  const watch = new Watch(watchParts)
  const spawns = new Spawns(watchParts)
  const files = new StateFiles(systemSmallFiles, batonHome(parts.env, parts.home))
  const actions = new WorkflowActions(files, filedRuns(systemSmallFiles, parts.stateDir))

  const changing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } finally {
      watch.outdated()
    }
  }

  const ps = async (): Promise<PsRow[]> => {
    const [watched, runs] = await Promise.all([watch.look(), actions.list()])
    const bySession = new Map(runs.map(run => [run.session, run]))
    const rows = psRows(watched, watch.standing(), ({ session }) => {
      const run = session && bySession.get(session.id)
      if (!run) return undefined
      return {
        name: run.workflow,
        count: run.count,
        ...(run.issue === undefined ? {} : { issue: run.issue }),
        ...(run.end ? { end: run.end.kind } : {}),
      }
    })
    return rows.map(row => {
      const servers = row.session ? parts.serversOf(row.session) : []
      return servers.length > 0 ? { ...row, servers } : row
    })
  }

  return {
    watch,
    ps,
    hear(entry) {
      const finding = handoffFinding(entry)
      if (!finding || !entry.session || !entry.agent) return
      watch.note({ id: entry.session, agent: entry.agent, project: entry.project }, finding, finding.action)
    },
    async health() {
      const sessions = await ps()
      return {
        sessions,
        checks: watchStore.checks({ limit: CHECKS_SHOWN }),
        left: watchStore.spawns({ status: ['abandoned'] }),
      }
    },
    async run({ agent: name, driver, cwd, prompt, title, args, env, where, tools, sandbox }) {
      const launches = launchesOf(name)
      const project = findWorktreeRoot(cwd)
      const order = { agent: launches.agent, driver, cwd, project, env, title, where }
      const given = { ...parts.env, ...env }
      if (driver === 'tmux') {
        const launch = launches.interactive(prompt === undefined ? {} : { prompt })
        requireProgram('tmux', given, 'Install tmux 3.2 or newer, or use `baton run --hosted`.')
        requireProgram(launch.program, given, `Install ${launch.program}, or add it to your PATH.`)
        const whole = { ...launch, args: [...args, ...launch.args] }
        if (!sandbox) return changing(spawns.start({ ...order, launch: whole }))
        if (!parts.contain) throw new BatonError('internal', 'There is no sandbox in this process')
        const contained = await parts.contain({ agent: launches.agent, launch: whole, cwd, env: given })
        try {
          const spawn = await changing(spawns.start({ ...order, launch: contained.launch }))
          await contained.started({ pid: spawn.pid ?? undefined, place: spawn.place ?? undefined })
          return spawn
        } catch (cause) {
          await contained.end()
          throw cause
        }
      }
      if (sandbox)
        throw new BatonError('usage', 'A hosted session cannot run in the sandbox as a whole', {
          remedy: 'Leave --hosted out.',
        })
      const launch = launches.acp?.()
      if (!launch)
        throw new BatonError('missing_tool', `${launches.agent} cannot run as a hosted session`, {
          remedy: 'Run it in a terminal: baton run --tmux',
        })
      requireProgram(launch.program, given, launch.remedy)
      return changing(
        spawns.start({
          ...order,
          launch: { ...launch, args: [...launch.args, ...args] },
          prompt,
          ...(tools && parts.toolServer ? { tools: parts.toolServer } : {}),
        }),
      )
    },
    adopt: (place, agent) =>
      changing(spawns.adopt(place, agent === undefined ? undefined : launchesOf(agent).agent)),
    release: name => changing(spawns.release(name)),
    kill: name => changing(spawns.kill(name)),
    revived: revival => changing(spawns.revived(revival)),
  }
}

/** Throws if a program is not on the PATH. */
function requireProgram(program: string, env: Environment, remedy: string): void {
  if (!program.includes('/') && !onPath(program, env))
    throw new BatonError('missing_tool', `${program} is not installed`, { remedy })
}
