import type { ConversationItem, ConversationView } from '@batonpass/contract/conversation'
import type { HostedWord } from '@batonpass/contract/hosted'

const MAX_TALKS = 50
const MAX_ITEMS = 400
/** The reporting program may send texts of any length; longer ones lose their beginning. */
const MAX_TEXT_LENGTH = 50_000
const MAX_STEPS = 100
const MAX_STEP_LENGTH = 2000
/** In characters: the limit of one conversation and of all together. */
const MAX_OF_ONE = 2_000_000
const MAX_OF_ALL = 10_000_000

/** Conversations that other Baton programs, such as `baton chat`, host and report here. Kept only in memory. */
export class HostedConversations {
  readonly #talks = new Map<string, Heard>()

  /** Adds what changed since the last report. */
  tell(session: string, news: ConversationView): void {
    const known = this.#talks.get(session)
    // A restarted program counts its revisions from the start again.
    const talk = known && known.rev <= news.rev ? known : new Heard(known)
    this.#keep(session, talk, () => talk.take(news))
  }

  of(session: string): Pick<Heard, 'since' | 'listen' | 'say'> | undefined {
    return this.#talks.get(session)
  }

  /** Subscribes the hosting program to a person's input. The returned function ends the subscription. */
  hear(session: string, ear: (word: HostedWord) => void): () => void {
    const talk = this.#talks.get(session) ?? new Heard(undefined)
    return this.#keep(session, talk, () => talk.hear(ear))
  }

  /** Makes the conversation the newest; the oldest ones are dropped when there are too many. */
  #keep<T>(session: string, talk: Heard, change: () => T): T {
    this.#talks.delete(session)
    this.#talks.set(session, talk)
    const changed = change()
    let size = [...this.#talks.values()].reduce((sum, each) => sum + each.size, 0)
    for (const [oldest, { size: freed }] of this.#talks) {
      if (this.#talks.size <= MAX_TALKS && size <= MAX_OF_ALL) break
      this.#talks.delete(oldest)
      size -= freed
    }
    return changed
  }
}

class Heard {
  rev = 0
  /** Size in characters. */
  size = 0
  readonly #items = new Map<number, ConversationItem>()
  readonly #listeners: Set<() => void>
  readonly #ears: Set<(word: HostedWord) => void>
  #state: ConversationView['state'] = 'waiting'
  #plan: ConversationView['plan'] = []

  constructor(before: Heard | undefined) {
    this.#listeners = before ? before.#listeners : new Set()
    this.#ears = before ? before.#ears : new Set()
  }

  take({ state, rev, items, plan }: ConversationView): void {
    this.rev = rev
    this.#state = state
    this.#plan = plan
      .slice(0, MAX_STEPS)
      .map(({ text, done }) => ({ text: text.slice(0, MAX_STEP_LENGTH), done }))
    for (const item of items) this.#put(item.nth, cut(item))
    for (const nth of this.#items.keys()) {
      if (this.#items.size <= MAX_ITEMS && this.size <= MAX_OF_ONE) break
      this.#put(nth, undefined)
    }
    this.#changed()
  }

  since(rev: number): ConversationView {
    const items = [...this.#items.values()].filter(item => item.rev > rev)
    return { state: this.#state, rev: this.rev, items, plan: this.#plan, hears: this.#ears.size > 0 }
  }

  hear(ear: (word: HostedWord) => void): () => void {
    this.#ears.add(ear)
    this.#changed()
    return () => {
      this.#ears.delete(ear)
      this.#changed()
    }
  }

  /** `busy`: the agent is working and takes no prompt. `deaf`: no program is subscribed to input. */
  say(word: HostedWord): 'taken' | 'busy' | 'deaf' {
    if (this.#ears.size === 0) return 'deaf'
    if (word.kind === 'say' && this.#state === 'working') return 'busy'
    for (const ear of this.#ears) ear(word)
    return 'taken'
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #put(nth: number, item: ConversationItem | undefined): void {
    const old = this.#items.get(nth)
    this.size += (item ? sizeOf(item) : 0) - (old ? sizeOf(old) : 0)
    if (item) this.#items.set(nth, item)
    else this.#items.delete(nth)
  }
}

const textsOf = (item: ConversationItem): string[] =>
  item.kind === 'call' ? [item.tool, item.subject, item.result ?? ''] : [item.text]
const sizeOf = (item: ConversationItem): number => textsOf(item).reduce((sum, text) => sum + text.length, 0)

function cut(item: ConversationItem): ConversationItem {
  if (textsOf(item).every(text => text.length <= MAX_TEXT_LENGTH)) return item
  const end = (text: string) => text.slice(-MAX_TEXT_LENGTH)
  if (item.kind !== 'call') return { ...item, text: end(item.text) }
  const result = item.result === undefined ? {} : { result: end(item.result) }
  return { ...item, tool: end(item.tool), subject: end(item.subject), ...result }
}
