/** Runs each capability's periodic work. Skips one that is still busy with its last tick, so that it does not delay others. */
export class Ticks {
  readonly #rooms: Readonly<Record<string, () => Promise<unknown>>>
  readonly #fault: (during: string, cause: unknown) => void
  readonly #running = new Map<string, Promise<void>>()

  constructor(
    rooms: Readonly<Record<string, () => Promise<unknown>>>,
    fault: (during: string, cause: unknown) => void,
  ) {
    this.#rooms = rooms
    this.#fault = fault
  }

  /** Resolves when everything started by this tick has ended; never rejects. */
  async tick(): Promise<void> {
    await Promise.all(
      Object.entries(this.#rooms).map(([name, work]) => {
        if (this.#running.has(name)) return undefined
        const mine = Promise.resolve()
          .then(work)
          .then(() => {})
          .catch(cause => this.#fault(`ticking: ${name}`, cause))
          .finally(() => this.#running.delete(name))
        this.#running.set(name, mine)
        return mine
      }),
    )
  }

  /** Resolves when no tick is running, so that results are recorded before the store is closed. */
  async idle(): Promise<void> {
    await Promise.all(this.#running.values())
  }
}
