import { BatonError } from '@batonpass/contract/errors'
import type { Backend, Heard, TurnEnd } from '../../ports/backend.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Timers } from '../../ports/timers.ts'
import { wordsOfMessage } from '../../session/engine/context.ts'
import { isObject, type SessionMessage, textOfMessage } from '../../session/engine/entries.ts'
import { Replies } from '../../session/engine/replies.ts'
import type { SessionManager } from '../../session/engine/session-manager.ts'
import type { HandoffOutcome } from './outcome.ts'
import { conversationSoFar } from './so-far.ts'
import { contextPrompt, correctionPrompt } from './words.ts'
import type { About, HandoffWriter, Written } from './writer.ts'

export type SessionEvent =
  | { type: 'agent_start' }
  | { type: 'heard'; heard: Heard }
  | { type: 'message_end'; message: SessionMessage }
  | { type: 'agent_end'; end: TurnEnd | 'failed' }
  | { type: 'handoff'; step: 'asked' | 'checking' | 'asked-again' | 'switching' }
  /** Another session is open now. */
  | { type: 'session'; id: string; why: 'new' | 'resume' | 'fork' | 'handoff'; parent?: string }

export interface AgentSessionParts {
  manager: SessionManager
  backend: Backend
  writer: HandoffWriter
  clock: Pick<Clock, 'now'>
  timers: Timers
  /** The worktree's root: where documents stand. */
  root: string
  /** Puts prompt templates in the place of their names. */
  expand?(text: string): string
}

/** Counted in messages: a prompt and a reply. */
const FEWEST_MESSAGES = 2
/** An agent that was told to stop and goes on is not waited for any longer. */
const STOP_MS = 15_000
const CANCEL_AGAIN_MS = 1000
const NATIVE = 'baton-agent'

/** One conversation with an agent that Baton hosts, kept in a session file, and handed over to the next one. */
export class AgentSession {
  readonly #parts: AgentSessionParts
  readonly #listeners = new Set<(event: SessionEvent) => void>()
  readonly #replies = new Replies()
  #handoff: AbortController | undefined
  /** There while a turn runs. */
  #stop: AbortController | undefined
  /** Goes before the next prompt, because the agent has not seen it. */
  #pending: string[] = []
  #followUps: string[] = []
  #messages: SessionMessage[] = []
  #turns = 0
  #context: { used: number; size: number | undefined } | undefined
  /** The document this session began with. */
  #began: string | undefined
  #writing: Promise<unknown> = Promise.resolve()

