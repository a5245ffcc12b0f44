import type { Ids } from '../ports/ids.ts'

/** A model call that Baton itself is making right now. */
export interface OwnModelCall {
  /** Goes into the environment of the program as `BATON_MARKER`; its hooks carry it back. */
  readonly marker: string
  /** The call is over: from now on the marker means nothing. */
  release(): void
}

/** Knows Baton's own model calls by their markers, so that every reactor stands aside for their hooks. */
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

/** 200 bits: an agent cannot guess one while it lives. */
const MARKER_LENGTH = 40
