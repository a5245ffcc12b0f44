import type { Entry } from '@batonpass/contract/journal'

export type Listener = (entry: Entry) => void

/** Passes new journal entries to listeners. A failing listener does not affect the others. */
export class JournalListeners {
  readonly #listeners = new Set<Listener>()

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  publish(entries: readonly Entry[]): void {
    if (this.#listeners.size === 0) return
    for (const entry of entries) for (const listener of this.#listeners) notifyListener(listener, entry)
  }

  get listeners(): number {
    return this.#listeners.size
  }
}

function notifyListener(listener: Listener, entry: Entry): void {
  try {
    listener(entry)
  } catch {
    // The listener's connection is gone; its own close handler removes it.
  }
}
