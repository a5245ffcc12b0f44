import type { AskId } from '@batonpass/contract/ids'
import type { Answering, Channel } from '../ports/channel.ts'
import type { Timers } from '../ports/timers.ts'

/** How long a page may be away (a reload, a phone that slept) before it no longer counts as somebody who sees asks. */
const AWAY_MS = 20_000

/** The dashboard as a way to reach a person: it does as long as a page that was let in is open. */
export class PageChannel implements Channel {
  readonly name = 'dashboard'
  readonly #timers: Timers
  readonly #shown = new Set<AskId>()
  #answering: Answering | undefined
  #pages = 0
  #near = false
  #cancel = () => {}

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** A page has opened its stream; call what comes back when it is gone. */
  arrive(): () => void {
    this.#pages++
    this.#near = true
    this.#cancel()
    let here = true
    return () => {
      if (!here) return
      here = false
      this.#pages--
      if (this.#pages === 0) this.#cancel = this.#timers.after(AWAY_MS, () => this.#gone())
    }
  }

  async start(answering: Answering): Promise<void> {
    this.#answering = answering
  }

  async stop(): Promise<void> {
    this.#cancel()
  }

  async show({ id }: { id: AskId }): Promise<boolean> {
    this.#shown.add(id)
    return this.#near
  }

  async settle({ id }: { id: AskId }): Promise<void> {
    this.#shown.delete(id)
  }

  #gone(): void {
    this.#near = false
    this.#answering?.lost(this.name, [...this.#shown])
  }
}
