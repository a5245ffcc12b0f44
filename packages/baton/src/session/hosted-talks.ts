import type { ConversationItem, ConversationView } from '@batonpass/contract/conversation'

const MOST_TALKS = 50
const MOST_ITEMS = 400

/** Conversations that other programs of Baton's host and tell here, such as `baton chat`, as long as this process lives. */
export class HostedTalks {
  readonly #talks = new Map<string, Heard>()

  /** Takes what changed since it was last told. */
  tell(session: string, news: ConversationView): void {
    const known = this.#talks.get(session)
    // A program that began anew counts its revisions anew.
    const talk = known && known.rev <= news.rev ? known : new Heard(known)
    this.#talks.delete(session)
    this.#talks.set(session, talk)
    const [oldest] = this.#talks.keys()
    if (this.#talks.size > MOST_TALKS && oldest !== undefined) this.#talks.delete(oldest)
    talk.take(news)
  }

  of(session: string): Pick<Heard, 'since' | 'listen'> | undefined {
    return this.#talks.get(session)
  }
}

class Heard {
  rev = 0
  readonly #items = new Map<number, ConversationItem>()
  readonly #listeners: Set<() => void>
  #state: ConversationView['state'] = 'waiting'
  #plan: ConversationView['plan'] = []

  constructor(before: Heard | undefined) {
    this.#listeners = before ? before.#listeners : new Set()
  }

  take({ state, rev, items, plan }: ConversationView): void {
    this.rev = rev
    this.#state = state
    this.#plan = plan
    for (const item of items) this.#items.set(item.nth, item)
    for (const nth of this.#items.keys()) {
      if (this.#items.size <= MOST_ITEMS) break
      this.#items.delete(nth)
    }
    for (const listener of this.#listeners) listener()
  }

  since(rev: number): ConversationView {
    const items = [...this.#items.values()].filter(item => item.rev > rev)
    return { state: this.#state, rev: this.rev, items, plan: this.#plan }
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
