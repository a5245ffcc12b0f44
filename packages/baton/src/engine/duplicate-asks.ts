import type { Reaction } from '@batonpass/contract/reaction'
import { fingerprintOf } from '../ask/fingerprint.ts'
import type { DecodedEvent } from '../ports/agent.ts'

interface OpenAskCall {
  hosted: boolean
  reaction: Promise<Reaction | undefined>
}

/**
 * A hosted agent that also has hooks asks about one tool call twice at the same time: through its hook and through its host.
 * The second call gets the answer of the first, so that the person is asked only once.
 */
export class DuplicateAsks {
  readonly #open = new Map<string, OpenAskCall[]>()

  async runOnce(
    session: string,
    event: DecodedEvent,
    hosted: boolean,
    ask: () => Promise<Reaction | undefined>,
  ): Promise<Reaction | undefined> {
    if (event.type !== 'PermissionAsked') return ask()
    const { tool, input } = event
    const key = fingerprintOf({ session, tool, input, cwd: undefined })
    const open = this.#open.get(key) ?? []
    // Two equal calls through the same path are two questions; only the call through the other path is a duplicate.
    const at = open.findIndex(each => each.hosted !== hosted)
    const [other] = at < 0 ? [] : open.splice(at, 1)
    if (other) return other.reaction
    const asking: OpenAskCall = { hosted, reaction: ask() }
    this.#open.set(key, [...open, asking])
    try {
      return await asking.reaction
    } finally {
      const left = (this.#open.get(key) ?? []).filter(each => each !== asking)
      if (left.length > 0) this.#open.set(key, left)
      else this.#open.delete(key)
    }
  }
}
