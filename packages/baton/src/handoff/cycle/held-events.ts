import type { Cycle } from '@batonpass/contract/cycle'
import type { CycleEvent } from './events.ts'

interface HeldEvent {
  event: CycleEvent
  during?: Cycle['step'] | undefined
}

/** These end a cycle and perform nothing in the session, so a pause does not hold them. */
const ENDS: ReadonlySet<CycleEvent['type']> = new Set(['cancel', 'lost'])

/** Keeps what happens to paused cycles until the pause ends. After a restart, the cycle's restart event makes up for the loss. */
export class HeldEvents {
  readonly #held = new Map<string, HeldEvent[]>()

  hold(id: string, held: HeldEvent): boolean {
    if (ENDS.has(held.event.type)) return false
    this.#held.set(id, [...(this.#held.get(id) ?? []), held])
    return true
  }

  /** Notes that a cycle is paused, even if nothing happens to it. */
  note(id: string): void {
    if (!this.#held.has(id)) this.#held.set(id, [])
  }

  /** The held events of a cycle whose pause has ended, oldest first; undefined if it was not paused. */
  release(id: string): readonly HeldEvent[] | undefined {
    const held = this.#held.get(id)
    this.#held.delete(id)
    return held
  }
}