  constructor(parts: AgentSessionParts) {
    this.#parts = parts
    parts.backend.listen(heard => this.#hear(heard))
  }

  /** Begins the agent's own conversation. */
  async start(): Promise<void> {
    await this.#remember(await this.#parts.backend.begin())
  }

  get sessionId(): string {
    return this.#parts.manager.sessionId
  }
  get path(): string {
    return this.#parts.manager.path
  }
  get isStreaming(): boolean {
    return this.#stop !== undefined
  }
  get isGeneratingHandoff(): boolean {
    return this.#handoff !== undefined
  }
  /** Prompts that wait for the turn to end. */
  get queued(): readonly string[] {
    return this.#followUps
  }
  get turns(): number {
    return this.#turns
  }
  get context(): { used: number; size: number | undefined } | undefined {
    return this.#context
  }

  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** One turn, to its end. Throws where the agent fails; what it said until then is kept. */
  async prompt(text: string, { expandPromptTemplates = true } = {}): Promise<TurnEnd> {
    this.#refuseWhileBusy()
    const words = expandPromptTemplates ? (this.#parts.expand?.(text) ?? text) : text
    const message = { role: 'user', content: [{ type: 'text', text: words }], timestamp: this.#now() }
    return this.#turn(words, false, () => this.#parts.manager.appendMessage(message))
  }

  /** Kept until the turn has ended; `next` gives it then. */
  followUp(text: string): void {
    this.#followUps.push(text)
  }
  next(): string | undefined {
    return this.#followUps.shift()
  }

  /** Stops the turn that runs. */
  abort(): void {
    this.#stop?.abort()
  }

  abortHandoff(): void {
    this.#handoff?.abort()
  }

  /** Whether there is anything to hand off. */
  async hasEnough(): Promise<boolean> {
    return (await this.#parts.manager.countMessages(FEWEST_MESSAGES)) >= FEWEST_MESSAGES
  }

  /** Has the session write down where its work stands, checks that, and goes on in a new session that begins with it. */
  async handoff(focus?: string): Promise<HandoffOutcome> {
    this.#refuseWhileBusy()
    const abort = new AbortController()
    this.#handoff = abort
    try {
      if (!(await this.hasEnough())) throw nothing()
      const about = this.#about(focus)
      const before = await this.#parts.writer.evidence(about)
      this.#tell({ type: 'handoff', step: 'asked' })
      const reply = await this.#ask(contextPrompt(focus), abort.signal)
      if (typeof reply !== 'string') return reply
      this.#tell({ type: 'handoff', step: 'checking' })
      let judged = await this.#parts.writer.judge(reply, about)
      if (judged.findings.length > 0 && !abort.signal.aborted) {
        this.#tell({ type: 'handoff', step: 'asked-again' })
        const better = await this.#ask(correctionPrompt(judged.findings), abort.signal)
        if (typeof better === 'string') judged = await this.#parts.writer.judge(better, about)
        else if (better.kind !== 'empty' && better.kind !== 'refused') return better
      }
      if (abort.signal.aborted) return { kind: 'cancelled' }
      this.#tell({ type: 'handoff', step: 'switching' })
      const written = await this.#parts.writer.store(judged, before, about, this.#now())
      return await this.#switch(written)
    } catch (cause) {
      if (cause instanceof BatonError && cause.code === 'nothing_to_hand_off') throw cause
      return abort.signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', error: asBatonError(cause) }
    } finally {
      this.#handoff = undefined
    }
  }

  /** Leaves the session as it is and begins an empty one. */
  async newSession(): Promise<void> {
    this.#refuseWhileBusy()
    const { manager, backend } = this.#parts
    await manager.flush()
    const native = await backend.begin()
    await manager.newSession()
    await this.#opened('new', native)
  }

  /** Goes on with another session: in the agent's own memory of it, else by what its file says. */
  async resume(path: string): Promise<'resumed' | 'retold'> {
    this.#refuseWhileBusy()
    const { manager, backend } = this.#parts
    await manager.flush()
    const before = manager.path
    const stored = manager.isStored
    await manager.switchTo(path)
    const native = await this.#nativeOf()
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

  /** Goes on in a copy, so that the session itself stays as it is. */
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
    await this.#writing.catch(() => {})
    await this.#parts.manager.flush().catch(() => {})
    await this.#parts.manager.close()
    await this.#parts.backend.close()
  }

  /** A turn of our own, whose prompt is no word of the person's; its last reply, or why there is none. */
  async #ask(words: string, signal: AbortSignal): Promise<string | HandoffOutcome> {
    if (signal.aborted) return { kind: 'cancelled' }
    const { manager } = this.#parts
    const stop = () => this.abort()
    signal.addEventListener('abort', stop, { once: true })
    try {
      const turn = this.#turn(words, true, () =>
        manager.appendCustomMessageEntry('handoff-request', words, false),
      )
      const end = await Promise.race([turn, stoppedLate(signal, this.#parts.timers)])
      turn.catch(() => {})
      if (signal.aborted || end === 'cancelled') return { kind: 'cancelled' }
      if (end === 'refused') return { kind: 'refused' }
      const last = this.#messages.findLast(message => message.role === 'assistant')
      const text = last ? textOfMessage(last).trim() : ''
      return text === '' ? { kind: 'empty' } : text
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  async #turn(words: string, own: boolean, keep: () => Promise<unknown>): Promise<TurnEnd> {
    const stop = new AbortController()
    this.#stop = stop
    this.#messages = []
    let end: TurnEnd | 'failed' = 'failed'
    try {
      await keep()
      this.#tell({ type: 'agent_start' })
      end = stop.signal.aborted ? 'cancelled' : await this.#send(words, own, stop.signal)
      this.#turns++
      return end
    } finally {
      const why = end === 'failed' ? 'error' : end === 'cancelled' ? 'aborted' : 'stop'
      for (const message of this.#replies.end(this.#stamp(), why)) this.#keep(message)
      this.#replies.forgetCalls()
      this.#stop = undefined
      this.#tell({ type: 'agent_end', end })
      await this.#stored()
    }
  }

  async #send(words: string, own: boolean, stop: AbortSignal): Promise<TurnEnd> {
    const { backend, timers } = this.#parts
    let callOff = () => {}
    // An agent that has hardly begun may miss the first one.
    const cancel = () => {
      void backend.cancel()
      callOff = timers.after(CANCEL_AGAIN_MS, cancel)
    }
    stop.addEventListener('abort', cancel, { once: true })
    try {
      const sent = this.#pending
      const end = await backend.prompt(words, { before: sent, own })
      this.#pending = this.#pending.slice(sent.length)
      return end
    } finally {
      stop.removeEventListener('abort', cancel)
      callOff()
    }
  }

  #hear(heard: Heard): void {
    if (heard.kind === 'usage') this.#context = { used: heard.used, size: heard.size }
    for (const message of this.#replies.take(heard, this.#stamp())) this.#keep(message)
    if (heard.kind === 'continued')
      this.#store(this.#parts.manager.appendCustomMessageEntry('continuation', heard.prompt, true))
    this.#tell({ type: 'heard', heard })
  }

  #keep(message: SessionMessage): void {
    this.#messages.push(message)
    this.#store(this.#parts.manager.appendMessage(message))
    this.#tell({ type: 'message_end', message })
  }

  #store(written: Promise<unknown>): void {
    const before = this.#writing
    this.#writing = written.then(() => before)
    this.#writing.catch(() => {})
  }

  /** A reply that could not be stored is told once, when the turn has ended. */
  async #stored(): Promise<void> {
    const writing = this.#writing
    this.#writing = Promise.resolve()
    await writing
  }

  async #switch(written: Written): Promise<HandoffOutcome> {
    const { manager, backend } = this.#parts
    await manager.flush()
    const parentSession = manager.path
    const before = backend.nativeSession
    // First what may fail: the old session is left only when the new one is there.
    const native = await backend.begin()
    try {
      await manager.newSession({ parentSession })
      await this.#remember(native)
      await manager.appendCustomMessageEntry('handoff', written.context, true)
    } catch (cause) {
      await manager.switchTo(parentSession)
      if (before !== undefined) await backend.resume(before).catch(() => false)
      throw cause
    }
    this.#reset()
    this.#began = written.name
    const { messages } = await manager.buildSessionContext()
    this.#pending = messages.map(wordsOfMessage)
    this.#tell({ type: 'session', id: manager.sessionId, why: 'handoff', parent: parentSession })
    return { kind: 'switched', session: manager.sessionId, parentSession, ...written }
  }

  async #opened(why: 'new' | 'resume' | 'fork', native?: string, parent?: string): Promise<void> {
    this.#reset()
    if (native !== undefined) await this.#remember(native)
    const id = this.#parts.manager.sessionId
    this.#tell({ type: 'session', id, why, ...(parent === undefined ? {} : { parent }) })
  }

  #reset(): void {
    this.#pending = []
    this.#followUps = []
    this.#messages = []
    this.#turns = 0
    this.#context = undefined
    this.#began = undefined
  }

