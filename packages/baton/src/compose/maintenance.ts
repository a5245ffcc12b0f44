import type { Health } from '@batonpass/contract/api'
import { BatonError } from '@batonpass/contract/errors'
import { systemClock } from '../adapters/system/clock.ts'
import { isDiskFull } from '../adapters/system/free-space.ts'
import { problemLine } from '../config/problem.ts'
import type { ReplicationFailure } from '../journal/replicate.ts'
import { pruneLimits } from '../journal/retention.ts'
import type { SandboxStatus } from '../ports/sandbox.ts'
import type { Pauses } from '../session/pauses.ts'
import { type Forgotten, forgetSessionFiles } from '../views/forget-session.ts'
import type { Ground } from './ground.ts'
import { newEntry } from './new-entry.ts'

/** Health figures, deletion of sessions, and cleanup. */
export interface Maintenance {
  figures(): Promise<Pick<Health, 'sessions' | 'store' | 'sandbox' | 'config' | 'pauses'>>
  forget(session: string): Promise<{ session: string; entries: number } & Forgotten>
  housekeeping(): Promise<void>
}

export interface SandboxHealth {
  status(): Promise<SandboxStatus | undefined>
  /** Why commands of an agent are judged by their text although there is a sandbox. */
  off(): Promise<string[]>
}

export function composeMaintenance(
  ground: Ground,
  tidy: () => Promise<void>,
  pauses?: Pick<Pauses, 'list'>,
  sandbox: SandboxHealth = { status: async () => undefined, off: async () => [] },
): Maintenance {
  const { store, local, config } = ground
  let isGoneReported = false
  function reportGoneDatabase(): void {
    const isGone = ground.isDatabaseGone()
    if (isGone && !isGoneReported)
      ground.log.error(writeHealth(ground).writeProblem ?? 'The database is gone')
    isGoneReported = isGone
  }
  return {
    async figures() {
      const { entries, liveSessions } = await store.stats()
      const { problems } = await config.get()
      return {
        sessions: { live: liveSessions },
        store: { kind: store.kind, entries, ...copyHealth(ground), ...writeHealth(ground) },
        ...sandboxHealth(ground.machine().config.sandbox.mode, await sandbox.status(), await sandbox.off()),
        config: { ok: problems.length === 0, problems: problems.map(problemLine) },
        ...(pauses?.list().length ? { pauses: [...pauses.list()] } : {}),
      }
    },
    async forget(wanted) {
      const session = await store.findSession(wanted)
      if (!session)
        throw new BatonError('not_found', `No session ${wanted}`, { remedy: 'See `baton status --all`.' })
      ground.sessions.drop(session.id)
      await local.asks.forget({ session: session.id })
      await local.cycles.forget({ session: session.id })
      const entries = await store.forget(session.id)
      await ground.write([newEntry({ kind: 'forgotten', session: session.id, entries })])
      const files = ground.inMemory
        ? { removed: [], kept: [] }
        : await forgetSessionFiles(ground.stateDir, session)
      return { session: session.nativeSession, entries, ...files }
    },
    async housekeeping() {
      reportGoneDatabase()
      ground.rotateLog()
      await config.refresh()
      await tidy()
      const { days, size } = ground.machine().config.journal.retain
      const limits = pruneLimits({ days, bytes: size }, systemClock.now())
      await store.prune(limits)
      if (!limits.olderThan) return
      await local.asks.forget({ before: limits.olderThan })
      local.watch.prune(limits.olderThan)
      await local.cycles.forget({ before: limits.olderThan })
    },
  }
}

function sandboxHealth(
  mode: 'on' | 'off' | 'strict',
  status: SandboxStatus | undefined,
  off: string[],
): Pick<Health, 'sandbox'> {
  if (mode === 'off') return { sandbox: { mode } }
  if (!status) return {}
  return {
    sandbox: status.available
      ? { mode, program: status.program, ...(off.length > 0 ? { off } : {}) }
      : { mode, problem: status.reason, remedy: status.remedy },
  }
}

/** The state of the copy in PostgreSQL; while it fails, also why and what to do. */
function copyHealth({ copy, redactor }: Ground): Pick<Health['store'], 'copy' | 'copyProblem'> {
  const state = copy.state()
  const failure = copy.failure()
  if (state !== 'failing' || !failure) return { copy: state }
  return { copy: state, copyProblem: redactor.text(sentences(failure.error, retryWords(failure))) }
}

/** Why the journal cannot be written: the last write failed, its file is gone, or the disk is full. */
function writeHealth(ground: Ground): Pick<Health['store'], 'writeProblem'> {
  const failure = ground.writeFailure()
  if (failure) {
    const since = `Since ${new Date(failure.since).toISOString()} Baton records nothing; rules still deny what they denied before`
    return { writeProblem: ground.redactor.text(sentences(failure.error, since)) }
  }
  if (ground.isDatabaseGone())
    return {
      writeProblem: `The journal's file in ${ground.stateDir} was deleted or replaced while the daemon was running, and what the daemon still holds is lost when it stops. To start a new journal: baton up --restart`,
    }
  if (ground.inMemory || !isDiskFull(ground.stateDir)) return {}
  return { writeProblem: `The disk that holds ${ground.stateDir} is full. Free some space` }
}

function sentences(cause: unknown, more: string): string {
  const { message, remedy = '' } = cause instanceof BatonError ? cause : { message: String(cause) }
  return [message, remedy, more]
    .filter(Boolean)
    .map(text => text.replace(/\.$/, ''))
    .join('. ')
}

function retryWords({ attempts, since, retryAt }: ReplicationFailure): string {
  const times = `${attempts} failed ${attempts === 1 ? 'attempt' : 'attempts'} since ${new Date(since).toISOString()}`
  return retryAt === undefined ? times : `${times}, next at ${new Date(retryAt).toISOString()}`
}
