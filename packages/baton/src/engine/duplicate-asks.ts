import type { Reaction } from '@batonpass/contract/reaction'
import { fingerprintOf } from '../ask/fingerprint.ts'
import type { DecodedEvent } from '../ports/agent.ts'

interface OpenAskCall {
  hosted: boolean
  reaction: Promise<Reaction | undefined>
}

/**
 * A hosted agent that has hooks as well asks about one tool call in two ways at once: by its hook and through its host.
 * Whichever comes second gets the answer of the first, so that a person is asked once.
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
    // Two equal calls are two questions; only the other way of asking is the same one.
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
