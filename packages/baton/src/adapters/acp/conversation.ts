import type { CallState, ConversationItem, ConversationView } from '@batonpass/contract/conversation'
import type { BackendEvent } from '../../ports/backend.ts'
import type { Clock } from '../../ports/clock.ts'
import { looksPrepared } from '../../ports/sandbox.ts'

type Call = Extract<ConversationItem, { kind: 'call' }>
type Said = Extract<ConversationItem, { kind: 'reply' | 'thought' }>

const MAX_ITEMS = 400
const MAX_TEXT_LENGTH = 50_000
const MAX_RESULT_LENGTH = 4000
const MAX_LINE_LENGTH = 2000
const MAX_LINES = 200
const MAX_STEPS = 100
/** Total characters to keep, so that endless output does not use more memory than this. */
const MAX_TEXT = 2_000_000

/** The recent conversation of a hosted session. */
export class Conversation {
  readonly #clock: Pick<Clock, 'now'>
  readonly #listeners = new Set<() => void>()
  readonly #calls = new Map<string, Call>()
  #items: ConversationItem[] = []
  #plan: ConversationView['plan'] = []
  #rev = 0
  #next = 0
  #size = 0
  #changedAt: number

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.#changedAt = clock.now()
  }

  /** Milliseconds since the epoch. */
  get changedAt(): number {
    return this.#changedAt
  }

  prompt(text: string, automatic = false): void {
    this.#add({ ...this.#stamp(), kind: 'prompt', text: plain(text).slice(0, MAX_TEXT_LENGTH), automatic })
  }

  note(text: string, bad = false): void {
    this.#add({ ...this.#stamp(), kind: 'note', text: plain(text).slice(0, MAX_TEXT_LENGTH), bad })
  }

  hear(heard: BackendEvent): void {
    if (heard.kind === 'text') this.#say('reply', heard.text)
    else if (heard.kind === 'thought') this.#say('thought', heard.text)
    else if (heard.kind === 'call') this.#call(heard)
    else if (heard.kind === 'result') this.#result(heard)
    else if (heard.kind === 'continued') this.prompt(heard.prompt, true)
    else if (heard.kind === 'todos') {
      this.#plan = heard.items
        .slice(0, MAX_STEPS)
        .map(({ text, done }) => ({ text: plain(text).slice(0, MAX_LINE_LENGTH), done }))
      this.changed()
    }
  }

  /** Marks a call as waiting for permission, or not. */
  asks(id: string, asking: boolean): void {
    const call = this.#calls.get(id)
    const state: CallState = asking ? 'asks' : 'running'
    if (call && (call.state === 'running' || call.state === 'asks')) this.#change(call, { state })
  }

  /** Starts a fresh conversation at the same place. Revisions keep counting, so that followers notice. */
  clear(): void {
    this.#items = []
    this.#size = 0
    this.#plan = []
    this.#calls.clear()
    this.changed()
  }

  /** The items that changed after a revision. */
  since(rev: number): Omit<ConversationView, 'state'> {
    return { rev: this.#rev, items: this.#items.filter(item => item.rev > rev), plan: this.#plan }
  }

  /** Notifies followers of a change that is not an item, such as a new state. */
  changed(): void {
    this.#rev++
    this.#changedAt = this.#clock.now()
    for (const listener of this.#listeners) listener()
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The end of the conversation as lines of a screen. */
  lines(): string[] {
    return this.#items
      .slice(-MAX_LINES)
      .flatMap(item => (item.kind === 'thought' ? [] : wordsOf(item).split('\n')))
      .map(line => line.slice(0, MAX_LINE_LENGTH))
      .slice(-MAX_LINES)
  }

  #say(kind: Said['kind'], text: string): void {
    const last = this.#items.at(-1)
    if (last?.kind === kind) this.#change(last, { text: (last.text + plain(text)).slice(-MAX_TEXT_LENGTH) })
    else this.#add({ ...this.#stamp(), kind, text: plain(text).slice(-MAX_TEXT_LENGTH) })
  }

  #call({ id, tool, title, action }: Extract<BackendEvent, { kind: 'call' }>): void {
    const subject = plain(action.kind === 'shell' ? action.command : title).slice(0, MAX_TEXT_LENGTH)
    const known = this.#calls.get(id)
    // The hook put it in place of the agent's own command, which is shown already.
    const isReplaced = action.kind === 'shell' && looksPrepared(action.command)
    // An agent repeats updates while its call runs: report only changes.
    if (known && !isReplaced && (known.tool !== tool || known.subject !== subject))
      this.#change(known, { tool, subject })
    if (known) return
    const call: Call = {
      ...this.#stamp(),
      kind: 'call',
      tool: tool.slice(0, MAX_LINE_LENGTH),
      subject,
      state: 'running',
    }
    this.#calls.set(id, call)
    this.#add(call)
  }

  #result({ id, failed, text }: Extract<BackendEvent, { kind: 'result' }>): void {
    const call = this.#calls.get(id)
    const state: CallState = failed ? 'failed' : 'done'
    if (call) this.#change(call, { state, result: plain(text).slice(-MAX_RESULT_LENGTH) })
  }

  #add(item: ConversationItem): void {
    this.#items.push(item)
    this.#size += sizeOf(item)
    this.#leave()
    this.changed()
  }

  #leave(): void {
    while (this.#items.length > MAX_ITEMS || (this.#size > MAX_TEXT && this.#items.length > 1)) {
      const old = this.#items.shift()
      if (!old) return
      this.#size -= sizeOf(old)
      for (const [id, call] of this.#calls) if (call === old) this.#calls.delete(id)
    }
  }

  #change<T extends ConversationItem>(item: T, change: Partial<T>): void {
    this.#size -= sizeOf(item)
    Object.assign(item, change, { rev: this.#rev + 1 })
    this.#size += sizeOf(item)
    this.#leave()
    this.changed()
  }

  #stamp(): Pick<ConversationItem, 'nth' | 'rev' | 'at'> {
    return { nth: this.#next++, rev: this.#rev + 1, at: new Date(this.#clock.now()).toISOString() }
  }
}

const sizeOf = (item: ConversationItem): number =>
  item.kind === 'call' ? item.subject.length + (item.result?.length ?? 0) : item.text.length

function wordsOf(item: Exclude<ConversationItem, { kind: 'thought' }>): string {
  switch (item.kind) {
    case 'prompt':
      return `> ${item.text}`
    case 'reply':
      return item.text
    case 'call':
      return item.result === undefined
        ? `  … ${item.tool} ${item.subject.slice(0, 300)}`
        : `  ${item.state === 'failed' ? '✗' : '✓'} ${item.tool} ${item.subject.slice(0, 300)}\n    ${item.result.slice(0, 300)}`
    case 'note':
      return `[${item.text}]`
  }
}

/** Removes characters that a terminal would act on. */
const plain = (text: string): string => text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ' ')
