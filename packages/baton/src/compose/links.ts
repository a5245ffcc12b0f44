import type { Asks } from '../ask/asks.ts'
import type { Intake } from '../engine/intake.ts'
import type { Cycles } from '../handoff/cycle/cycles.ts'
import type { HungTurns } from '../work/unattended/hung-turns.ts'
import type { HandsOffMode } from '../work/workflows/mode.ts'
import type { FleetKeeper } from './fleet-keeper.ts'
import type { Sessions } from './sessions.ts'
import type { StagedWork } from './stage.ts'

/** The parts that earlier parts call. */
interface LinkedParts {
  asks: Asks
  intake: Intake
  handsOff: HandsOffMode
  work: StagedWork
  /** Undefined in a process that handles a single call. */
  cycles: Cycles | undefined
  hungTurns: HungTurns | undefined
  sessions: Sessions
  fleet: FleetKeeper
}

/** Connects parts that call each other: each is added when it is made, and looked up when it is called. */
export class Links {
  readonly #made = new Map<keyof LinkedParts, unknown>()

  add<Name extends keyof LinkedParts>(name: Name, part: LinkedParts[Name]): void {
    this.#made.set(name, part)
  }

  get<Name extends keyof LinkedParts>(name: Name): LinkedParts[Name] {
    if (!this.#made.has(name)) throw new Error(`${name} is called before it is made`)
    return this.#made.get(name) as LinkedParts[Name]
  }
}
