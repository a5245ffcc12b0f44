import type { Presence } from '@batonpass/contract/ask'
import type { ChannelMemory } from '../ports/ask-store.ts'
import type { Clock } from '../ports/clock.ts'

const KEY = 'away-since'

/** Whether the person is away. Stored, so that a restart of the daemon does not bring them back. */
export class PresenceKeeper {
  readonly #memory: ChannelMemory
  readonly #clock: Clock
  readonly #onAway: () => void

  /** `onAway` is called when the person goes away. */
  constructor(memory: ChannelMemory, clock: Clock, onAway: () => void = () => {}) {
    this.#memory = memory
    this.#clock = clock
    this.#onAway = onAway
  }

  async read(): Promise<Presence> {
    const awaySince = await this.#memory.get(KEY)
    return awaySince === undefined ? {} : { awaySince }
  }

  /** Going away twice keeps the first time. */
  async change(away: boolean): Promise<Presence> {
    const known = await this.read()
    if (!away) await this.#memory.delete(KEY)
    else if (!known.awaySince) {
      await this.#memory.set(KEY, new Date(this.#clock.now()).toISOString())
      this.#onAway()
    }
    return this.read()
  }
}
