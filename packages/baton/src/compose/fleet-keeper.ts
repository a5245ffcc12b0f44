import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Fleet } from '../fleet/fleet.ts'

/** What is stored once a fleet or a queue was used here. */
export const FLEET_SETTINGS = 'fleet/settings.json'

export interface OpenedFleet {
  fleet: Fleet
  close(): Promise<void>
}

/** Loads the fleet when it is used for the first time: a daemon without one imports nothing of it. */
export class FleetKeeper {
  readonly #open: () => Promise<OpenedFleet>
  #isUsed: boolean
  #opened: Promise<OpenedFleet> | undefined

  constructor(stateDir: string, open: () => Promise<OpenedFleet>) {
    this.#open = open
    this.#isUsed = existsSync(join(stateDir, FLEET_SETTINGS))
  }

  async get(): Promise<Fleet> {
    this.#isUsed = true
    this.#opened ??= this.#open()
    return (await this.#opened).fleet
  }

  async tick(): Promise<void> {
    if (this.#isUsed) await (await this.get()).tick()
  }

  /** Waits for no database: the answer is in files. */
  async borrowedBy(project: string): Promise<readonly string[]> {
    return this.#isUsed ? (await this.get()).borrowedBy(project) : []
  }

  async mergesFor(project: string): Promise<boolean> {
    return this.#isUsed && (await this.get()).mergesFor(project)
  }

  async close(): Promise<void> {
    await (await this.#opened?.catch(() => undefined))?.close()
  }
}
