import type { HookSource } from '@batonpass/contract/hook'

const REMEMBER_MS = 60_000

/**
 * Recognises the same event told by a second installation of the hooks (plugin and settings both installed).
 * The n-th telling by one source is the n-th event, whichever source tells it first; so an event that
 * really happens twice still counts twice.
 */
export class Echoes {
  readonly #heard = new Map<string, { counts: Map<HookSource, number>; until: number }>()
  #swept = 0

  /** True when another source has told this event already. */
  isEcho(fingerprint: string, source: HookSource, now: number): boolean {
    this.#sweep(now)
    const known = this.#heard.get(fingerprint)
    const heard = known && known.until > now ? known : { counts: new Map<HookSource, number>(), until: 0 }
    heard.until = now + REMEMBER_MS
    this.#heard.set(fingerprint, heard)
    const before = Math.max(0, ...heard.counts.values())
    const mine = (heard.counts.get(source) ?? 0) + 1
    heard.counts.set(source, mine)
    return mine <= before
  }

  get size(): number {
    return this.#heard.size
  }

  #sweep(now: number): void {
    if (now - this.#swept < REMEMBER_MS) return
    this.#swept = now
    for (const [key, heard] of this.#heard) if (heard.until <= now) this.#heard.delete(key)
  }
}
