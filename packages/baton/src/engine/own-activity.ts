import { hash } from 'node:crypto'
import type { AgentEvent } from '@batonpass/contract/event'

const MAX_ITEMS = 1000
/** A program that died over its own question is believed no longer than this. */
const MAX_TURN_MS = 15 * 60_000
/** What the reactors would take for a person's wish, or for a stop of the work. */
const TURN_EVENTS: ReadonlySet<AgentEvent['type']> = new Set(['PromptSubmitted', 'TurnEnded', 'TurnFailed'])

/** What hooks tell of Baton's own doing: its model calls, and the prompts it sent itself. */
export class OwnActivity {
  readonly #sessions = new Set<string>()
  readonly #prompts = new Map<string, string>()
  /** Sessions that answer a question of Baton's own, and since when. */
  readonly #turns = new Map<string, number>()

  /** Whether Baton's own model call speaks. Some of its hooks carry no marker or come late, so its session is remembered. */
  isOwn(nativeSession: string, marked: boolean): boolean {
    if (!marked) return this.#sessions.has(nativeSession)
    rememberSession(this.#sessions, nativeSession)
    return true
  }

  /** Whoever hosts a session asks it something of Baton's own, such as for a handoff document, or has its answer. */
  setOwnTurn(session: string, on: boolean, elapsed: number): void {
    this.#turns.delete(session)
    if (on) this.#turns.set(session, elapsed)
    const [oldest] = this.#turns.keys()
    if (this.#turns.size > MAX_ITEMS && oldest !== undefined) this.#turns.delete(oldest)
  }

  /** Whether nobody else is to speak now: one voice at a time. Tools are judged as ever. */
  isOwnTurn({ session, type }: Pick<AgentEvent, 'session' | 'type'>, elapsed: number): boolean {
    const since = this.#turns.get(session)
    return since !== undefined && elapsed - since < MAX_TURN_MS && TURN_EVENTS.has(type)
  }

  /** A session was told to go on with this. */
  rememberPrompt(session: string, prompt: string): void {
    this.#prompts.set(session, digestOf(prompt))
    const [oldest] = this.#prompts.keys()
    if (this.#prompts.size > MAX_ITEMS && oldest !== undefined) this.#prompts.delete(oldest)
  }

  /** Some agents tell their hooks of our own continuation as of any prompt: no person typed that one. */
  markOwnPrompt(event: AgentEvent): AgentEvent {
    if (event.type !== 'PromptSubmitted' || event.automatic) return event
    if (this.#prompts.get(event.session) !== digestOf(event.prompt)) return event
    this.#prompts.delete(event.session)
    return { ...event, automatic: true }
  }
}

/** Keeps the newest thousand. */
export function rememberSession(sessions: Set<string>, session: string): void {
  sessions.add(session)
  const [oldest] = sessions
  if (sessions.size > MAX_ITEMS && oldest !== undefined) sessions.delete(oldest)
}

const digestOf = (prompt: string): string => hash('sha1', prompt.trim(), 'base64')
