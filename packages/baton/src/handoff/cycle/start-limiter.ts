import type { Config } from '@batonpass/contract/config'
import type { Clock } from '../../ports/clock.ts'
import type { CycleEffect } from './events.ts'

/** Limits how many cycles run at once and spaces out their starts. */
export class CycleStartLimiter {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #starting = new Set<string>()
  #startedAt = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** Starts a cycle if a slot is free. Returns its effects, or none if it has to wait. */
  async tryStart(
    id: string,
    running: number,
    { at_once, stagger_sec }: Config['cycle'],
    start: () => Promise<CycleEffect[]>,
  ): Promise<CycleEffect[]> {
    const now = this.#clock.elapsed()
    const isSlotFree = running + this.#starting.size < at_once
    if (!isSlotFree || this.#starting.has(id) || now - this.#startedAt < stagger_sec * 1000) return []
    // Reserve the slot before awaiting: other sessions check at the same time.
    const before = this.#startedAt
    this.#startedAt = now
    this.#starting.add(id)
    try {
      const effects = await start()
      if (effects.length === 0) this.#startedAt = before
      return effects
    } finally {
      this.#starting.delete(id)
    }
  }
}
