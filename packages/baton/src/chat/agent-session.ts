import { BatonError } from '@batonpass/contract/errors'
import type { HandoffWriter, HostedHandoff, WrittenHandoff } from '../handoff/write/hosted-writer.ts'
import type { TurnEnd } from '../ports/backend.ts'
import type { Timers } from '../ports/timers.ts'
import { nativeSessionOf, recordNativeSession } from './native-session.ts'
import { replayConversation } from './replay-conversation.ts'
import type { HandoffOutcome, SessionEvent } from './session-event.ts'
import { wordsOfMessage } from './session-file/branch.ts'
import { TurnRunner, type TurnRunnerParts } from './turn-runner.ts'
import { writeHandoff } from './write-handoff.ts'

export interface AgentSessionParts extends TurnRunnerParts {
  writer: HandoffWriter
  /** The worktree's root, where handoff documents are stored. */
  root: string
  /** Replaces the names of prompt templates with their text. */
  expand?(text: string): string
}

/** A handoff needs at least a prompt and a reply. */
const MIN_MESSAGES = 2
/** How long Baton waits for an agent that was told to stop. */
const STOP_MS = 15_000

/** One conversation with an agent that Baton hosts. It is stored in a session file and can be handed off to a new session. */
export class AgentSession {
  readonly #parts: AgentSessionParts
  readonly #listeners = new Set<(event: SessionEvent) => void>()
  readonly #talk: TurnRunner
  #handoff: AbortController | undefined
  #followUps: string[] = []
  /** Name of the handoff document that this session started with. */
  #began: string | undefined

  constructor(parts: AgentSessionParts) {
    this.#parts = parts
    this.#talk = new TurnRunner(parts, event => this.#tell(event))
  }

  /** Starts the agent's own conversation. */
  async start(): Promise<void> {
    const { manager, backend } = this.#parts
    await recordNativeSession(manager, backend, await backend.begin())
  }

