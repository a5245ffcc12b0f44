import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FleetPage } from '@batonpass/contract/fleet'
import type { Fleet } from '../fleet/fleet.ts'
import type { FleetAsks } from '../fleet/fleet-asks.ts'
import type { AnswerHandler, Channel } from '../ports/channel.ts'

/** What is stored once a fleet or a queue was used here. */
export const FLEET_SETTINGS = 'fleet/settings.json'

export interface OpenedFleet {
  fleet: Fleet
  /** Asks of all machines; absent if this one has the database for itself. */
  asks?: FleetAsks | undefined
  close(): Promise<void>
}

/** Shows asks on the other machines of the fleet. */
export const fleetChannel = (keeper: () => FleetKeeper): Channel => ({
  name: 'fleet',
  start: async answering => keeper().answersTo(answering),
  stop: async () => {},
  show: async ask => (await (await keeper().asks())?.show(ask)) ?? false,
  settle: async ask => (await keeper().asks())?.settle(ask),
})

/** Loads the fleet when it is used for the first time: a daemon without one imports nothing of it. */
export class FleetKeeper {
  readonly #open: () => Promise<OpenedFleet>
  #isUsed: boolean
  #opened: Promise<OpenedFleet> | undefined
  #answering: AnswerHandler | undefined

  constructor(stateDir: string, open: () => Promise<OpenedFleet>) {
    this.#open = open
    this.#isUsed = existsSync(join(stateDir, FLEET_SETTINGS))
  }

  /** What the dashboard shows: loads nothing if no queue was used here. */
  async page(): Promise<FleetPage> {
    return this.#isUsed ? (await this.get()).page() : { sessions: [] }
  }

  async get(): Promise<Fleet> {
    return (await this.#get()).fleet
  }

  #get(): Promise<OpenedFleet> {
    this.#isUsed = true
    this.#opened ??= this.#open().then(async opened => {
      if (this.#answering) await opened.asks?.start(this.#answering)
      return opened
    })
    return this.#opened
  }

  /** Asks of all machines; undefined if no fleet was used here. */
  async asks(): Promise<FleetAsks | undefined> {
    return this.#isUsed ? (await this.#get()).asks : undefined
  }

  /** Answers of other machines go there, also if the fleet was opened before. */
  async answersTo(answering: AnswerHandler): Promise<void> {
    this.#answering = answering
    await (await this.#opened?.catch(() => undefined))?.asks?.start(answering)
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
