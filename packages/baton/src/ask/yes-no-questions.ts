export type YesNo = 'yes' | 'no' | 'none'

interface YesNoParts<T> {
  /** Asks on every channel. Called again after each start of the daemon; the key of the ask keeps it one question. */
  ask(about: T, signal: AbortSignal): Promise<YesNo>
  settle(about: T, answer: YesNo): Promise<void>
  fault(during: string, cause: unknown): void
}

/** Questions that are open while what they are about is in a certain state: at most one for each id. */
export class YesNoQuestions<T extends { id: string }> {
  readonly #parts: YesNoParts<T>
  readonly #open = new Map<string, AbortController>()
  readonly #stop = new AbortController()

  constructor(parts: YesNoParts<T>) {
    this.#parts = parts
  }

  ask(about: T): void {
    if (this.#open.has(about.id) || this.#stop.signal.aborted) return
    const mine = new AbortController()
    this.#open.set(about.id, mine)
    const signal = AbortSignal.any([mine.signal, this.#stop.signal])
    void this.#parts
      .ask(about, signal)
      .then(async answer => {
        // If the daemon is stopping, or the question was withdrawn meanwhile, the answer does not count.
        if (!signal.aborted) await this.#parts.settle(about, answer)
      })
      .catch(cause => this.#parts.fault('asking a person', cause))
      // Only now: before the answer is stored, the same question would be asked again.
      .finally(() => this.#open.delete(about.id))
  }

  /** Withdraws an open question, if there is one. */
  withdraw(id: string): void {
    this.#open.get(id)?.abort()
  }

  /** Withdraws every question except these. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#open.keys()) if (!ids.has(id)) this.withdraw(id)
  }

  stop(): void {
    this.#stop.abort()
  }
}
