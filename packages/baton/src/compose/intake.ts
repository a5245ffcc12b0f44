import type { AgentEvent } from '@batonpass/contract/event'
import type { Entry } from '@batonpass/contract/journal'
import { adapters } from '../adapters/agents/registry.ts'
import { systemAncestry } from '../adapters/system/ancestry.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { runsInPane } from '../adapters/tmux/own-pane.ts'
import type { Environment } from '../config/places.ts'
import { findWorktreeRoot } from '../config/project.ts'
import { Intake } from '../engine/intake.ts'
import type { IntakeParts } from '../engine/intake-parts.ts'
import type { Driver } from '../ports/driver.ts'
import type { Reactor } from '../ports/reactor.ts'
import type { OwnModelCalls } from '../session/own-model-calls.ts'
import { nameAfterEvent } from '../session/session-name.ts'
import type { Ground } from './ground.ts'

/** Builds the intake, which receives hook calls and passes them to the reactors. */
export function composeIntake(
  { env, store, sessions, write, configFor, fault, redactor, machine }: Ground,
  {
    reactors,
    ownCalls,
    driverAt,
    pausedFor,
    restore,
  }: {
    reactors: readonly Reactor[]
    ownCalls: OwnModelCalls
    driverAt(place: string): Driver | undefined
    pausedFor(about: { session: string; project: string }): string | undefined
    restore: IntakeParts['restore']
  },
): Intake {
  return new Intake({
    adapterFor: name => adapters.find(adapter => adapter.name === name),
    reactors,
    write,
    findRecordedEvent: async request => eventOf(await store.byRequest(request)),
    session: id => sessions.find(id),
    cacheSession: session => sessions.keep(session),
    projectOf: findWorktreeRoot,
    isOwnPlace: ownPlaces(env),
    onScreen: async (place, agent) => (await driverAt(place)?.showsAgent?.(place, agent)) ?? false,
    ...(restore ? { restore } : {}),
    config: configFor,
    ownCall: marker => ownCalls.isLive(marker),
    pausedFor,
    // With digests only, nothing of a prompt is kept.
    nameAfter: event =>
      machine().config.journal.content === 'digest' ? undefined : nameAfterEvent(event, redactor.text),
    fault,
    clock: systemClock,
    ids: systemIds,
  })
}

const eventOf = (entry: Entry | undefined): AgentEvent | undefined =>
  entry?.body.kind === 'event' ? entry.body.event : undefined

/** Checks whether a process runs in the place it names. Caches a no for a while, because the check is slow. */
function ownPlaces(env: Environment): (place: string, pid: number | undefined) => Promise<boolean> {
  const refused = new Map<string, number>()
  const elapsed = () => systemClock.elapsed()
  return async (place, pid) => {
    const key = `${pid} ${place}`
    if (pid === undefined || elapsed() < (refused.get(key) ?? 0)) return false
    const own = await runsInPane(place, pid, { ancestry: systemAncestry, env: { ...env }, elapsed })
    if (refused.size > MAX_REFUSED) refused.clear()
    if (own) refused.delete(key)
    else refused.set(key, elapsed() + ASK_AGAIN_MS)
    return own
  }
}

const MAX_REFUSED = 1000
const ASK_AGAIN_MS = 30_000
