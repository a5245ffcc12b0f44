import { setTimeout as pause } from 'node:timers/promises'
import { BatonError } from '@batonpass/contract/errors'
import type { EntryBody } from '@batonpass/contract/journal'
import { pauseLine } from '@batonpass/contract/pause-line'
import type { Session } from '@batonpass/contract/session'
import { readerOf } from './adapters/agents/readers.ts'
import { systemGit } from './adapters/git/git.ts'
import { systemClock } from './adapters/system/clock.ts'
import { systemIds } from './adapters/system/ids.ts'
import { systemSmallFiles } from './adapters/system/small-files.ts'
import { questionReactor } from './ask/agent-questions.ts'
import { PresenceKeeper } from './ask/presence.ts'
import { composeAsks } from './compose/asks.ts'
import type { Baton, ComposeOptions } from './compose/baton.ts'
import { composeClaim } from './compose/claim.ts'
import { composeCycle } from './compose/cycle.ts'
import { FleetKeeper } from './compose/fleet-keeper.ts'
import { foreignHooksReactor } from './compose/foreign-hooks.ts'
import { forgeKeeper } from './compose/forge.ts'
import { layGround } from './compose/ground.ts'
import { composeHandoff } from './compose/handoff.ts'
import { composeIntake } from './compose/intake.ts'
import { composeMaintenance } from './compose/maintenance.ts'
import { composeJudge } from './compose/model.ts'
import { nameSession } from './compose/name-session.ts'
import { newEntry } from './compose/new-entry.ts'
import { composePermission } from './compose/permission.ts'
import { composeProof, reportComparer } from './compose/proof.ts'
import { removedHooksReactor } from './compose/removed-hooks.ts'
import { reviveHosted } from './compose/revive-hosted.ts'
import { composeSandbox } from './compose/sandbox.ts'
import { composeScreenAsks } from './compose/screen-dialogs.ts'
import { composeDrivers, composeSessions } from './compose/sessions.ts'
import { claimLine, composeStage } from './compose/stage.ts'
import { stageHandoff } from './compose/stage-handoff.ts'
import { Ticks } from './compose/ticks.ts'
import { composeUnattended } from './compose/unattended.ts'
import { prepareUndo, snapshotBefore, undoIn } from './compose/undo.ts'
import { composeWorkflow, newsOf } from './compose/workflow.ts'
import { batonHome } from './config/places.ts'
import type { Intake } from './engine/intake.ts'
import { contextReactor } from './session/context/reactor.ts'
import { OwnModelCalls } from './session/own-model-calls.ts'
import { Pauses } from './session/pauses.ts'
import { inheritedName } from './session/session-name.ts'
import { lostReason } from './session/watch/lost-sessions.ts'
import { composeDashboard } from './views/dashboard.ts'
import { runContext } from './work/workflows/reactor.ts'

/** How long a stop waits for running ticks. */
const MAX_TICK_MS = 3000

export type { Baton }

