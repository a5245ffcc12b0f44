import type { Session } from '@batonpass/contract/session'
import { systemClock } from '../adapters/system/clock.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Asks } from '../ask/asks.ts'
import { isPassing } from '../claim/retry-schedule.ts'
import type { IsPaused } from '../ports/is-paused.ts'
import { ShownProofs } from '../proof/shown-proofs.ts'
import type { OwnModelCalls } from '../session/own-model-calls.ts'
import { inheritedName } from '../session/session-name.ts'
import { composeClaim } from './claim.ts'
import { composeCycle } from './cycle.ts'
import type { forgeKeeper } from './forge.ts'
import type { Ground } from './ground.ts'
import type { composeHandoff } from './handoff.ts'
import type { Links } from './links.ts'
import { composeProof, reportComparer } from './proof.ts'
import type { ComposedSandbox } from './sandbox.ts'
import type { Drivers } from './sessions.ts'
import { claimLine, composeStage } from './stage.ts'
import { stageHandoff } from './stage-handoff.ts'
import { composeUnattended } from './unattended.ts'
import { composeWorkflow, newsOf } from './workflow.ts'

interface JobParts {
  asks: Asks
  drivers: Drivers
  forges: ReturnType<typeof forgeKeeper>
  handoff: ReturnType<typeof composeHandoff>
  ownCalls: OwnModelCalls
  paused: IsPaused
  sandbox: ComposedSandbox | undefined
  session(id: string): Promise<Session | undefined>
}

/** Builds what carries work to its end: proofs, claims, workflows, staged work, and handoffs to a fresh session. */
export async function composeJobs(
  ground: Ground,
  links: Links,
  { asks, drivers, forges, handoff, ownCalls, paused, sandbox, session }: JobParts,
) {
  const { env, home, stateDir, configFor, machine, redactor, store, local, write, fault } = ground
  const busyElsewhere = async (id: Session['id']) =>
    (await handoff.busy(id)) || links.get('cycles')?.isBusy(id) === true
  const forgeFor = (project: string) => forges.find(project)
  const proofs = ground.inMemory
    ? undefined
    : composeProof(ground, sandbox?.sandboxes, {
        loginFor: forges.login,
        forgeFor,
        asks,
        ownCalls,
        insideCalls: sandbox?.insideCalls,
      })
  const compareReport = reportComparer(forgeFor)
  const claim = await composeClaim({
    ...ground,
    asks,
    forges,
    proofs,
    compareReport,
    workflowChecksOf: id => links.get('handsOff').workflowChecksOf(id),
    drivers,
    storeUrl: machine().config.fleet.postgres || machine().config.store.url,
    mergesFor: project => links.get('fleet').mergesFor(project),
    paused,
    session: id => store.findSession(id),
  })
  const shownProofs = new ShownProofs({
    show: (project, pull, proof) => claim.outside.showProof(project, pull, proof),
    proofOf: async id => {
      if (!proofs) throw new Error('There are no proofs in this process.')
      return proofs.get(id)
    },
    mayPass: isPassing,
    files: systemSmallFiles,
    stateDir,
    clock: systemClock,
    fault,
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
    showProof: (project, pull, proof) => shownProofs.show(project, pull, proof),
    compareReport,
    claimOf: ({ session, project }) => claim.claims.progressOf(session, project),
    driverAt: drivers.at,
    busyElsewhere,
    paused,
    announce: announcement => asks.tell(newsOf(announcement)),
    tell: (agent, event) => links.get('intake').handleEvent(agent, event),
  })
  links.add('handsOff', handsOff)
  const work = composeStage({
    env,
    home,
    stateDir,
    forgeFor,
    daemon: {
      session,
      busyElsewhere,
      asks: () => asks.open(),
      claimOf: async project => claimLine(await claim.claims.at(project)),
      drivers,
      run: order => links.get('sessions').run(order),
      handOff: stageHandoff(stateDir, redactor),
      write,
      announce: (project, text) => asks.tell({ project, text }),
      askForReviews: (project, pull, logins) => claim.outside.askForReviewsIn(project, pull, logins),
      proofs,
      compareReport,
      showProof: (project, pull, proof) => shownProofs.show(project, pull, proof),
      config: configFor,
      fault,
      paused,
    },
  })
  links.add('work', work)
  // A process that handles a single call cannot hand over a session.
  const cycle = ground.inMemory
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
          async (from, to) => links.get('hungTurns')?.carryOver(from.id, to.id),
          (from, to) =>
            links.get('intake').updateSession(to.id, known => ({
              ...known,
              parent: from.id,
              ...inheritedName(from, known),
            })),
        ],
        asks,
        config: configFor,
        write,
        fault,
        paused,
      })
  links.add('cycles', cycle?.cycles)
  const unattended =
    cycle &&
    composeUnattended(ground, {
      handsOff,
      work,
      claims: claim.claims,
      cycles: cycle.cycles,
      drivers,
      asks,
      watch: () => links.get('sessions').watch,
      busyElsewhere,
      paused,
    })
  links.add('hungTurns', unattended?.hungTurns)
  return { proofs, shownProofs, claim, handsOff, work, cycle, unattended, busyElsewhere }
}

export type Jobs = Awaited<ReturnType<typeof composeJobs>>

const successorOf = ({ id, nativeSession, agent, pane, transcript }: Session) => ({
  session: id,
  nativeSession,
  agent,
  ...(pane ? { pane } : {}),
  ...(transcript ? { transcript } : {}),
})
