import { BatonError } from '@batonpass/contract/errors'
import type { AgentEvent } from '@batonpass/contract/event'
import { EntryId } from '@batonpass/contract/ids'
import type { Entry, EntryBody, NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import { adapters } from './adapters/agents/registry.ts'
import { systemChance } from './adapters/system/chance.ts'
import { systemClock } from './adapters/system/clock.ts'
import type { Environment } from './config/places.ts'
import { findWorktreeRoot } from './config/project.ts'
import type { StateFolder } from './daemon/folder.ts'
import { Live } from './daemon/live.ts'
import { openLog } from './daemon/log.ts'
import { Intake } from './engine/intake.ts'
import type { Reactor } from './engine/reactor.ts'
import type { Clock } from './ports/clock.ts'
import type { Store } from './ports/store.ts'
import { openSqlite } from './store/sqlite.ts'

export interface ComposeOptions {
  folder: StateFolder
  env: Environment
  home: string
  /** Added to the product's own reactors; tests bring theirs here. */
  reactors?: readonly Reactor[]
  /** Without a place to keep anything: the journal lives as long as the process. */
  inMemory?: boolean
}

/** Everything that runs, put together once: the only place where adapters meet the engine. */
export interface Baton {
  intake: Intake
  store: Store
  live: Live
  clock: Clock
  port: number
  figures(): Promise<Figures>
  /** Journals something that belongs to no session. */
  note(body: EntryBody): Promise<void>
  forget(session: string): Promise<{ session: string; entries: number }>
  housekeeping(): Promise<void>
  fault(during: string, cause: unknown): void
  close(): Promise<void>
}

type Figures = Pick<import('@batonpass/contract/api').Health, 'sessions' | 'store' | 'config'>

/** Sessions kept at hand, so that a hook need not wait for a query. */
const SESSIONS_AT_HAND = 500

export async function compose(options: ComposeOptions): Promise<Baton> {
  const { folder } = options
  const clock = systemClock
  const chance = systemChance
  const store = await openSqlite(options.inMemory ? ':memory:' : folder.database)
  const { log, rotate } = openLog(folder.log, line => line)
  const live = new Live()
  const sessions = new Map<string, Session>()

  async function write(entries: readonly NewEntry[], changed: readonly Session[] = []): Promise<Entry[]> {
    const written = await store.record(entries, changed)
    for (const session of changed) keep(sessions, session)
    live.publish(written)
    return written
  }

  const newEntry = (body: EntryBody): NewEntry => ({
    id: EntryId.parse(`ent_${chance.id(20)}`),
    at: new Date(clock.now()).toISOString(),
    body,
  })

  function fault(during: string, cause: unknown): void {
    const error =
      cause instanceof BatonError ? cause : new BatonError('internal', messageOf(cause), { cause })
    log.error({ during, code: error.code, err: cause }, error.message)
    // A journal that cannot be written to is the fault; the log line has to do.
    write([newEntry({ kind: 'fault', during, error: error.toBody() })]).catch(() => {})
  }

  const intake = new Intake({
    adapterFor: name => adapters.find(adapter => adapter.name === name),
    reactors: options.reactors ?? [],
    write,
    recorded: async request => eventOf(await store.byRequest(request)),
    session: async id => sessions.get(id) ?? (await store.findSession(id)),
    projectOf: findWorktreeRoot,
    ownCall: () => false,
    fault,
    clock,
    chance,
  })

  return {
    intake,
    store,
    live,
    clock,
    port: 4747,
    fault,
    async figures() {
      const { entries } = await store.stats()
      const living = await store.sessions({ live: true, limit: 5000 })
      return {
        sessions: { live: living.length, known: living.length },
        store: { kind: store.kind, entries, copy: 'off' },
        config: { ok: true, problems: [] },
      }
    },
    async note(body) {
      await write([newEntry(body)])
    },
    async forget(wanted) {
      const session = await store.findSession(wanted)
      if (!session)
        throw new BatonError('not_found', `No session ${wanted}`, { remedy: 'See `baton status --all`.' })
      sessions.delete(session.id)
      const entries = await store.forget(session.id)
      await write([newEntry({ kind: 'forgotten', session: session.id, entries })])
      return { session: session.nativeSession, entries }
    },
    async housekeeping() {
      rotate()
    },
    async close() {
      await intake.idle()
      await store.close()
      log.flush()
    },
  }
}

function keep(sessions: Map<string, Session>, session: Session): void {
  sessions.delete(session.id)
  sessions.set(session.id, session)
  const [oldest] = sessions.keys()
  if (sessions.size > SESSIONS_AT_HAND && oldest !== undefined) sessions.delete(oldest)
}

const eventOf = (entry: Entry | undefined): AgentEvent | undefined =>
  entry?.body.kind === 'event' ? entry.body.event : undefined

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