export async function compose(options: ComposeOptions): Promise<Baton> {
  const ground = await layGround(options)
  const { env, home, stateDir, config, configFor, machine, redactor, store, local, live, write, fault } =
    ground
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

  const presence = new PresenceKeeper(local.asks.memory('presence'), systemClock, () => asks.showAgain())
  const { asks, pages, editors } = composeAsks(ground, presence)
  const handoff = composeHandoff({
    ...ground,
    placeOf: session => cycle?.cycles.findCycle(session)?.place,
    continues: (session, parent) => intake.updateSession(session, known => ({ ...known, parent })),
    written: (session, document) =>
      void cycle?.cycles
        .documentWritten(session, document)
        .catch(cause => fault('continuing a cycle after its document was written', cause)),
  })
  const busyElsewhere = async (session: Session['id']) =>
    (await handoff.busy(session)) || cycle?.cycles.isBusy(session) === true
  const drivers = composeDrivers(
    env,
    (agent, event, about) => intake.handleEvent(agent, event, { ...about, hosted: true }),
    ground.inMemory ? undefined : stateDir,
  )
  const forges = forgeKeeper({ git: systemGit, env, clock: systemClock, config: configFor })
  // A process that handles a single call is gone before the command runs.
  const sandbox = ground.inMemory
    ? undefined
    : composeSandbox(ground, {
        asks,
        intake: () => intake,
        async brokerEnded(session, done) {
          await handsOff.brokerEnded(session, done)
          await work.brokerEnded(session, done)
        },
        port: () => listening,
        borrowedBy: project => fleet.borrowedBy(project),
        ownProgram: options.ownProgram ?? ['baton'],
        programFolder: options.programFolder,
      })
  const proofs = ground.inMemory
    ? undefined
    : composeProof(ground, sandbox?.sandboxes, {
        loginFor: forges.login,
        forgeFor: project => forges.find(project),
        asks,
        ownCalls,
        insideCalls: sandbox?.insideCalls,
      })
  const compareReport = reportComparer(project => forges.find(project))
  const claim = await composeClaim({
    ...ground,
    asks,
    forges,
    proofs,
    compareReport,
    workflowChecksOf: id => handsOff.workflowChecksOf(id),
    drivers,
    storeUrl: machine().config.fleet.postgres || machine().config.store.url,
    mergesFor: project => fleet.mergesFor(project),
    paused,
    session: id => store.findSession(id),
  })
  const handsOff = composeWorkflow({
    ...ground,
    ownCalls,
    forgeFor: async project => {
      // A claim may be opening the pull request that the workflow looks for.
      await claim.claims.settled(project)
      return forges.find(project)
    },
    proofs,
    showProof: (project, pull, proof) => claim.outside.showProof(project, pull, proof),
    compareReport,
    claimOf: ({ session, project }) => claim.claims.progressOf(session, project),
    driverAt: drivers.at,
    busyElsewhere,
    paused,
    announce: announcement => asks.tell(newsOf(announcement)),
    tell: (agent, event) => intake.handleEvent(agent, event),
  })
  const work = composeStage({
    env,
    home,
    stateDir,
    forgeFor: project => forges.find(project),
    daemon: {
      session,
      busyElsewhere,
      asks: () => asks.open(),
      claimOf: async project => claimLine(await claim.claims.at(project)),
      drivers,
      run: order => watched.run(order),
      handOff: stageHandoff(stateDir, redactor),
      write,
      announce: (project, text) => asks.tell({ project, text }),
      askForReviews: (project, pull, logins) => claim.outside.askForReviewsIn(project, pull, logins),
      proofs,
      compareReport,
      showProof: (project, pull, proof) => claim.outside.showProof(project, pull, proof),
      config: configFor,
      fault,
      paused,
    },
  })
  // A process that handles a single call cannot hand over a session.
  const cycle: ReturnType<typeof composeCycle> | undefined = ground.inMemory
    ? undefined
    : composeCycle({
        store: local.cycles,
        driverAt: drivers.at,
        generation: handoff.generation,
        files: handoff.files,
        session,
        sessionsAt: async place => (await local.liveSessions()).filter(({ pane }) => pane === place),
        carryOver: [
          (from, to) => handsOff.carryOver(from.id, successorOf(to)),
          (from, to) => claim.claims.carryOver(from.id, to),
          (from, to) => work.carryOver(from.id, to),
          async (from, to): Promise<unknown> => unattended?.hungTurns.carryOver(from.id, to.id),
          (from, to) =>
            intake.updateSession(to.id, session => ({
              ...session,
              parent: from.id,
              ...inheritedName(from, session),
            })),
        ],
        asks,
        config: configFor,
        write,
        fault,
        paused,
      })
  const unattended =
    cycle &&
    composeUnattended(ground, {
      handsOff,
      work,
      claims: claim.claims,
      cycles: cycle.cycles,
      drivers,
      asks,
      watch: () => watched.watch,
      busyElsewhere,
      paused,
    })
  const permission = composePermission({
    asks,
    home,
    env,
    stateDir,
    port: () => listening,
    workflowOf: ({ session, project }) => handsOff.activeWorkflow(session, project),
    grantsOf: async ({ session, project }) => [
      ...[(await claim.claims.grantOf(session.id, project)) ?? []].flat(),
      ...(await work.grantsOf(session.id)),
    ],
    useGrant: (session, call) => handsOff.useGrant(session, call),
    snapshot: snapshotBefore(undo, redactor),
    sandbox: sandbox?.link,
    model: composeJudge({
      env,
      stateDir,
      ownCalls,
      redactor,
      write,
      fault,
      goalOf: async ({ session, project }) => (await handsOff.activeWorkflow(session, project))?.goal,
    }),
    write,
    fault,
    redact: redactor.text,
    logRoot: project => batonHome(env, home) ?? project,
  })
  const isAway = async () => (await presence.read()).awaySince !== undefined
  const screens = composeScreenAsks({
    ...ground,
    asks,
    drivers,
    handsOff,
    isAway,
    redact: redactor.text,
  })
  const intake: Intake = composeIntake(ground, {
    ownCalls,
    driverAt: place => drivers.at(place),
    pausedFor: about => {
      const pause = pauses.of(about)
      return pause && pauseLine(pause)
    },
    restore: sandbox?.restore,
    reactors: [
      contextReactor({ readerOf, tell: (agent, event) => intake.handleEvent(agent, event), fault }),
      permission,
      questionReactor({
        asks,
        onScreen: screens.questions,
        workflowOf: ({ session, project }) => handsOff.activeWorkflow(session, project),
        isAway,
        parkRun: (context, reason) => handsOff.park(runContext(context), reason),
        resumeRun: session => handsOff.unpark(session),
      }),
      ...(ground.inMemory ? [] : [prepareUndo(undo, fault)]),
      ...(sandbox ? [sandbox.reactor] : []),
      handoff.reactor,
      ...(cycle ? [cycle.reactor] : []),
      claim.reactor,
      work.reactor,
      handsOff.reactor,
      ...(unattended ? [unattended.reactor] : []),
      foreignHooksReactor({ home, env }),
      nameSession({
        claimAt: project => claim.claims.at(project),
        rename: (id, change) => intake.updateSession(id, change),
        redact: redactor.text,
        fault,
      }),
      removedHooksReactor({ home, env, tell: news => asks.tell(news) }),
      ...(options.reactors ?? []),
    ],
  })
  const watched = composeSessions({
    ...ground,
    drivers,
    watchStore: local.watch,
    liveSessions: local.liveSessions,
    content: () => machine().config.journal.content,
    // Do not end a session that has reported again meanwhile.
    async lost({ id, lastSeenAt }, why) {
      await intake.updateSession(id, known =>
        known.endedAt === undefined && known.lastSeenAt === lastSeenAt
          ? { ...known, endedAt: new Date(systemClock.now()).toISOString(), endReason: lostReason(why) }
          : known,
      )
      claim.claims.busy(id, false)
      await sandbox?.sandboxes.end(id)
    },
    asks,
    serversOf: id => sandbox?.sandboxes.servers(id) ?? [],
    toolServer: options.toolServer,
    contain: sandbox?.whole.contain,
  })
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
      ...(ground.inMemory ? {} : { fleet: () => fleet.tick() }),
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
    rename: (id, name) => intake.updateSession(id, known => ({ ...known, name, namedBy: 'person' })),
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

const successorOf = ({ id, nativeSession, agent, pane, transcript }: Session) => ({
  session: id,
  nativeSession,
  agent,
  ...(pane ? { pane } : {}),
  ...(transcript ? { transcript } : {}),
})
