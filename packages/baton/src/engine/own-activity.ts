import { hash } from 'node:crypto'
import type { AgentEvent } from '@batonpass/contract/event'

const MAX_ITEMS = 1000
/** Baton's own turn ends at the latest after this time, even if the hosting program died. */
const MAX_TURN_MS = 15 * 60_000
/** Events that reactors would mistake for a person's prompt or for the end of the work. */
const TURN_EVENTS: ReadonlySet<AgentEvent['type']> = new Set(['PromptSubmitted', 'TurnEnded', 'TurnFailed'])

/** Recognises hook calls that Baton itself caused: its own model calls, and the prompts it sent. */
export class OwnActivity {
  readonly #sessions = new Set<string>()
  readonly #prompts = new Map<string, string>()
  /** Sessions that are answering Baton's own question, and since when. */
  readonly #turns = new Map<string, number>()

  /** Whether a hook call comes from Baton's own model call. Remembers the session, because some hooks lack the marker or come late. */
  isOwn(nativeSession: string, marked: boolean): boolean {
    if (!marked) return this.#sessions.has(nativeSession)
    rememberSession(this.#sessions, nativeSession)
    return true
  }

  /** Records that the session starts (`on`) or ends a turn for Baton itself, such as writing a handoff document. */
  setOwnTurn(session: string, on: boolean, elapsed: number): void {
    this.#turns.delete(session)
    if (on) this.#turns.set(session, elapsed)
    const [oldest] = this.#turns.keys()
    if (this.#turns.size > MAX_ITEMS && oldest !== undefined) this.#turns.delete(oldest)
  }

  /** Whether reactors must ignore this event because the turn is Baton's own. Tool calls are still judged. */
  isOwnTurn({ session, type }: Pick<AgentEvent, 'session' | 'type'>, elapsed: number): boolean {
    const since = this.#turns.get(session)
    return since !== undefined && elapsed - since < MAX_TURN_MS && TURN_EVENTS.has(type)
  }

  /** Remembers the continuation prompt that Baton sent to a session. */
  rememberPrompt(session: string, prompt: string): void {
    this.#prompts.set(session, digestOf(prompt))
    const [oldest] = this.#prompts.keys()
    if (this.#prompts.size > MAX_ITEMS && oldest !== undefined) this.#prompts.delete(oldest)
  }

  /** Marks a prompt as automatic if it is the continuation that Baton sent: some agents report it like a person's prompt. */
  markOwnPrompt(event: AgentEvent): AgentEvent {
    if (event.type !== 'PromptSubmitted' || event.automatic) return event
    if (this.#prompts.get(event.session) !== digestOf(event.prompt)) return event
    this.#prompts.delete(event.session)
    return { ...event, automatic: true }
  }
}

/** Adds a session and keeps only the newest thousand. */
export function rememberSession(sessions: Set<string>, session: string): void {
  sessions.add(session)
  const [oldest] = sessions
  if (sessions.size > MAX_ITEMS && oldest !== undefined) sessions.delete(oldest)
}

const digestOf = (prompt: string): string => hash('sha1', prompt.trim(), 'base64')
