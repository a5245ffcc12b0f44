/** Runs the work of one lane strictly in order and different lanes at once; an empty lane costs nothing. */
export class Lanes {
  readonly #tails = new Map<string, Promise<unknown>>()

  run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(lane) ?? Promise.resolve()
    const mine = before.then(work, work)
    const tail: Promise<void> = mine.then(
      () => this.#leave(lane, tail),
      () => this.#leave(lane, tail),
    )
    this.#tails.set(lane, tail)
    return mine
  }

  get size(): number {
    return this.#tails.size
  }

  /** Resolves when everything queued so far has ended. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values())
  }

  #leave(lane: string, tail: Promise<unknown>): void {
    if (this.#tails.get(lane) === tail) this.#tails.delete(lane)
  }
}