  async #retell(): Promise<void> {
    const { messages } = await this.#parts.manager.buildSessionContext()
    this.#pending = conversationSoFar(messages)
  }

  /** So that the agent's own memory of the conversation is found again. */
  async #remember(nativeSession: string): Promise<void> {
    const { manager, backend } = this.#parts
    await manager.appendCustomEntry(NATIVE, { agent: backend.agent, nativeSession })
  }

  async #nativeOf(): Promise<string | undefined> {
    const { manager, backend } = this.#parts
    const last = await manager.findLast(entry => entry.customType === NATIVE)
    const data = isObject(last?.data) ? last.data : undefined
    return data?.agent === backend.agent && typeof data.nativeSession === 'string'
      ? data.nativeSession
      : undefined
  }

  #about(focus: string | undefined): About {
    const { manager, backend } = this.#parts
    const { used, size } = this.#context ?? {}
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
      throw new BatonError('not_allowed', 'A handoff is being written', {
        remedy: 'Wait for it, or press Escape.',
      })
    if (this.#stop)
      throw new BatonError('not_allowed', 'A reply is being written', {
        remedy: 'Wait for it, or press Escape.',
      })
  }

  #stamp() {
    return { agent: this.#parts.backend.agent, now: this.#now() }
  }

  #now(): number {
    return this.#parts.clock.now()
  }

  #tell(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

/** Resolves some time after a stop was asked for. */
function stoppedLate(signal: AbortSignal, timers: Timers): Promise<'cancelled'> {
  return new Promise(resolve => {
    const later = () => void timers.after(STOP_MS, () => resolve('cancelled'))
    if (signal.aborted) later()
    else signal.addEventListener('abort', later, { once: true })
  })
}

const nothing = () =>
  new BatonError('nothing_to_hand_off', 'Nothing to hand off (no messages yet)', {
    remedy: 'Begin the work first; a handoff needs at least a prompt and a reply.',
  })

const asBatonError = (cause: unknown): BatonError =>
  cause instanceof BatonError
    ? cause
    : new BatonError('internal', cause instanceof Error ? cause.message : String(cause), { cause })
