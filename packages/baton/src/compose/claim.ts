import { hostname, userInfo } from 'node:os'
import type { NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import { launchesOf } from '../adapters/agents/launches.ts'
import { systemGit } from '../adapters/git/git.ts'
import { gitGrantFacts } from '../adapters/git/grant-facts.ts'
import { gitLeases } from '../adapters/git/lease.ts'
import { gitPush } from '../adapters/git/push.ts'
import { gitWork } from '../adapters/git/work.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { systemProcesses } from '../adapters/system/processes.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Asks } from '../ask/asks.ts'
import { Boards } from '../claim/boards.ts'
import { Claims } from '../claim/claims.ts'
import { checkLease } from '../claim/fence.ts'
import { FencedActions } from '../claim/fenced-actions.ts'
import type { ClaimPorts } from '../claim/ports.ts'
import { claimReactor } from '../claim/reactor.ts'
import { ClaimRecords } from '../claim/record.ts'
import { SignalFiles } from '../claim/signal-file.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import type { Redactor } from '../journal/redact.ts'
import type { IsPaused } from '../ports/is-paused.ts'
import type { Leases } from '../ports/lease.ts'
import type { Reactor } from '../ports/reactor.ts'
import type { ForgeKeeper } from './forge.ts'
import { newEntry } from './new-entry.ts'
import type { Drivers } from './sessions.ts'

export interface ClaimParts {
  config: ConfigKeeper
  stateDir: string
  inMemory?: boolean
  asks: Asks
  forges: ForgeKeeper
  drivers: Drivers
  proofs: ClaimPorts['proofs']
  compareReport: ClaimPorts['compareReport']
  workflowChecksOf: NonNullable<ClaimPorts['workflowChecksOf']>
  /** The URL of the database that the machines share, or empty. */
  storeUrl: string
  session(id: string): Promise<Session | undefined>
  redactor: Redactor
  /** Whether the fleet's merge queue takes care of the pull request of a clone. */
  mergesFor(project: string): Promise<boolean>
  paused?: IsPaused
  write(entries: readonly NewEntry[]): Promise<unknown>
  fault(during: string, cause: unknown): void
}

/** Builds the claims with their forge, git, lease store and drivers. */
export async function composeClaim(parts: ClaimParts): Promise<{
  reactor: Reactor
  claims: Claims
  boards: Boards
  outside: FencedActions
  ports: ClaimPorts
  close(): Promise<void>
}> {
  const { forges, drivers } = parts
  const config = async (project: string) => (await parts.config.get(project)).config
  const shared = parts.storeUrl && !parts.inMemory ? await openDatabaseLeases(parts.storeUrl) : undefined
  const leases: Leases =
    shared ??
    gitLeases({
      clock: systemClock,
      loginFor: home => forges.login(home).catch(() => undefined),
      offsetFor: async home => (await forges.find(home))?.clockOffset?.(),
    })
  const ports: ClaimPorts = {
    records: new ClaimRecords(systemSmallFiles, parts.inMemory ? undefined : parts.stateDir),
    signals: new SignalFiles(systemSmallFiles),
    grantFacts: gitGrantFacts,
    files: systemSmallFiles,
    git: systemGit,
    work: gitWork,
    outside: new FencedActions({
      checkLease: record => checkLease(ports, record),
      claimAt: project => ports.records.at(project),
      forgeFor: forges.openWritable,
      push: gitPush,
    }),
    proofs: parts.proofs,
    compareReport: parts.compareReport,
    workflowChecksOf: parts.workflowChecksOf,
    forgeFor: forges.open,
    loginFor: forges.login,
    dropForge: forges.drop,
    leases: () => leases,
    asks: parts.asks,
    config,
    type: async (place, text, agent) => (await drivers.at(place)?.type(place, text, agent)) ?? 'gone',
    async resume({ agent, nativeSession, project, issue, session, pane }, prompt) {
      const [driver] = drivers.all
      if (!driver || !agent || !nativeSession) return false
      // The session may be alive where Baton cannot type: do not start a second agent for it.
      const known = session && (await parts.session(session))
      if (known && !known.endedAt && known.pid !== undefined && systemProcesses.alive(known.pid)) return false
      const launch = launchesOf(agent).interactive({ prompt, resume: nativeSession })
      // Use the session's tmux server, and a unique title: a terminal of an earlier resume may still exist.
      const where = /^%\d+ (\/.+)$/.exec(pane ?? '')?.[1]
      const title = `baton-issue-${issue}-${systemIds.id(4)}`
      await driver.start({ agent, launch, cwd: project, title, where })
      return true
    },
    isAlive(pid) {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    },
    async journal(about, body) {
      await parts.write([newEntry(body, about)])
    },
    announce: (project, text) => parts.asks.tell({ project, text, kind: 'pr-ready' }),
    redact: parts.redactor.text,
    fault: parts.fault,
    solvesConflicts: ({ project }) => parts.mergesFor(project),
    ...(parts.paused ? { paused: parts.paused } : {}),
    user: userName(),
    host: hostname(),
    clock: systemClock,
    ids: systemIds,
  }
  const claims = new Claims(ports)
  const boards = new Boards(ports, claims)
  const reactor = claimReactor({
    claims,
    ports,
    session: parts.session,
    boardWords: project => boards.words(project),
    mergedWithout: project => boards.mergedWithout(project),
    mergeWords: project => boards.mergeWords(project),
  })
  return {
    reactor,
    claims,
    boards,
    outside: ports.outside,
    ports,
    async close() {
      claims.stop()
      await shared?.close()
    },
  }
}

/** Imports the PostgreSQL code only if a fleet is configured. */
async function openDatabaseLeases(url: string) {
  const { postgresLeases } = await import('../store/leases.ts')
  return postgresLeases(url)
}

/** The user's name, or the numeric id if the system's user list has no entry for it. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'user')
  }
}
