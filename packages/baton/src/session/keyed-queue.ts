/** Runs the work of one key (a session, claim or project) strictly in order, and the work of different keys concurrently. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>()

  run<T>(whose: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#tails.get(whose) ?? Promise.resolve()).then(work, work)
    const tail: Promise<void> = mine.then(
      () => this.#leave(whose, tail),
      () => this.#leave(whose, tail),
    )
    this.#tails.set(whose, tail)
    return mine
  }

  /** Whether work for this key is running or waiting. */
  has(whose: string): boolean {
    return this.#tails.has(whose)
  }

  /** Resolves when every queue is empty. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values())
  }

  #leave(whose: string, tail: Promise<unknown>): void {
    if (this.#tails.get(whose) === tail) this.#tails.delete(whose)
  }
}
