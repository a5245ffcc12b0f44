import type { Backend, BackendEvent, TurnEnd } from '../ports/backend.ts'
import type { Clock } from '../ports/clock.ts'
import type { Timers } from '../ports/timers.ts'
import type { SessionEvent } from './session-event.ts'
import { type SessionMessage, textOfMessage } from './session-file/entries.ts'
import { ReplyBuilder } from './session-file/reply-builder.ts'
import type { SessionManager } from './session-file/session-manager.ts'

export interface TurnRunnerParts {
  manager: SessionManager
  backend: Backend
  clock: Pick<Clock, 'now'>
  timers: Timers
}

const CANCEL_AGAIN_MS = 1000

/** Runs the turns of a conversation, one at a time, and stores the agent's output in the session file. */
export class TurnRunner {
  readonly #parts: TurnRunnerParts
  readonly #tell: (event: SessionEvent) => void
  readonly #replies = new ReplyBuilder()
  /** Set while a turn runs. */
  #stop: AbortController | undefined
  /** Text to send before the next prompt, because the agent has not seen it. */
  #pending: readonly string[] = []
  #messages: SessionMessage[] = []
  #turns = 0
  #context: { used: number; size: number | undefined } | undefined
  #writing: Promise<unknown> = Promise.resolve()

  constructor(parts: TurnRunnerParts, tell: (event: SessionEvent) => void) {
    this.#parts = parts
    this.#tell = tell
    parts.backend.listen(heard => this.#hear(heard))
  }

  get isRunning(): boolean {
    return this.#stop !== undefined
  }
  get turns(): number {
    return this.#turns
  }
  get context(): { used: number; size: number | undefined } | undefined {
    return this.#context
  }

  /** The agent's last message in this turn. */
  get lastReply(): string {
    const last = this.#messages.findLast(message => message.role === 'assistant')
    return last ? textOfMessage(last).trim() : ''
  }

  /** Clears the state for another session. */
  reset(): void {
    this.#pending = []
    this.#messages = []
    this.#turns = 0
    this.#context = undefined
  }

  /** Sends these texts before the next prompt. */
  sendFirst(words: readonly string[]): void {
    this.#pending = words
  }

  /** Runs one turn to its end. `store` stores the prompt. */
  async run(words: string, own: boolean, store: () => Promise<unknown>): Promise<TurnEnd> {
    const stop = new AbortController()
    this.#stop = stop
    this.#messages = []
    let end: TurnEnd | 'failed' = 'failed'
    try {
      await store()
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
      await this.stored()
    }
  }

  stop(): void {
    this.#stop?.abort()
  }

  /** Waits until all replies are stored. A failure to store one is reported once, when the turn has ended. */
  async stored(): Promise<void> {
    const writing = this.#writing
    this.#writing = Promise.resolve()
    await writing
  }

  async #send(words: string, own: boolean, stop: AbortSignal): Promise<TurnEnd> {
    const { backend, timers } = this.#parts
    let callOff = () => {}
    // Repeat it: an agent that has just started its turn may miss the first cancel.
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

  #hear(heard: BackendEvent): void {
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

  #stamp() {
    return { agent: this.#parts.backend.agent, now: this.#parts.clock.now() }
  }
}
