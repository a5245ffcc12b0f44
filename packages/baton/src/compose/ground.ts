import { existsSync, statSync } from 'node:fs'
import type { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import type { Entry, EntryBody, NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import { systemClock } from '../adapters/system/clock.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { type Logger, openLog } from '../adapters/system/log.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import { type ConfigChange, type ConfigKeeper, keepConfig } from '../config/keeper.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Environment } from '../config/places.ts'
import { problemLine } from '../config/problem.ts'
import type { StateFolder } from '../config/state-folder.ts'
import { guardStore } from '../journal/guard.ts'
import { JournalListeners } from '../journal/live.ts'
import { makeRedactor, type Redactor } from '../journal/redact.ts'
import { NO_REPLICATION, type Replication, replicate } from '../journal/replicate.ts'
import type { Store } from '../ports/store.ts'
import { keepLiveSessions, type LiveSessions } from '../store/live-sessions.ts'
import { type LocalStore, openSqlite } from '../store/sqlite.ts'
import { newEntry } from './new-entry.ts'

export interface GroundOptions {
  folder: StateFolder
  env: Environment
  home: string
  /** Store nothing on disk: the journal lasts as long as the process. */
  inMemory?: boolean
}

interface WriteFailure {
  error: unknown
  /** Milliseconds since the epoch. */
  since: number
}

/** What every capability needs: configuration, journal and log. Named as in their parts, so that it can be spread. */
export interface Ground {
  env: Environment
  home: string
  stateDir: string
  inMemory: boolean
  config: ConfigKeeper
  configFor(project: string | undefined): Promise<Config>
  /** The machine-wide configuration currently in effect. */
  machine(): LoadedConfig
  redactor: Redactor
  /** The journal; removes secrets from everything written to it. */
  store: Store
  /** The same database, with the tables of the capabilities. */
  local: LocalStore & LiveSessions
  copy: Replication
  /** Why the last write to the journal failed, and since when writes fail. */
  writeFailure(): WriteFailure | undefined
  /** Whether the journal's file was deleted or replaced after it was opened: what is written now is lost with the process. */
  isDatabaseGone(): boolean
  live: JournalListeners
  sessions: SessionCache
  write(entries: readonly NewEntry[], changed?: readonly Session[]): Promise<Entry[]>
  /** Logs and journals an error; never throws. */
  fault(during: string, cause: unknown): void
  log: Logger
  rotateLog(): void
  /** Called when everything is built: journals the configuration changes so far, and later ones at once. */
  ready(): Promise<void>
  close(): Promise<void>
}

export async function layGround({ folder, env, home, inMemory = false }: GroundOptions): Promise<Ground> {
  const notes: EntryBody[] = []
  const told = new Set<string>()
  let started = false
  let secrets: readonly string[] = []
  const redactor = makeRedactor(() => secrets)
  const { log, rotate } = openLog(folder.log, redactor.text)
  const config = keepConfig(
    { env, home, stateDir: folder.dir },
    { files: systemFiles, clock: systemClock },
    { onChange },
  )
  let machine = await config.get()
  secrets = secretsIn(machine.config, env)

  // A token without a journal means that a daemon ran here before and its journal was removed.
  const isReplaced = !inMemory && !existsSync(folder.database) && existsSync(folder.token)
  const local = keepLiveSessions(await openSqlite(inMemory ? ':memory:' : folder.database))
  const opened = inMemory ? undefined : identityOf(folder.database)
  const store = guardStore(local, { redactor, content: () => machine.config.journal.content })
  const copy = machine.config.store.url && !inMemory ? await copyTo(machine.config.store.url) : NO_REPLICATION
  const live = new JournalListeners()
  const sessions = new SessionCache(store)

  async function copyTo(url: string) {
    const { openPostgres } = await import('../store/postgres.ts')
    const ports = { timers: systemTimers, clock: systemClock, ids: systemIds }
    return replicate(local, () => openPostgres(url), ports, {
      onChange: change =>
        'failing' in change
          ? log.warn('the copy to PostgreSQL fails; Baton retries with growing pauses', {
              err: change.failing,
            })
          : log.info(`the copy to PostgreSQL works again after ${change.attempts} failed attempts`),
    })
  }

  /** Called once for every configuration that was loaded or rejected. */
  function onChange({ project, kind, loaded }: ConfigChange): void {
    if (project === undefined && started) {
      machine = loaded
      secrets = secretsIn(loaded.config, env)
    }
    if (loaded.problems.length === 0) told.clear()
    for (const problem of loaded.problems) {
      // A file that several projects share is reported once.
      if (told.has(problemLine(problem))) continue
      told.add(problemLine(problem))
      log.error(`configuration rejected: ${problemLine(problem)}`, { file: problem.file })
      notes.push({
        kind: 'config',
        what: 'rejected',
        ...(problem.file ? { file: problem.file } : {}),
        message: problemLine(problem),
      })
    }
    if (kind === 'fixed')
      notes.push({ kind: 'config', what: 'loaded', ...(project ? { file: project } : {}) })
    if (started) void flushNotes().catch(() => {})
  }

  async function flushNotes(): Promise<void> {
    const waiting = notes.splice(0)
    if (waiting.length > 0) await write(waiting.map(body => newEntry(body)))
  }

  let writeFailure: WriteFailure | undefined
  async function write(entries: readonly NewEntry[], changed: readonly Session[] = []): Promise<Entry[]> {
    const written = await store.record(entries, changed).catch(error => {
      writeFailure ??= { error, since: systemClock.now() }
      throw error
    })
    writeFailure = undefined
    for (const session of changed) sessions.keep(session)
    live.publish(written)
    copy.wake()
    return written
  }

  function fault(during: string, cause: unknown): void {
    const error =
      cause instanceof BatonError ? cause : new BatonError('internal', messageOf(cause), { cause })
    log.error(error.message, { during, code: error.code, err: cause })
    // If the journal itself cannot be written, the log line is the only record.
    write([newEntry({ kind: 'fault', during, error: error.toBody() })]).catch(() => {})
  }

  return {
    env,
    home,
    stateDir: folder.dir,
    inMemory,
    config,
    configFor: async project => (await config.get(project)).config,
    machine: () => machine,
    redactor,
    store,
    local,
    copy,
    writeFailure: () => writeFailure,
    isDatabaseGone: () => opened !== undefined && identityOf(folder.database) !== opened,
    live,
    sessions,
    write,
    fault,
    log,
    rotateLog: rotate,
    async ready() {
      started = true
      if (isReplaced)
        fault(
          'opening the journal',
          new BatonError('database_failed', `${folder.database} was missing`, {
            remedy:
              'Baton started a new journal. If you have a backup: run baton down, restore the file, run baton up.',
          }),
        )
      await flushNotes()
    },
    async close() {
      await copy.stop()
      await store.close()
    },
  }
}

/** Identifies the file at a path by device and inode; undefined if there is none. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev} ${found.ino}`
}

/** Values that must not appear in a log line or journal entry. */
function secretsIn(config: Config, env: Environment): string[] {
  const named = ['GITHUB_TOKEN', 'GH_TOKEN', 'ANTHROPIC_API_KEY'].map(name => env[name])
  const { token, webhook_secret } = config.github
  return [
    config.telegram.token,
    config.notify.webhook,
    config.store.url,
    config.fleet.postgres,
    token,
    webhook_secret,
    ...named,
  ].filter(secret => secret !== undefined && secret.length >= 8) as string[]
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Caches sessions, so that a hook need not wait for a query. */
class SessionCache {
  readonly #store: Pick<Store, 'findSession'>
  readonly #kept = new Map<string, Session>()

  constructor(store: Pick<Store, 'findSession'>) {
    this.#store = store
  }

  async find(id: string): Promise<Session | undefined> {
    return this.#kept.get(id) ?? (await this.#store.findSession(id))
  }

  keep(session: Session): void {
    this.#kept.delete(session.id)
    this.#kept.set(session.id, session)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_ITEMS && oldest !== undefined) this.#kept.delete(oldest)
  }

  drop(id: string): void {
    this.#kept.delete(id)
  }
}

const MAX_ITEMS = 500
