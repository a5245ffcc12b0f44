import { terminals } from '../adapters/agents/terminals.ts'
import { tmuxDriver } from '../adapters/tmux/driver.ts'
import type { Driver } from '../ports/driver.ts'

/** Everything that can act on a session from outside. */
export interface Drivers {
  all: readonly Driver[]
  /** The one that reaches a place. */
  at(place: string): Driver | undefined
}

export function composeDrivers(): Drivers {
  const all = [tmuxDriver(terminals)]
  return { all, at: place => all.find(driver => driver.reaches(place)) }
}
