import { BatonError } from '@batonpass/contract/errors'
import type { EntryBody } from '@batonpass/contract/journal'
import { systemGit } from './adapters/git/git.ts'
import { systemClock } from './adapters/system/clock.ts'
import { systemIds } from './adapters/system/ids.ts'
import { systemSmallFiles } from './adapters/system/small-files.ts'
import type { Asks } from './ask/asks.ts'
import { PresenceKeeper } from './ask/presence.ts'
import { composeAsks } from './compose/asks.ts'
import type { Baton, ComposeOptions } from './compose/baton.ts'
import { FleetKeeper, fleetChannel } from './compose/fleet-keeper.ts'
import { forgeKeeper } from './compose/forge.ts'
import { type Ground, layGround } from './compose/ground.ts'
import { composeHandoff } from './compose/handoff.ts'
import { composeHooks } from './compose/hooks.ts'
import { composeJobs, type Jobs } from './compose/jobs.ts'
import { composeLifetime } from './compose/lifetime.ts'
import { Links } from './compose/links.ts'
import { endLostSession } from './compose/lost-session.ts'
import { composeMaintenance } from './compose/maintenance.ts'
import { newEntry } from './compose/new-entry.ts'
import { reviveHosted } from './compose/revive-hosted.ts'
import { type ComposedSandbox, composeSandbox } from './compose/sandbox.ts'
import { composeDrivers, composeSessions, type Drivers, type Sessions } from './compose/sessions.ts'
import { undoIn } from './compose/undo.ts'
import type { Intake } from './engine/intake.ts'
import { OwnModelCalls } from './session/own-model-calls.ts'
import { Pauses } from './session/pauses.ts'
import { composeDashboard } from './views/dashboard.ts'

export type { Baton }

export async function compose(options: ComposeOptions): Promise<Baton> {
  const ground = await layGround(options)
  const { env, stateDir, config, configFor, machine, store, local, live, write, fault } = ground
  const session = (id: string) => ground.sessions.find(id)
  const ownCalls = new OwnModelCalls(systemIds)
  const undo = undoIn(stateDir)
  const note = async (body: EntryBody): Promise<void> => {
    await write([newEntry(body)])
  }
  const pauses = await Pauses.load(systemSmallFiles, stateDir)
  const paused = (about: { session?: string | undefined; project?: string | undefined }) =>
    pauses.of(about) !== undefined
  let listening: number | undefined

  const links = new Links()
  const presence = new PresenceKeeper(local.asks.memory('presence'), systemClock, () =>
    links.get('asks').showAgain(),
  )
  const { asks, pages, editors } = composeAsks(
    ground,
    presence,
    ground.inMemory ? [] : [fleetChannel(() => links.get('fleet'))],
  )
  links.add('asks', asks)
  const handoff = connectHandoff(ground, links)
  const drivers = composeDrivers(
    env,
    (agent, event, about) => links.get('intake').handleEvent(agent, event, { ...about, hosted: true }),
    ground.inMemory ? undefined : stateDir,
  )
  const forges = forgeKeeper({ git: systemGit, env, clock: systemClock, config: configFor })
  const sandbox = connectSandbox(ground, links, options, asks, () => listening)
  const jobs = await composeJobs(ground, links, {
    asks,
    drivers,
    forges,
    handoff,
    ownCalls,
    paused,
    sandbox,
    session,
  })
  const { proofs, claim, handsOff, work, cycle } = jobs
  const { intake, screens } = composeHooks(ground, links, {
    ...jobs,
    asks,
    drivers,
    handoff,
    ownCalls,
    pauses,
    presence,
    sandbox,
    undo,
    port: () => listening,
    reactors: options.reactors ?? [],
  })
  const sessions = watchSessions(ground, options, { ...jobs, asks, drivers, intake, sandbox })
  links.add('sessions', sessions)
  const fleet = new FleetKeeper(stateDir, async () => {
    const { composeFleet } = await import('./compose/fleet.ts')
    return composeFleet(ground, {
      claims: claim.claims,
      claimPorts: claim.ports,
      forges,
      sessions,
      asks,
      startWorkflow: options.startWorkflow,
    })
  })
  links.add('fleet', fleet)
  listenToJournal(ground, { fleet, handsOff, sessions })
  const lifetime = composeLifetime(ground, {
    ...jobs,
    asks,
    drivers,
    fleet,
    intake,
    sandbox,
    screens,
    sessions,
  })

  await ground.ready()
  await asks.start()
  // Not awaited: agents are slow to start.
  if (!ground.inMemory)
    void reviveHosted({
      drivers,
      sessions,
      cycles: cycle?.cycles,
      intake,
      session,
      asks,
      pauses,
      fault,
    })
  return {
    ...composeMaintenance(ground, handoff.tidy, pauses, {
      status: async () => sandbox?.sandboxes.statusNow(),
      off: async () => (await sandbox?.off()) ?? [],
    }),
    intake,
    contained: sandbox?.whole,
    store,
    asks,
    presence,
    claims: claim.claims,
    boards: claim.boards,
    fleet,
    cycles: cycle?.cycles,
    proofs,
    // By the session of a workflow, or by a Work ID.
    acceptRun: (wanted, who) =>
      handsOff.accept(wanted, who).catch(cause => {
        if (cause instanceof BatonError && cause.code === 'not_found') return work.accept(wanted, who)
        throw cause
      }),
    dashboard: composeDashboard({ ...ground, asks, clock: systemClock, driverAt: drivers.at, undo, note }),
    sessions,
    async rename(id, name) {
      await intake.updateSession(id, known => ({ ...known, name, namedBy: 'person' }))
      sessions.watch.outdated()
    },
    pages,
    editors,
    pauses,
    browsers: local.asks.memory('dashboard'),
    live,
    work,
    clock: systemClock,
    config,
    port: machine().sources.get('daemon.port')?.kind === 'default' ? undefined : machine().config.daemon.port,
    listensOn(port) {
      listening = port
    },
    note,
    fault,
    ...lifetime,
  }
}

