import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import { systemClock } from '../adapters/system/clock.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import type { Asks } from '../ask/asks.ts'
import type { Claims } from '../claim/claims.ts'
import type { Cycles } from '../handoff/cycle/cycles.ts'
import type { IsPaused } from '../ports/is-paused.ts'
import type { Reactor } from '../ports/reactor.ts'
import type { Watch } from '../session/watch/watch.ts'
import { HungTurns, type UnattendedJob } from '../work/unattended/hung-turns.ts'
import { repeatedFailures } from '../work/unattended/repeated-failures.ts'
import type { HandsOffMode } from '../work/workflows/mode.ts'
import type { Ground } from './ground.ts'
import { newEntry } from './new-entry.ts'
import type { Drivers } from './sessions.ts'
import type { StagedWork } from './stage.ts'

interface UnattendedLinks {
  handsOff: HandsOffMode
  work: StagedWork
  claims: Claims
  cycles: Cycles
  drivers: Drivers
  asks: Asks
  watch(): Pick<Watch, 'look'>
  busyElsewhere(session: SessionId): Promise<boolean>
  paused: IsPaused
}

/** How many of a session's latest entries show its turn: far more than one turn has tools at a time. */
const ENTRIES = 400
/** How old the observation of a screen may be. */
const FRESH_MS = 10_000

/** Connects what finds hung turns and repeated failures with the jobs that they belong to. */
export function composeUnattended(
  { stateDir, store, configFor, write, fault }: Ground,
  { handsOff, work, claims, cycles, drivers, asks, watch, busyElsewhere, paused }: UnattendedLinks,
): { hungTurns: HungTurns; reactor: Reactor } {
  const announce = (project: string, text: string) => asks.tell({ project, text })
  const jobOfSession = (session: Session) => jobOf(session, { handsOff, work, claims, announce })
  const hungTurns = new HungTurns({
    observe: () => watch().look(FRESH_MS),
    jobOf: jobOfSession,
    async entries(session) {
      const all = await store.entries({ session, limit: ENTRIES, order: 'desc' })
      return all.filter(({ body }) => body.kind === 'event' || body.kind === 'reaction').reverse()
    },
    driverAt: drivers.at,
    isBusy: async session =>
      asks.open().some(({ kind, facts }) => kind !== 'confirm' && facts.session === session) ||
      (await busyElsewhere(session)),
    handOff: session => cycles.handOffHung(session, systemClock.now()),
    config: configFor,
    async journal({ id, nativeSession, agent, project }, body) {
      await write([newEntry(body, { session: id, nativeSession, agent, ...(project ? { project } : {}) })])
    },
    files: systemSmallFiles,
    stateDir,
    clock: systemClock,
    timers: systemTimers,
    paused,
    fault,
  })
  const reactor = repeatedFailures({
    jobOf: jobOfSession,
    driverAt: drivers.at,
    files: systemSmallFiles,
    stateDir,
    fault,
  })
  return { hungTurns, reactor }
}

async function jobOf(
  session: Session,
  {
    handsOff,
    work,
    claims,
    announce,
  }: Pick<UnattendedLinks, 'handsOff' | 'work' | 'claims'> & {
    announce(project: string, text: string): Promise<void>
  },
): Promise<UnattendedJob | undefined> {
  const { id, project = '' } = session
  const run = await handsOff.openRun(id)
  if (run) {
    const name = run.issue === undefined ? run.workflow : `${run.workflow} #${run.issue}`
    return { name, end: reason => handsOff.stall(id, project, reason) }
  }
  const stage = await work.unattended(id)
  if (stage) return { name: stage, end: reason => work.stall(session, reason) }
  const claim = await claims.grantOf(id, project)
  return claim && { name: claim.job, end: reason => announce(project, `🔔 ${claim.job}: ${reason}`) }
}
