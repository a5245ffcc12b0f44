import type { AgentEvent } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'

const MAX_ITEMS = 500

/** Links sessions across a `/clear`: the new session starts in the same process right after the old one ended. */
export class ClearedSessions {
  readonly #left = new Map<string, SessionId>()

  /** The session that the event's session continues. */
  parentOf(
    event: AgentEvent,
    seen: { pane?: string | undefined; pid?: number | undefined },
  ): SessionId | undefined {
    const place = seen.pid ?? seen.pane ?? event.cwd
    if (place === undefined) return undefined
    const key = `${event.agent} ${place}`
    if (event.type === 'SessionEnded' && event.reason === 'clear') {
      this.#left.delete(key)
      this.#left.set(key, event.session)
      const [oldest] = this.#left.keys()
      if (this.#left.size > MAX_ITEMS && oldest !== undefined) this.#left.delete(oldest)
      return undefined
    }
    if (event.type !== 'SessionStarted' || event.source !== 'clear') return undefined
    const parent = this.#left.get(key)
    this.#left.delete(key)
    return parent === event.session ? undefined : parent
  }
}