const connectHandoff = (ground: Ground, links: Links) =>
  composeHandoff({
    ...ground,
    placeOf: session => links.get('cycles')?.findCycle(session)?.place,
    continues: (session, parent) =>
      links.get('intake').updateSession(session, known => ({ ...known, parent })),
    written: (session, document) =>
      void links
        .get('cycles')
        ?.documentWritten(session, document)
        .catch(cause => ground.fault('continuing a cycle after its document was written', cause)),
  })

function connectSandbox(
  ground: Ground,
  links: Links,
  options: ComposeOptions,
  asks: Asks,
  port: () => number | undefined,
): ComposedSandbox | undefined {
  // A process that handles a single call is gone before the command runs.
  if (ground.inMemory) return undefined
  return composeSandbox(ground, {
    asks,
    intake: () => links.get('intake'),
    async brokerEnded(session, done) {
      await links.get('handsOff').brokerEnded(session, done)
      await links.get('work').brokerEnded(session, done)
    },
    port,
    borrowedBy: project => links.get('fleet').borrowedBy(project),
    ownProgram: options.ownProgram ?? ['baton'],
    programFolder: options.programFolder,
  })
}

interface SessionParts extends Pick<Jobs, 'claim' | 'handsOff' | 'busyElsewhere'> {
  asks: Asks
  drivers: Drivers
  intake: Intake
  sandbox: ComposedSandbox | undefined
}

/** Starts, adopts and watches sessions; one that is lost ends everywhere. */
function watchSessions(
  ground: Ground,
  { toolServer }: ComposeOptions,
  { asks, busyElsewhere, claim, drivers, handsOff, intake, sandbox }: SessionParts,
): Sessions {
  const { local, machine, sessions } = ground
  return composeSessions({
    ...ground,
    drivers,
    watchStore: local.watch,
    liveSessions: local.liveSessions,
    content: () => machine().config.journal.content,
    async lost(lost, why) {
      await endLostSession(lost, why, {
        session: id => sessions.find(id),
        updateSession: (id, change) => intake.updateSession(id, change),
        report: (agent, event) => intake.handleEvent(agent, event),
        hasUnfinishedRun: handsOff.hasUnfinishedRun,
        isBusyElsewhere: busyElsewhere,
        now: systemClock.now,
      })
      claim.claims.busy(lost.id, false)
      await sandbox?.sandboxes.end(lost.id)
    },
    asks,
    serversOf: id => sandbox?.sandboxes.servers(id) ?? [],
    toolServer,
    contain: sandbox?.whole.contain,
  })
}

/** What follows at once from what is recorded, before the next tick. */
function listenToJournal(
  { live, fault }: Ground,
  { fleet, handsOff, sessions }: Pick<Jobs, 'handsOff'> & { fleet: FleetKeeper; sessions: Sessions },
): void {
  live.listen(entry => sessions.hear(entry))
  // `baton ps` shows a new session, also where one takes another's place.
  live.listen(({ body }) => {
    if (body.kind === 'event' && body.event.type === 'SessionStarted') sessions.watch.outdated()
  })
  // A pull request may be merged, and its claim gone, before the next tick.
  live.listen(({ body }) => {
    if (body.kind !== 'claim' || body.what !== 'opened') return
    void handsOff.tick().catch(cause => fault('ending the run of a claim', cause))
    void fleet.tick().catch(cause => fault('following a job', cause))
  })
}
