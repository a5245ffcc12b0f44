import type { Ask } from '@batonpass/contract/ask'
import type { Grant } from '@batonpass/contract/grant'
import type { SessionId } from '@batonpass/contract/ids'
import type { NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { RunRequest, Spawn } from '@batonpass/contract/watch'
import { ModeChange, type ToolAnswer, type WorkReport, type WorkSummary } from '@batonpass/contract/work'
import { launchesOf } from '../adapters/agents/launches.ts'
import { systemGit } from '../adapters/git/git.ts'
import { gitGrantFacts } from '../adapters/git/grant-facts.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemFolders } from '../adapters/system/folders.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import type { ClaimRecord } from '../claim/record.ts'
import type { Environment } from '../config/places.ts'
import type { Driver } from '../ports/driver.ts'
import type { Forge } from '../ports/forge.ts'
import type { IsPaused } from '../ports/is-paused.ts'
import type { Reactor } from '../ports/reactor.ts'
import type { ToolContext } from '../work/packs/paw/tool-arguments.ts'
import { callTool } from '../work/packs/paw/tools.ts'
import type { StagePorts } from '../work/stages/ports.ts'
import { stageReactor } from '../work/stages/reactor.ts'
import { StageMemory } from '../work/stages/stage-memory.ts'
import { Stages } from '../work/stages/stages.ts'
import { startCommand } from '../work/stages/start-command.ts'
import { summaryOf, WorkItems } from '../work/stages/work-items.ts'
import { workReport } from '../work/stages/work-status.ts'
import type { BrokeredCommand } from '../work/workflows/run-grant.ts'
import { newEntry } from './new-entry.ts'

export interface StageParts {
  env: Environment
  home: string
  stateDir: string
  forgeFor(project: string): Promise<Forge | undefined>
  /** What only a daemon has. Without it, tools that need a session say what to do instead. */
  daemon?: {
    session(id: SessionId): Promise<Session | undefined>
    /** Whether another capability is handing over that session. */
    busyElsewhere(session: SessionId): Promise<boolean>
    asks(): readonly Ask[]
    claimOf?(project: string): Promise<string | undefined>
    drivers: { at(place: string): Driver | undefined }
    /** Starts an agent that Baton watches. */
    run(order: RunRequest): Promise<Spawn>
    handOff: NonNullable<StagePorts['handOff']>
    write(entries: readonly NewEntry[]): Promise<unknown>
    announce(project: string, text: string): Promise<void>
    askForReviews: StagePorts['askForReviews']
    proofs: StagePorts['proofs']
    compareReport: NonNullable<StagePorts['compareReport']>
    showProof: NonNullable<StagePorts['showProof']>
    config: NonNullable<StagePorts['config']>
    fault(during: string, cause: unknown): void
    paused?: IsPaused
  }
}

/** Staged work: its reactor, queries and tools. */
export interface StagedWork {
  reactor: Reactor
  list(project: string): Promise<WorkSummary[]>
  report(project: string, workId?: string): Promise<WorkReport>
  create(project: string, wanted: unknown): Promise<{ workId: string; path: string }>
  setMode(project: string, workId: string, wanted: unknown): Promise<void>
  call(tool: string, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolAnswer>
  /** Binds a session's successor to the same work item. */
  carryOver(from: SessionId, to: Pick<Session, 'id' | 'nativeSession' | 'agent'>): Promise<boolean>
  /** What a session may do by itself because it works on a stage. */
  grantsOf(session: SessionId): Promise<Grant[]>
  /** Records what became of a gh command that the broker ran for a session. */
  brokerEnded(session: SessionId, done: BrokeredCommand): Promise<void>
  /** The work item that a session works on in auto mode. */
  unattended(session: SessionId): Promise<string | undefined>
  /** Tells people that the stage of a session does not continue. */
  stall(session: Session, reason: string): Promise<void>
  /** A person takes a work item as it is, although it is not proven. */
  accept(wanted: string, who: string): Promise<{ end: { reason: string } }>
  tick(): Promise<void>
}

export function composeStage({ env, home, stateDir, forgeFor, daemon }: StageParts): StagedWork {
  const items = new WorkItems(systemSmallFiles, systemFolders)
  const memory = new StageMemory(systemSmallFiles, stateDir)
  const start = daemon && starter(daemon.run, env)
  const ports: StagePorts = {
    items,
    files: systemSmallFiles,
    memory,
    git: systemGit,
    grantFacts: gitGrantFacts,
    timers: systemTimers,
    now: () => systemClock.now(),
    home,
    canonical: realpath,
    forgeFor,
    commandFor: (agent, project, prompt) => startCommand(launchesOf, agent, project, prompt),
    session: async id => daemon?.session(id),
    driverAt: place => daemon?.drivers.at(place),
    ...(daemon ? { busyElsewhere: daemon.busyElsewhere } : {}),
    ...(start ? { start, obstacle: (agent, nextTo) => obstacle(agent, nextTo, env) } : {}),
    ...(daemon ? { handOff: daemon.handOff } : {}),
    ...(daemon?.claimOf ? { claimOf: daemon.claimOf } : {}),
    asks: async project => (daemon?.asks() ?? []).filter(({ facts }) => facts.project === project),
    async sessionsOf(project, workId) {
      const mine = (await memory.bindings()).filter(
        each => each.project === project && each.workId === workId,
      )
      const found = await Promise.all(
        mine.map(async binding => {
          const session = await daemon?.session(binding.session)
          return session ? [{ session, binding }] : []
        }),
      )
      return found
        .flat()
        .sort((a, b) => (a.session.lastSeenAt < b.session.lastSeenAt ? 1 : -1))
        .slice(0, MAX_SESSIONS)
    },
    async journal({ project, session }, body) {
      const about = session && {
        session: session.id,
        nativeSession: session.nativeSession,
        agent: session.agent,
      }
      await daemon?.write([newEntry(body, { project, ...about })])
    },
    announce: async (project, text) => daemon?.announce(project, text),
    askForReviews: async (project, pull, logins) => daemon?.askForReviews(project, pull, logins),
    ...(daemon
      ? {
          proofs: daemon.proofs,
          compareReport: daemon.compareReport,
          showProof: daemon.showProof,
          config: daemon.config,
        }
      : {}),
    fault: (during, cause) => daemon?.fault(during, cause),
    paused: about => daemon?.paused?.(about) ?? false,
  }
  const stages = new Stages(ports)
  let tidied = systemClock.now()
  return {
    reactor: stageReactor(stages),
    list: async project => (await items.list(project)).map(summaryOf),
    report: (project, workId) => workReport(ports, project, workId),
    create: (project, wanted) => items.create(project, wanted),
    setMode: (project, workId, wanted) => items.setMode(project, workId, ModeChange.parse(wanted).mode),
    call: (tool, args, context) => callTool(stages, ports, tool, args, context),
    carryOver: (from, to) => stages.carryOver(from, to),
    grantsOf: session => stages.grants.of(session),
    unattended: session => stages.unattended(session),
    stall: (session, reason) => stages.stall(session, reason),
    brokerEnded: (session, done) => stages.grants.finished(session, done),
    accept: (wanted, who) => stages.proofs.accept(wanted, who),
    async tick() {
      await stages.passing.tick()
      await stages.proofs.tick()
      const now = systemClock.now()
      if (now - tidied < TIDY_MS) return
      tidied = now
      await memory.tidy(now - KEPT_MS)
    },
  }
}

const MAX_SESSIONS = 10
const TIDY_MS = 3_600_000
/** How long the binding of a session to a work item is kept. */
const KEPT_MS = 60 * 24 * 3_600_000

/** Why `starter` would fail for an agent. */
function obstacle(agent: string, nextTo: string | undefined, env: Environment): string | undefined {
  const terminal = onPath('tmux', env) && !nextTo?.startsWith('hosted ')
  const launches = launchesOf(agent)
  const program = terminal ? launches.interactive({}).program : launches.acp?.().program
  if (program === undefined) return `${agent} cannot run without a terminal, and tmux is not installed`
  return program.includes('/') || onPath(program, env) ? undefined : `${program} is not installed`
}

/** Starts fresh sessions in tmux, where a person can watch them, or else hosted; undefined if neither is possible. */
function starter(run: (order: RunRequest) => Promise<Spawn>, env: Environment): StagePorts['start'] {
  const canHost = (agent: string) => {
    const program = launchesOf(agent).acp?.().program
    return program !== undefined && onPath(program, env)
  }
  const terminal = onPath('tmux', env)
  if (!terminal && !canHost('claude-code')) return undefined
  return async ({ agent, project, title, prompt, nextTo }) => {
    // Hosted work stays hosted.
    const driver = terminal && !nextTo?.startsWith('hosted ') ? 'tmux' : 'acp'
    const socket = driver === 'tmux' ? /^%\d+ (\/.+)$/.exec(nextTo ?? '')?.[1] : undefined
    const order = { agent, driver, cwd: project, title, prompt, env: {}, tools: true } as const
    const spawn = await run({ ...order, args: [], ...(socket ? { where: socket } : {}) })
    return {
      place: spawn.place ?? '',
      attach:
        driver === 'tmux'
          ? `baton attach ${spawn.title}`
          : 'The session is hosted. Follow it: baton logs --follow',
    }
  }
}

/** Describes the project's claim in one line, for the status. */
export function claimLine(claim: ClaimRecord | undefined): string | undefined {
  if (!claim) return undefined
  const { issue, title, pr, branch } = claim
  const pull = pr ? `pull request #${pr.number} ${pr.state}` : `on ${branch}`
  return `issue #${issue}${title ? ` ${title}` : ''}, ${pull}`
}
