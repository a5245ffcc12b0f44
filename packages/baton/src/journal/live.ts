import type { Entry } from '@batonpass/contract/journal'

export type Listener = (entry: Entry) => void

/** Tells whoever listens what was just written to the journal. A slow or broken listener harms nobody. */
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
