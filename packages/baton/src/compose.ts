import { setTimeout as pause } from 'node:timers/promises'
import { BatonError } from '@batonpass/contract/errors'
import type { EntryBody } from '@batonpass/contract/journal'
import { systemGit } from './adapters/git/git.ts'
import { systemClock } from './adapters/system/clock.ts'
import { systemIds } from './adapters/system/ids.ts'
import { systemSmallFiles } from './adapters/system/small-files.ts'
import { PresenceKeeper } from './ask/presence.ts'
import { composeAsks } from './compose/asks.ts'
import type { Baton, ComposeOptions } from './compose/baton.ts'
import { FleetKeeper, fleetChannel } from './compose/fleet-keeper.ts'
import { forgeKeeper } from './compose/forge.ts'
import { layGround } from './compose/ground.ts'
import { composeHandoff } from './compose/handoff.ts'
import { composeHooks } from './compose/hooks.ts'
import { composeJobs } from './compose/jobs.ts'
import { Links } from './compose/links.ts'
import { endLostSession } from './compose/lost-session.ts'
import { composeMaintenance } from './compose/maintenance.ts'
import { newEntry } from './compose/new-entry.ts'
import { reviveHosted } from './compose/revive-hosted.ts'
import { composeSandbox } from './compose/sandbox.ts'
import { composeDrivers, composeSessions } from './compose/sessions.ts'
import { Ticks } from './compose/ticks.ts'
import { undoIn } from './compose/undo.ts'
import { OwnModelCalls } from './session/own-model-calls.ts'
import { Pauses } from './session/pauses.ts'
import { composeDashboard } from './views/dashboard.ts'

/** How long a stop waits for running ticks. */
const MAX_TICK_MS = 3000

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
  const handoff = composeHandoff({
    ...ground,
    placeOf: session => links.get('cycles')?.findCycle(session)?.place,
    continues: (session, parent) =>
      links.get('intake').updateSession(session, known => ({ ...known, parent })),
    written: (session, document) =>
      void links
        .get('cycles')
        ?.documentWritten(session, document)
        .catch(cause => fault('continuing a cycle after its document was written', cause)),
  })
  const drivers = composeDrivers(
    env,
    (agent, event, about) => links.get('intake').handleEvent(agent, event, { ...about, hosted: true }),
    ground.inMemory ? undefined : stateDir,
  )
  const forges = forgeKeeper({ git: systemGit, env, clock: systemClock, config: configFor })
  // A process that handles a single call is gone before the command runs.
  const sandbox = ground.inMemory
    ? undefined
    : composeSandbox(ground, {
        asks,
        intake: () => links.get('intake'),
        async brokerEnded(session, done) {
          await links.get('handsOff').brokerEnded(session, done)
          await links.get('work').brokerEnded(session, done)
        },
        port: () => listening,
        borrowedBy: project => links.get('fleet').borrowedBy(project),
        ownProgram: options.ownProgram ?? ['baton'],
        programFolder: options.programFolder,
      })
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
  const { proofs, shownProofs, claim, handsOff, work, cycle, unattended } = jobs
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
  const watched = composeSessions({
    ...ground,
    drivers,
    watchStore: local.watch,
    liveSessions: local.liveSessions,
    content: () => machine().config.journal.content,
    async lost(lost, why) {
      await endLostSession(lost, why, {
        session,
        updateSession: (id, change) => intake.updateSession(id, change),
        report: (agent, event) => intake.handleEvent(agent, event),
        hasUnfinishedRun: handsOff.hasUnfinishedRun,
        isBusyElsewhere: jobs.busyElsewhere,
        now: systemClock.now,
      })
      claim.claims.busy(lost.id, false)
      await sandbox?.sandboxes.end(lost.id)
    },
    asks,
    serversOf: id => sandbox?.sandboxes.servers(id) ?? [],
    toolServer: options.toolServer,
    contain: sandbox?.whole.contain,
  })
  links.add('sessions', watched)
  live.listen(entry => watched.hear(entry))
  const fleet = new FleetKeeper(stateDir, async () => {
    const { composeFleet } = await import('./compose/fleet.ts')
    return composeFleet(ground, {
      claims: claim.claims,
      claimPorts: claim.ports,
      forges,
      sessions: watched,
      asks,
      startWorkflow: options.startWorkflow,
    })
  })
  links.add('fleet', fleet)
  // `baton ps` shows a new session at once, also where one takes another's place.
  live.listen(({ body }) => {
    if (body.kind === 'event' && body.event.type === 'SessionStarted') watched.watch.outdated()
  })
  // At once: a pull request may be merged, and its claim gone, before the next tick.
  live.listen(({ body }) => {
    if (body.kind !== 'claim' || body.what !== 'opened') return
    void handsOff.tick().catch(cause => fault('ending the run of a claim', cause))
    void fleet.tick().catch(cause => fault('following a job', cause))
  })
  const ticks = new Ticks(
    {
      workflows: () => handsOff.tick(),
      claims: () => claim.claims.tick(),
      ...(cycle ? { cycles: () => cycle.cycles.tick() } : {}),
      watch: () => screens.watch(watched.watch),
      stages: () => work.tick(),
      ...(unattended ? { hungTurns: () => unattended.hungTurns.tick() } : {}),
      ...(sandbox
        ? {
            sandbox: async () => {
              await sandbox.whole.agents.tick()
              await sandbox.sandboxes.tick()
            },
          }
        : {}),
      ...(ground.inMemory ? {} : { fleet: () => fleet.tick(), shownProofs: () => shownProofs.tick() }),
    },
    fault,
  )

  await ground.ready()
  await asks.start()
  // Not awaited: agents are slow to start.
  if (!ground.inMemory)
    void reviveHosted({
      drivers,
      sessions: watched,
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
    sessions: watched,
    async rename(id, name) {
      await intake.updateSession(id, known => ({ ...known, name, namedBy: 'person' }))
      watched.watch.outdated()
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
    async startSandbox() {
      if (sandbox) {
        const live = await store.sessions({ live: true, limit: 5000 })
        await sandbox.start(new Set(live.map(({ id }) => id)))
      }
      // Only now: the sandboxes of proofs that a killed daemon left have ended.
      await proofs?.resume()
    },
    tick: () => ticks.tick(),
    async close(hosted) {
      const steps = [
        // Do not wait long for a tick that waits for a forge or an agent: its stored state is resumed after the next start.
        () => Promise.race([ticks.idle(), pause(MAX_TICK_MS, undefined, { ref: false })]),
        () => fleet.close(),
        () => claim.close(),
        async () => proofs?.close(),
        async () => sandbox?.close(),
        () => asks.stop(),
        () => intake.idle(),
        async () => {
          if (hosted === 'end') await sandbox?.endAll()
        },
        () => drivers.close(hosted),
      ]
      // Continue after a failed step: otherwise the daemon would keep its lock without serving calls.
      for (const step of steps) await step().catch(cause => fault('closing', cause))
      await ground.close()
    },
  }
}
