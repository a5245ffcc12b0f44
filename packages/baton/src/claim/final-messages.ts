/** A session that never stops again would keep its own for ever. */
const MAX_ITEMS = 100

/** What sessions are still to be told after their claims have ended; each once. */
export class FinalMessages {
  readonly #texts = new Map<string, string>()

  leave(session: string, text: string): void {
    this.#texts.set(session, text)
    const [oldest] = this.#texts.keys()
    if (this.#texts.size > MAX_ITEMS && oldest !== undefined) this.#texts.delete(oldest)
  }

  take(session: string): string | undefined {
    const text = this.#texts.get(session)
    this.#texts.delete(session)
    return text
  }
}
