import { BatonError } from '@batonpass/contract/errors'
import { branchFrom, contextFrom, contextFromEnd } from './branch.ts'
import { messageOf, type SessionEntry, type SessionHeader, type SessionMessage } from './entries.ts'
import { type EntryHead, entriesFromEnd } from './read-backwards.ts'
import {
  fresh,
  ID_LENGTH,
  lineOf,
  notStored,
  type Opened,
  openExisting,
  type SessionPorts,
  type Stored,
} from './session-file.ts'

/**
 * One session's file: append-only, a tree of entries linked by their parents. Nothing is written before a reply exists, so
 * that an unused session leaves no file; an injected handoff is the exception and goes to disk at once.
 */
export class SessionManager {
  readonly #ports: SessionPorts
  #header: SessionHeader
  #path: string
  #stored: Stored
  #leaf: string | null
  /** Appends run one after the other: each needs its parent's id. */
  #tail: Promise<unknown> = Promise.resolve()

  private constructor(ports: SessionPorts, at: Opened) {
    this.#ports = ports
    this.#header = at.header
    this.#path = at.path
    this.#stored = at.stored
    this.#leaf = at.leaf
  }

  static create(ports: SessionPorts, cwd: string, options: { parentSession?: string } = {}): SessionManager {
    return new SessionManager(ports, fresh(ports, cwd, options))
  }

  /** Opens a file of pi, oh-my-pi or Baton, of any version. Changes nothing on disk. */
  static async open(ports: SessionPorts, path: string): Promise<SessionManager> {
    return new SessionManager(ports, await openExisting(ports, path))
  }

  get header(): Readonly<SessionHeader> {
    return this.#header
  }
  get sessionId(): string {
    return this.#header.id
  }
  /** Where the file is, or will be. */
  get path(): string {
    return this.#path
  }
  get leafId(): string | null {
    return this.#leaf
  }
  /** Whether anything is on disk. */
  get isStored(): boolean {
    return this.#stored.kind === 'file' || this.#stored.rewrites
  }

  appendMessage(message: SessionMessage): Promise<string> {
    return this.#append({ type: 'message' }, { message }, message.role === 'assistant')
  }

  /** A message that is part of the context. One of type `handoff` goes to disk at once. */
  appendCustomMessageEntry(customType: string, content: string, display: boolean): Promise<string> {
    const handoff = customType === 'handoff'
    return this.#append({ type: 'custom_message' }, { customType, content, display }, handoff, handoff)
  }

  /** Stores data with the conversation that is never shown to the model. */
  appendCustomEntry(customType: string, data: unknown): Promise<string> {
    return this.#append({ type: 'custom' }, { customType, data }, false)
  }

