import type { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentEvent } from '@batonpass/contract/event'
import { EntryId } from '@batonpass/contract/ids'
import type { Entry, EntryBody, NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import { readerOf } from './adapters/agents/readers.ts'
import { adapters } from './adapters/agents/registry.ts'
import { systemGit } from './adapters/git/git.ts'
import { systemChance } from './adapters/system/chance.ts'
import { systemClock } from './adapters/system/clock.ts'
import { systemFiles } from './adapters/system/files.ts'
import { openLog } from './adapters/system/log.ts'
import { systemTimers } from './adapters/system/timers.ts'
import { telegramChannel } from './adapters/telegram/channel.ts'
import { Asks } from './ask/asks.ts'
import { considerate } from './ask/considerate.ts'
import { newsOfEntry } from './ask/newsroom.ts'
import { PageChannel } from './ask/page-channel.ts'
import type { Boards } from './claim/boards.ts'
import type { Claims } from './claim/claims.ts'
import { composeClaim } from './compose/claim.ts'
import { composeCycle } from './compose/cycle.ts'
import { composeDashboard, type Dashboard } from './compose/dashboard.ts'
import { forgeKeeper } from './compose/forge.ts'
import { composeHandoff } from './compose/handoff.ts'
import { composeJudge } from './compose/model.ts'
import { composeNotify } from './compose/notify.ts'
import { composePermission } from './compose/permission.ts'
import { composeDrivers, composeSessions, type Sessions } from './compose/sessions.ts'
import { claimLine, composeStage, type StagedWork } from './compose/stage.ts'
import { stageHandoff } from './compose/stage-handoff.ts'
import { snapshotBefore, undoIn } from './compose/undo.ts'
import { composeWorkflow, newsOf } from './compose/workflow.ts'
import { type ConfigChange, type ConfigKeeper, keepConfig } from './config/keeper.ts'
import { batonHome, type Environment } from './config/places.ts'
import { problemLine } from './config/problem.ts'
import { findWorktreeRoot } from './config/project.ts'
import type { StateFolder } from './config/state-folder.ts'
import { Intake } from './engine/intake.ts'
import type { Cycles } from './handoff/cycle/cycles.ts'
import { guardStore } from './journal/guard.ts'
import { Live } from './journal/live.ts'
import { makeRedactor } from './journal/redact.ts'
import { NO_REPLICATION, replicate } from './journal/replicate.ts'
import { limitsAt } from './journal/retention.ts'
import type { ChannelMemory } from './ports/ask-store.ts'
import type { Clock } from './ports/clock.ts'
import type { Reactor } from './ports/reactor.ts'
import type { Store } from './ports/store.ts'
import { contextReactor } from './session/context/reactor.ts'
import { OwnCalls } from './session/own-calls.ts'
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
  asks: Asks
  /** Sessions under watch. */
  sessions: Sessions
  claims: Claims
  boards: Boards
  /** None in a process that lives for one call. */
  cycles: Cycles | undefined
  /** What the dashboard reads, the pages that are open, and what it keeps of the browsers that were let in. */
  dashboard: Dashboard
  pages: PageChannel
  /** The windows of editors that are open. */
  editors: PageChannel
  browsers: ChannelMemory
  live: Live
  /** Work items, their stages and tools. */
  work: StagedWork
  clock: Clock
  /** The loopback port somebody asked for, if anybody did. */
  port: number | undefined
  /** The loopback port that is in use: closed to agents. */
  listensOn(port: number): void
  config: ConfigKeeper
  figures(): Promise<Figures>
  /** Journals something that belongs to no session. */
  note(body: EntryBody): Promise<void>
  forget(session: string): Promise<{ session: string; entries: number }>
  housekeeping(): Promise<void>
  /** What is due every few seconds, such as going on after a usage limit. */
  tick(): Promise<void>
  fault(during: string, cause: unknown): void
  close(): Promise<void>
}

type Figures = Pick<import('@batonpass/contract/api').Health, 'sessions' | 'store' | 'config'>

