import { pauseLine } from '@batonpass/contract/pause-line'
import { readerOf } from '../adapters/agents/readers.ts'
import { questionReactor } from '../ask/agent-questions.ts'
import type { Asks } from '../ask/asks.ts'
import type { PresenceKeeper } from '../ask/presence.ts'
import { batonHome } from '../config/places.ts'
import type { Reactor } from '../ports/reactor.ts'
import { contextReactor } from '../session/context/reactor.ts'
import type { OwnModelCalls } from '../session/own-model-calls.ts'
import type { Pauses } from '../session/pauses.ts'
import { runContext } from '../work/workflows/reactor.ts'
import { foreignHooksReactor } from './foreign-hooks.ts'
import type { Ground } from './ground.ts'
import type { composeHandoff } from './handoff.ts'
import { composeIntake } from './intake.ts'
import type { Jobs } from './jobs.ts'
import type { Links } from './links.ts'
import { composeJudge } from './model.ts'
import { nameSession } from './name-session.ts'
import { composePermission } from './permission.ts'
import { removedHooksReactor } from './removed-hooks.ts'
import type { ComposedSandbox } from './sandbox.ts'
import { composeScreenAsks } from './screen-dialogs.ts'
import type { Drivers } from './sessions.ts'
import { prepareUndo, refresherFor, snapshotBefore, type undoIn } from './undo.ts'

interface HookParts extends Jobs {
  asks: Asks
  drivers: Drivers
  handoff: ReturnType<typeof composeHandoff>
  ownCalls: OwnModelCalls
  pauses: Pauses
  presence: PresenceKeeper
  sandbox: ComposedSandbox | undefined
  undo: ReturnType<typeof undoIn>
  port(): number | undefined
  /** More reactors, after Baton's own. */
  reactors: readonly Reactor[]
}

/** Builds the intake and the reactors that answer an agent's hook calls, in the order in which they are asked. */
export function composeHooks(
  ground: Ground,
  links: Links,
  {
    asks,
    claim,
    cycle,
    drivers,
    handoff,
    handsOff,
    ownCalls,
    pauses,
    port,
    presence,
    reactors,
    sandbox,
    unattended,
    undo,
    work,
  }: HookParts,
) {
  const { env, home, stateDir, redactor, write, fault } = ground
  const refresher = refresherFor(undo, fault)
  const permission = composePermission({
    asks,
    home,
    env,
    stateDir,
    port,
    workflowOf: ({ session, project }) => handsOff.activeWorkflow(session, project),
    grantsOf: async ({ session, project }) => [
      ...[(await claim.claims.grantOf(session.id, project)) ?? []].flat(),
      ...(await work.grantsOf(session.id)),
    ],
    useGrant: (session, call) => handsOff.useGrant(session, call),
    snapshot: snapshotBefore(undo, refresher, redactor),
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
  const screens = composeScreenAsks({ ...ground, asks, drivers, handsOff, isAway, redact: redactor.text })
  const intake = composeIntake(ground, {
    ownCalls,
    driverAt: place => drivers.at(place),
    pausedFor: about => {
      const pause = pauses.of(about)
      return pause && pauseLine(pause)
    },
    restore: sandbox?.restore,
    reactors: [
      contextReactor({
        readerOf,
        tell: (agent, event) => links.get('intake').handleEvent(agent, event),
        fault,
      }),
      permission,
      questionReactor({
        asks,
        onScreen: screens.questions,
        workflowOf: ({ session, project }) => handsOff.activeWorkflow(session, project),
        isAway,
        parkRun: (context, reason) => handsOff.park(runContext(context), reason),
        resumeRun: session => handsOff.unpark(session),
      }),
      ...(ground.inMemory ? [] : [prepareUndo(undo, refresher, fault)]),
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
        rename: (id, change) => links.get('intake').updateSession(id, change),
        redact: redactor.text,
        fault,
      }),
      removedHooksReactor({ home, env, tell: news => asks.tell(news) }),
      ...reactors,
    ],
  })
  links.add('intake', intake)
  return { intake, screens }
}
