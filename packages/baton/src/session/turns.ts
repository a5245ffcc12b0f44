/** Runs the work of one session (or claim) strictly in order, so that reading, deciding and writing are one step. */
export class Turns {
  readonly #tails = new Map<string, Promise<unknown>>()

  take<T>(session: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#tails.get(session) ?? Promise.resolve()).then(work, work)
    const tail: Promise<void> = mine.then(
      () => this.#leave(session, tail),
      () => this.#leave(session, tail),
    )
    this.#tails.set(session, tail)
    return mine
  }

  #leave(session: string, tail: Promise<unknown>): void {
    if (this.#tails.get(session) === tail) this.#tails.delete(session)
  }
}
