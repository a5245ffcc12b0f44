import type { Ids } from '../ports/ids.ts'

/** A model call that Baton itself is making right now. */
export interface OwnModelCall {
  /** Passed to the program as the variable `BATON_MARKER`; its hooks send it back. */
  readonly marker: string
  /** Ends the call and invalidates the marker. */
  release(): void
}

/** Tracks Baton's own model calls by their markers, so that reactors ignore their hooks. */
export class OwnModelCalls {
  readonly #ids: Ids
  readonly #live = new Set<string>()

  constructor(ids: Ids) {
    this.#ids = ids
  }

  issue(): OwnModelCall {
    const marker = this.#ids.id(MARKER_LENGTH)
    this.#live.add(marker)
    return { marker, release: () => void this.#live.delete(marker) }
  }

  isLive(marker: string): boolean {
    return this.#live.has(marker)
  }
}

/** 200 bits, so that an agent cannot guess a valid marker. */
const MARKER_LENGTH = 40