/** Sessions kept at hand, so that a hook need not wait for a query. */
const SESSIONS_AT_HAND = 500

export async function compose(options: ComposeOptions): Promise<Baton> {
  const { folder, env, home } = options
  const clock = systemClock
  const chance = systemChance
  const notes: EntryBody[] = []
  const told = new Set<string>()
  let started = false
  let secrets: readonly string[] = []
  const redactor = makeRedactor(() => secrets)
  const { log, rotate } = openLog(folder.log, redactor.text)
  const config = keepConfig({ env, home, stateDir: folder.dir }, { files: systemFiles, clock }, { onChange })
  let machine = await config.get()
  secrets = secretsIn(machine.config, env)

  const local = await openSqlite(options.inMemory ? ':memory:' : folder.database)
  const store = guardStore(local, { redactor, content: () => machine.config.journal.content })
  const copy =
    machine.config.store.url && !options.inMemory ? await copyTo(machine.config.store.url) : NO_REPLICATION
  const live = new Live()
  const sessions = new Map<string, Session>()

  async function copyTo(url: string) {
    const { openPostgres } = await import('./store/postgres.ts')
    return replicate(local, () => openPostgres(url), {
      onFailure: cause => log.warn({ err: cause }, 'the copy in PostgreSQL is behind'),
    })
  }

  /** Called for every configuration that was loaded or found broken, once each. */
  function onChange({ project, kind, loaded }: ConfigChange): void {
    if (project === undefined && started) {
      machine = loaded
      secrets = secretsIn(loaded.config, env)
    }
    if (loaded.problems.length === 0) told.clear()
    for (const problem of loaded.problems) {
      // A file that several projects stand on is one problem.
      if (told.has(problemLine(problem))) continue
      told.add(problemLine(problem))
      log.error({ file: problem.file }, `configuration rejected: ${problemLine(problem)}`)
      notes.push({
        kind: 'config',
        what: 'rejected',
        ...(problem.file ? { file: problem.file } : {}),
        message: problemLine(problem),
      })
    }
    if (kind === 'mended')
      notes.push({ kind: 'config', what: 'loaded', ...(project ? { file: project } : {}) })
    if (started) void flushNotes().catch(() => {})
  }

  async function flushNotes(): Promise<void> {
    const waiting = notes.splice(0)
    if (waiting.length > 0) await write(waiting.map(newEntry))
  }

  async function write(entries: readonly NewEntry[], changed: readonly Session[] = []): Promise<Entry[]> {
    const written = await store.record(entries, changed)
    for (const session of changed) keep(sessions, session)
    live.publish(written)
    copy.wake()
    return written
  }

  function newEntry(body: EntryBody): NewEntry {
    return { id: EntryId.parse(`ent_${chance.id(20)}`), at: new Date(clock.now()).toISOString(), body }
  }

  function fault(during: string, cause: unknown): void {
    const error =
      cause instanceof BatonError ? cause : new BatonError('internal', messageOf(cause), { cause })
    log.error({ during, code: error.code, err: cause }, error.message)
    // A journal that cannot be written to is the fault; the log line has to do.
    write([newEntry({ kind: 'fault', during, error: error.toBody() })]).catch(() => {})
  }

  const ownCalls = new OwnCalls(chance)
  let listening: number | undefined
  const pages = new PageChannel(systemTimers)
  const editors = new PageChannel(systemTimers, 'vscode')
  const asks = new Asks({
    store: local.asks,
    channels: [
      pages,
      editors,
      considerate(
        telegramChannel({
          configFor: async ask => (await config.get(ask.facts.project)).config.telegram,
          memory: local.asks.memory('telegram'),
          warn: message => log.warn(message),
          clock,
          timers: systemTimers,
          chance,
          ...(machine.config.telegram.api_root ? { apiRoot: machine.config.telegram.api_root } : {}),
        }),
        {
          settingsFor: async project => (await config.get(project)).config.notify,
          memory: local.asks.memory('notify'),
          clock,
        },
      ),
      ...composeNotify({
        config,
        env,
        redactor,
        memory: local.asks.memory('notify'),
        pidOf: async session => (sessions.get(session) ?? (await store.findSession(session)))?.pid,
      }),
    ],
    record: write,
    fault,
    clock,
    timers: systemTimers,
    chance,
  })
  const handoff = composeHandoff({
    env,
    home,
    stateDir: folder.dir,
    ...(options.inMemory ? { inMemory: true } : {}),
    redactor,
    write,
    placeOf: session => cycle?.cycles.of(session)?.place,
    continues: (session, parent) => intake.amend(session, known => ({ ...known, parent })),
    written: (session, document) =>
      void cycle?.cycles.written(session, document).catch(cause => fault('a written document', cause)),
  })
  const drivers = composeDrivers(env, (agent, event, about) =>
    intake.tell(agent, event, { ...about, hosted: true }),
  )
  const configFor = async (project: string | undefined) => (await config.get(project)).config
  const forges = forgeKeeper({ git: systemGit, env, clock, config: configFor })
  const claim = await composeClaim({
    config,
    stateDir: folder.dir,
    ...(options.inMemory ? { inMemory: true } : {}),
    asks,
    forges,
    drivers,
    storeUrl: machine.config.store.url,
    session: id => store.findSession(id),
    redactor,
    write,
    fault,
  })
  const handsOff = composeWorkflow({
    config,
    env,
    home,
    stateDir: folder.dir,
    ...(options.inMemory ? { inMemory: true } : {}),
    ownCalls,
    forgeFor: async project => {
      // A claim may be opening the very pull request that is looked for.
      await claim.claims.settled(project)
      return forges.find(project)
    },
    driverAt: drivers.at,
    write,
    busyElsewhere: async session => (await handoff.busy(session)) || cycle?.cycles.busy(session) === true,
    announce: announcement => asks.tell(newsOf(announcement)),
    fault,
  })
  const sessionOf = async (id: string) => sessions.get(id) ?? (await store.findSession(id))
  const work = composeStage({
    env,
    home,
    stateDir: folder.dir,
    forgeFor: project => forges.find(project),
    daemon: {
      session: sessionOf,
      busyElsewhere: async id => (await handoff.busy(id)) || cycle?.cycles.busy(id) === true,
      asks: () => asks.open(),
      claimOf: async project => claimLine(await claim.claims.at(project)),
      drivers,
      run: order => watched.run(order),
      handOff: stageHandoff(folder.dir, redactor),
      write,
      announce: (project, text) => asks.tell({ project, text }),
      fault,
    },
  })
  // A process that lives for one call can hand nothing off.
  const cycle: ReturnType<typeof composeCycle> | undefined = options.inMemory
    ? undefined
    : composeCycle({
        store: local.cycles,
        driverAt: drivers.at,
        generation: handoff.generation,
        files: handoff.files,
        session: sessionOf,
        sessionsAt: async place =>
          (await store.sessions({ live: true, limit: 1000 })).filter(({ pane }) => pane === place),
        carryOver: [
          (from, to) => handsOff.carryOver(from.id, successorOf(to)),
          (from, to) => claim.claims.carryOver(from.id, to),
          (from, to) => work.carryOver(from.id, to),
          (from, to) => intake.amend(to.id, session => ({ ...session, parent: from.id })),
        ],
        asks,
        config: async project => (await config.get(project)).config,
        write,
        fault,
      })
  const permission = composePermission({
    asks,
    home,
    stateDir: folder.dir,
    port: () => listening,
    workflowOf: ({ session, project }) => handsOff.activeWorkflow(session, project),
    snapshot: snapshotBefore(undoIn(folder.dir), redactor),
    model: composeJudge({
      env,
      stateDir: folder.dir,
      ownCalls,
      redactor,
      goalOf: async ({ session, project }) => (await handsOff.activeWorkflow(session, project))?.goal,
    }),
    write,
    fault,
    redact: redactor.text,
    logRoot: project => batonHome(env, home) ?? project,
  })
  const intake: Intake = new Intake({
    adapterFor: name => adapters.find(adapter => adapter.name === name),
    reactors: [
      contextReactor({ readerOf, tell: (agent, event) => intake.tell(agent, event), fault }),
      permission,
      handoff.reactor,
      ...(cycle ? [cycle.reactor] : []),
      claim.reactor,
      work.reactor,
      handsOff.reactor,
      ...(options.reactors ?? []),
    ],
    write,
    recorded: async request => eventOf(await store.byRequest(request)),
    session: sessionOf,
    keep: session => keep(sessions, session),
    projectOf: findWorktreeRoot,
    config: configFor,
    ownCall: marker => ownCalls.isLive(marker),
    fault,
    clock,
    chance,
  })

  const dashboard = composeDashboard({
    store,
    asks,
    config,
    redactor,
    clock,
    env,
    home,
    stateDir: folder.dir,
    driverAt: drivers.at,
  })

  const watched = composeSessions({
    drivers,
    watchStore: local.watch,
    store,
    config,
    env,
    home,
    stateDir: folder.dir,
    redactor,
    content: () => machine.config.journal.content,
    asks,
    write,
    fault,
  })
  live.listen(entry => watched.hear(entry))

  live.listen(entry => {
    const news = newsOfEntry(entry)
    if (news) void asks.tell(news)
  })
  started = true
  await flushNotes()
  await asks.start()
  return {
    intake,
    store,
    asks,
    claims: claim.claims,
    boards: claim.boards,
    cycles: cycle?.cycles,
    dashboard,
    sessions: watched,
    pages,
    editors,
    browsers: local.asks.memory('dashboard'),
    live,
    work,
    clock,
    config,
    listensOn(port) {
      listening = port
    },
    port: machine.sources.get('daemon.port')?.kind === 'default' ? undefined : machine.config.daemon.port,
    fault,
    async figures() {
      const { entries } = await store.stats()
      const living = await store.sessions({ live: true, limit: 5000 })
      const { problems } = await config.get()
      return {
        sessions: { live: living.length },
        store: { kind: store.kind, entries, copy: copy.state() },
        config: { ok: problems.length === 0, problems: problems.map(problemLine) },
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
      await local.asks.forget({ session: session.id })
      await local.cycles.forget({ session: session.id })
      const entries = await store.forget(session.id)
      await write([newEntry({ kind: 'forgotten', session: session.id, entries })])
      return { session: session.nativeSession, entries }
    },
    async tick() {
      await Promise.all([
        handsOff.tick(),
        claim.claims.tick(),
        cycle?.cycles.tick(),
        watched.watch.tick(),
        work.tick(),
      ])
    },
    async housekeeping() {
      rotate()
      await config.refresh()
      const { days, size } = machine.config.journal.retain
      const limits = limitsAt({ days, bytes: size }, clock.now())
      await store.prune(limits)
      if (limits.olderThan) await local.asks.forget({ before: limits.olderThan })
      if (limits.olderThan) local.watch.prune(limits.olderThan)
      if (limits.olderThan) await local.cycles.forget({ before: limits.olderThan })
    },
    async close() {
      await claim.close()
      await asks.stop()
      await intake.idle()
      await drivers.close()
      await copy.stop()
      await store.close()
      log.flush()
    },
  }
}

const successorOf = ({ id, nativeSession, agent, pane, transcript }: Session) => ({
  session: id,
  nativeSession,
  agent,
  ...(pane ? { pane } : {}),
  ...(transcript ? { transcript } : {}),
})

/** Values that no log line or journal entry may hold. */
function secretsIn(config: Config, env: Environment): string[] {
  const named = ['GITHUB_TOKEN', 'GH_TOKEN', 'ANTHROPIC_API_KEY'].map(name => env[name])
  const { token, webhook_secret } = config.github
  return [
    config.telegram.token,
    config.notify.webhook,
    config.store.url,
    token,
    webhook_secret,
    ...named,
  ].filter(secret => secret !== undefined && secret.length >= 8) as string[]
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