  get sessionId(): string {
    return this.#parts.manager.sessionId
  }
  get path(): string {
    return this.#parts.manager.path
  }
  get isStreaming(): boolean {
    return this.#talk.isRunning
  }
  get isGeneratingHandoff(): boolean {
    return this.#handoff !== undefined
  }
  /** Prompts that wait for the end of the running turn. */
  get queued(): readonly string[] {
    return this.#followUps
  }
  get turns(): number {
    return this.#talk.turns
  }
  get context(): { used: number; size: number | undefined } | undefined {
    return this.#talk.context
  }

  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Runs one turn to its end. Throws if the agent fails; its output so far is stored. */
  async prompt(text: string, { expandPromptTemplates = true } = {}): Promise<TurnEnd> {
    this.#refuseWhileBusy()
    const words = expandPromptTemplates ? (this.#parts.expand?.(text) ?? text) : text
    const message = { role: 'user', content: [{ type: 'text', text: words }], timestamp: this.#now() }
    return this.#talk.run(words, false, () => this.#parts.manager.appendMessage(message))
  }

  /** Queues a prompt until the turn has ended; `next` then returns it. */
  followUp(text: string): void {
    this.#followUps.push(text)
  }
  next(): string | undefined {
    return this.#followUps.shift()
  }

  /** Stops the running turn. */
  abort(): void {
    this.#talk.stop()
  }

  abortHandoff(): void {
    this.#handoff?.abort()
  }

  /** Whether the session has enough messages for a handoff. */
  async hasEnough(): Promise<boolean> {
    return (await this.#parts.manager.countMessages(MIN_MESSAGES)) >= MIN_MESSAGES
  }

  /** Asks the session for a handoff document, checks it, and continues in a new session that starts with it. */
  async handoff(focus?: string): Promise<HandoffOutcome> {
    this.#refuseWhileBusy()
    const abort = new AbortController()
    this.#handoff = abort
    try {
      if (!(await this.hasEnough())) throw nothing()
      const written = await writeHandoff({
        writer: this.#parts.writer,
        about: this.#describeSession(focus),
        signal: abort.signal,
        ask: words => this.#ask(words, abort.signal),
        tell: event => this.#tell(event),
        now: () => this.#now(),
      })
      return 'kind' in written ? written : await this.#switch(written)
    } catch (cause) {
      if (cause instanceof BatonError && cause.code === 'nothing_to_hand_off') throw cause
      return abort.signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', error: asBatonError(cause) }
    } finally {
      this.#handoff = undefined
    }
  }

  /** Starts an empty session; the current one is left unchanged. */
  async newSession(): Promise<void> {
    this.#refuseWhileBusy()
    const { manager, backend } = this.#parts
    await manager.flush()
    const native = await backend.begin()
    await manager.newSession()
    await this.#opened('new', native)
  }

  /** Resumes another session: the agent's own conversation if it still has it, else by replaying the session file. */
  async resume(path: string): Promise<'resumed' | 'retold'> {
    this.#refuseWhileBusy()
    const { manager, backend } = this.#parts
    await manager.flush()
    const before = manager.path
    const stored = manager.isStored
    await manager.switchTo(path)
    const native = await nativeSessionOf(manager, backend)
    try {
      if (native !== undefined && (await backend.resume(native))) {
        await this.#opened('resume')
        return 'resumed'
      }
      const begun = await backend.begin()
      await this.#opened('resume', begun)
      await this.#retell()
      return 'retold'
    } catch (cause) {
      if (stored) await manager.switchTo(before)
      throw cause
    }
  }

  /** Continues in a copy; the session itself is left unchanged. */
  async fork(): Promise<void> {
    this.#refuseWhileBusy()
    const { manager, backend } = this.#parts
    await manager.flush()
    const parent = manager.path
    const native = await backend.begin()
    await manager.fork()
    await this.#opened('fork', native, parent)
    await this.#retell()
  }

  async close(): Promise<void> {
    await this.#talk.stored().catch(() => {})
    await this.#parts.manager.flush().catch(() => {})
    await this.#parts.manager.close()
    await this.#parts.backend.close()
  }

  /** Runs a turn with Baton's own prompt. Returns the last reply, or why there is none. */
  async #ask(words: string, signal: AbortSignal): Promise<string | HandoffOutcome> {
    if (signal.aborted) return { kind: 'cancelled' }
    const { manager } = this.#parts
    const stop = () => this.abort()
    signal.addEventListener('abort', stop, { once: true })
    try {
      const turn = this.#talk.run(words, true, () =>
        manager.appendCustomMessageEntry('handoff-request', words, false),
      )
      const end = await Promise.race([turn, stoppedLate(signal, this.#parts.timers)])
      turn.catch(() => {})
      if (signal.aborted || end === 'cancelled') return { kind: 'cancelled' }
      if (end === 'refused') return { kind: 'refused' }
      return this.#talk.lastReply || { kind: 'empty' }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  async #switch(written: WrittenHandoff): Promise<HandoffOutcome> {
    const { manager, backend } = this.#parts
    await manager.flush()
    const parentSession = manager.path
    const before = backend.nativeSession
    // First what may fail: leave the old session only when the new one exists.
    const native = await backend.begin()
    try {
      await manager.newSession({ parentSession })
      await recordNativeSession(manager, backend, native)
      await manager.appendCustomMessageEntry('handoff', written.context, true)
    } catch (cause) {
      await manager.switchTo(parentSession)
      if (before !== undefined) await backend.resume(before).catch(() => false)
      throw cause
    }
    this.#reset()
    this.#began = written.name
    const { messages } = await manager.buildSessionContext()
    this.#talk.sendFirst(messages.map(wordsOfMessage))
    this.#tell({ type: 'session', id: manager.sessionId, why: 'handoff', parent: parentSession })
    return { kind: 'switched', session: manager.sessionId, parentSession, ...written }
  }

  async #opened(why: 'new' | 'resume' | 'fork', native?: string, parent?: string): Promise<void> {
    this.#reset()
    const { manager, backend } = this.#parts
    if (native !== undefined) await recordNativeSession(manager, backend, native)
    this.#tell({ type: 'session', id: manager.sessionId, why, ...(parent === undefined ? {} : { parent }) })
  }

  #reset(): void {
    this.#talk.reset()
    this.#followUps = []
    this.#began = undefined
  }

  async #retell(): Promise<void> {
    this.#talk.sendFirst(await replayConversation(this.#parts.manager.contextFromEnd()))
  }

  #describeSession(focus: string | undefined): HostedHandoff {
    const { manager, backend } = this.#parts
    const { used, size } = this.#talk.context ?? {}
    return {
      root: this.#parts.root,
      agent: backend.agent,
      session: backend.nativeSession ?? manager.sessionId,
      path: manager.path,
      focus,
      parent: this.#began,
      ...(used !== undefined && size !== undefined ? { contextUsage: Math.round((used / size) * 100) } : {}),
    }
  }

  #refuseWhileBusy(): void {
    if (this.#handoff)
      throw new BatonError('not_allowed', 'A handoff document is being written', {
        remedy: 'Wait until it is done, or press Escape to cancel it.',
      })
    if (this.#talk.isRunning)
      throw new BatonError('not_allowed', 'A reply is being written', {
        remedy: 'Wait until it is done, or press Escape to cancel it.',
      })
  }

  #now(): number {
    return this.#parts.clock.now()
  }

  #tell(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

/** Resolves some time after the stop was requested. */
function stoppedLate(signal: AbortSignal, timers: Timers): Promise<'cancelled'> {
  return new Promise(resolve => {
    const later = () => void timers.after(STOP_MS, () => resolve('cancelled'))
    if (signal.aborted) later()
    else signal.addEventListener('abort', later, { once: true })
  })
}

const nothing = () =>
  new BatonError('nothing_to_hand_off', 'Nothing to hand off (no messages yet)', {
    remedy: 'Start the work first: a handoff needs at least one prompt and one reply.',
  })

const asBatonError = (cause: unknown): BatonError =>
  cause instanceof BatonError
    ? cause
    : new BatonError('internal', cause instanceof Error ? cause.message : String(cause), { cause })
