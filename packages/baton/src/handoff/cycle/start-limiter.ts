import type { Config } from '@batonpass/contract/config'
import type { Clock } from '../../ports/clock.ts'
import type { CycleEffect } from './events.ts'

/** At most so many handoffs go on at a time, and no two begin at once. */
export class CycleStartLimiter {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #beginning = new Set<string>()
  #beganAt = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** Begins a cycle if there is room beside those that act already; no effects: it has not begun. */
  async tryStart(
    id: string,
    acting: number,
    { at_once, stagger_sec }: Config['cycle'],
    begin: () => Promise<CycleEffect[]>,
  ): Promise<CycleEffect[]> {
    const now = this.#clock.elapsed()
    const isRoom = acting + this.#beginning.size < at_once
    if (!isRoom || this.#beginning.has(id) || now - this.#beganAt < stagger_sec * 1000) return []
    // Taken before anything is waited for: others look at the same time.
    const before = this.#beganAt
    this.#beganAt = now
    this.#beginning.add(id)
    try {
      const effects = await begin()
      if (effects.length === 0) this.#beganAt = before
      return effects
    } finally {
      this.#beginning.delete(id)
    }
  }
}
