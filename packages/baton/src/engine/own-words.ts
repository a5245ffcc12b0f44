import { createHash } from 'node:crypto'
import type { AgentEvent } from '@batonpass/contract/event'

const MOST = 1000

/** What hooks tell of Baton's own doing: its model calls, and the prompts it sent itself. */
export class OwnWords {
  readonly #sessions = new Set<string>()
  readonly #prompts = new Map<string, string>()

  /** Whether Baton's own model call speaks. Some of its hooks carry no marker or come late, so its session is remembered. */
  isOwn(nativeSession: string, marked: boolean): boolean {
    if (!marked) return this.#sessions.has(nativeSession)
    remember(this.#sessions, nativeSession)
    return true
  }

  /** A session was told to go on with this. */
  said(session: string, prompt: string): void {
    this.#prompts.set(session, digestOf(prompt))
    const [oldest] = this.#prompts.keys()
    if (this.#prompts.size > MOST && oldest !== undefined) this.#prompts.delete(oldest)
  }

  /** Some agents tell their hooks of our own continuation as of any prompt: no person typed that one. */
  recognise(event: AgentEvent): AgentEvent {
    if (event.type !== 'PromptSubmitted' || event.automatic) return event
    if (this.#prompts.get(event.session) !== digestOf(event.prompt)) return event
    this.#prompts.delete(event.session)
    return { ...event, automatic: true }
  }
}

/** Keeps the newest thousand. */
export function remember(sessions: Set<string>, session: string): void {
  sessions.add(session)
  const [oldest] = sessions
  if (sessions.size > MOST && oldest !== undefined) sessions.delete(oldest)
}

const digestOf = (prompt: string): string => createHash('sha1').update(prompt.trim()).digest('base64')
