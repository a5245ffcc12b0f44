import { terminals } from '../adapters/agents/terminals.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { tmuxDriver } from '../adapters/tmux/driver.ts'
import type { Environment } from '../config/places.ts'
import type { Driver } from '../ports/driver.ts'

/** Everything that can act on a session from outside. */
export interface Drivers {
  all: readonly Driver[]
  /** The one that reaches a place. */
  at(place: string): Driver | undefined
  close(): void
}

export function composeDrivers(env: Environment): Drivers {
  const tmux = tmuxDriver({ terminals, elapsed: () => systemClock.elapsed(), env: { ...env } })
  const all = [tmux]
  return { all, at: place => all.find(driver => driver.reaches(place)), close: () => tmux.close() }
}
