import type { Ask } from '@batonpass/contract/ask'
import type { AnswerHandler, Channel } from '../ports/channel.ts'
import type { Timers } from '../ports/timers.ts'

/** How long a page may be disconnected (a reload, a sleeping phone) before it no longer counts as showing asks. */
const AWAY_MS = 20_000

/** Whether a page shows an ask to its person. */
type Sees = (ask: Ask) => boolean

/** The dashboard or an editor as a channel. It reaches a person while a logged-in page is open. */
export class PageChannel implements Channel {
  readonly name: string
  readonly #timers: Timers
  readonly #shown = new Map<string, Ask>()
  /** The open pages, and those that disconnected a moment ago. */
  readonly #pages = new Set<{ sees: Sees }>()
  readonly #leaving = new Set<() => void>()
  #answering: AnswerHandler | undefined

  constructor(timers: Timers, name = 'dashboard') {
    this.#timers = timers
    this.name = name
  }

  /** Registers a page that opened its stream. Call the returned function when the page disconnects. */
  arrive(sees: Sees = () => true): () => void {
    const page = { sees }
    this.#pages.add(page)
    let here = true
    return () => {
      if (!here) return
      here = false
      const cancel = this.#timers.after(AWAY_MS, () => {
        this.#leaving.delete(cancel)
        this.#pages.delete(page)
        this.#tellLost(sees)
      })
      this.#leaving.add(cancel)
    }
  }

  async start(answering: AnswerHandler): Promise<void> {
    this.#answering = answering
  }

  async stop(): Promise<void> {
    for (const cancel of this.#leaving) cancel()
  }

  async show(ask: Ask): Promise<boolean> {
    this.#shown.set(ask.id, ask)
    return this.#isSeen(ask)
  }

  async settle({ id }: Pick<Ask, 'id'>): Promise<void> {
    this.#shown.delete(id)
  }

  #isSeen(ask: Ask): boolean {
    return [...this.#pages].some(({ sees }) => sees(ask))
  }

  /** Reports the asks that only the disconnected page showed. */
  #tellLost(sees: Sees): void {
    const lost = [...this.#shown.values()].filter(ask => sees(ask) && !this.#isSeen(ask))
    if (lost.length > 0)
      this.#answering?.lost(
        this.name,
        lost.map(({ id }) => id),
      )
  }
}
