import type { AgentEvent } from '@batonpass/contract/event'
import type { Entry } from '@batonpass/contract/journal'
import { adapters } from '../adapters/agents/registry.ts'
import { systemChance } from '../adapters/system/chance.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { findWorktreeRoot } from '../config/project.ts'
import { Intake } from '../engine/intake.ts'
import type { Reactor } from '../ports/reactor.ts'
import type { OwnCalls } from '../session/own-calls.ts'
import type { Ground } from './ground.ts'

/** Where hook calls come in, before every reactor. */
export function composeIntake(
  { store, sessions, write, configFor, fault }: Ground,
  { reactors, ownCalls }: { reactors: readonly Reactor[]; ownCalls: OwnCalls },
): Intake {
  return new Intake({
    adapterFor: name => adapters.find(adapter => adapter.name === name),
    reactors,
    write,
    recorded: async request => eventOf(await store.byRequest(request)),
    session: id => sessions.find(id),
    keep: session => sessions.keep(session),
    projectOf: findWorktreeRoot,
    config: configFor,
    ownCall: marker => ownCalls.isLive(marker),
    fault,
    clock: systemClock,
    chance: systemChance,
  })
}

const eventOf = (entry: Entry | undefined): AgentEvent | undefined =>
  entry?.body.kind === 'event' ? entry.body.event : undefined