  /** Waits until everything written is on disk. */
  flush(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#stored.kind === 'file') await this.#stored.file.sync()
    })
  }

  /** Starts an empty session; the current one is left unchanged. */
  newSession(options: { parentSession?: string } = {}): Promise<string> {
    return this.#inTurn(async () => {
      await this.#moveTo(fresh(this.#ports, this.#header.cwd, options))
      return this.#header.id
    })
  }

  /** Leaves this session and opens another one. */
  switchTo(path: string): Promise<void> {
    return this.#inTurn(async () => this.#moveTo(await openExisting(this.#ports, path)))
  }

  /** Leaves this session and continues with a copy of its branch; the copy's file is created with the next entry. */
  fork(): Promise<string> {
    return this.#inTurn(async () => {
      const entries = await this.getBranch()
      const at = fresh(this.#ports, this.#header.cwd, this.isStored ? { parentSession: this.#path } : {})
      const stored: Stored = { kind: 'memory', entries, rewrites: false }
      await this.#moveTo({ ...at, stored, leaf: entries.at(-1)?.id ?? null })
      return this.#header.id
    })
  }

  /** Continues from an earlier entry; later entries stay in the file as another branch. */
  async branch(id: string): Promise<void> {
    let found = false
    for await (const piece of this.#pieces()) for (const met of piece) found ||= met.id === id
    if (!found) throw new BatonError('not_found', `The session has no entry ${id}`)
    this.#leaf = id
  }

  /** The entries from the root to the leaf. */
  async getBranch(): Promise<SessionEntry[]> {
    const entries: SessionEntry[] = []
    if (this.#leaf !== null)
      await branchFrom(this.#pieces(), this.#leaf, entry => {
        entries.push(entry)
        return true
      })
    return entries.reverse()
  }

  /** The newest matching entry of the branch; older entries are not read. */
  async findLast(fits: (entry: SessionEntry) => boolean): Promise<SessionEntry | undefined> {
    const found: SessionEntry[] = []
    if (this.#leaf !== null)
      await branchFrom(this.#pieces(), this.#leaf, entry => {
        if (fits(entry)) found.push(entry)
        return found.length === 0
      })
    return found[0]
  }

  /** Counts the messages of the branch, up to `enough`. */
  async countMessages(enough: number): Promise<number> {
    let count = 0
    if (this.#leaf !== null)
      await branchFrom(this.#pieces(), this.#leaf, entry => {
        if (messageOf(entry)) count++
        return count < enough
      })
    return count
  }

  /** The messages the model sees at the leaf; none without a leaf. */
  async buildSessionContext(): Promise<{ messages: SessionMessage[] }> {
    return { messages: this.#leaf === null ? [] : await contextFrom(this.#pieces(), this.#leaf) }
  }

  /** The same messages, newest first and in batches; unrequested batches are not read. */
  async *contextFromEnd(): AsyncGenerator<SessionMessage[]> {
    if (this.#leaf !== null) yield* contextFromEnd(this.#pieces(), this.#leaf)
  }

  async close(): Promise<void> {
    await this.#tail.catch(() => {})
    if (this.#stored.kind === 'file') await this.#stored.file.close()
  }

  async *#pieces(): AsyncGenerator<Iterable<EntryHead>> {
    const stored = this.#stored
    if (stored.kind === 'file') yield* entriesFromEnd(stored.file, await stored.file.size())
    else
      yield stored.entries.toReversed().map(entry => ({
        id: entry.id,
        parentId: entry.parentId,
        message: () => messageOf(entry),
        now: () => entry,
        later: () => async () => entry,
      }))
  }

  #append(type: { type: string }, body: object, store: boolean, sync = false): Promise<string> {
    return this.#inTurn(async () => {
      const { clock, ids } = this.#ports
      const id = ids.id(ID_LENGTH)
      const timestamp = new Date(clock.now()).toISOString()
      // Keep this key order: it lets readers find an entry without parsing the whole line.
      const entry: SessionEntry = { ...type, id, parentId: this.#leaf, timestamp, ...body }
      if (this.#stored.kind === 'memory') await this.#grow(this.#stored, entry, store)
      else await this.#write(this.#stored, lineOf(entry))
      this.#leaf = id
      if (sync && this.#stored.kind === 'file') await this.#stored.file.sync()
      return id
    })
  }

  async #grow(
    stored: Extract<Stored, { kind: 'memory' }>,
    entry: SessionEntry,
    store: boolean,
  ): Promise<void> {
    const entries = [...stored.entries, entry]
    const hasReply = entries.some(each => messageOf(each)?.role === 'assistant')
    if (!store && !stored.rewrites && !hasReply) {
      this.#stored = { ...stored, entries }
      return
    }
    const text = [this.#header, ...entries].map(lineOf).join('')
    const { files } = this.#ports
    try {
      // Write the file atomically: a reader never sees a session without its start.
      await files.replace(this.#path, text)
      this.#stored = { kind: 'file', file: await files.open(this.#path), torn: false }
    } catch (cause) {
      throw notStored(cause, this.#path)
    }
  }

  async #write(stored: Extract<Stored, { kind: 'file' }>, line: string): Promise<void> {
    const { torn } = stored
    stored.torn = true
    try {
      // A half-written line, left by a crash or a full disk, becomes a line of its own that readers skip.
      await stored.file.append(torn ? `\n${line}` : line)
    } catch (cause) {
      throw notStored(cause, this.#path)
    }
    stored.torn = false
  }

  async #moveTo(at: Opened): Promise<void> {
    const left = this.#stored
    this.#header = at.header
    this.#path = at.path
    this.#stored = at.stored
    this.#leaf = at.leaf
    if (left.kind === 'file') await left.file.close().catch(() => {})
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#tail.then(work, work)
    this.#tail = mine.catch(() => {})
    return mine
  }
}
