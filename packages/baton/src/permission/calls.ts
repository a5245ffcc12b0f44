import type { EventOf } from '@batonpass/contract/event'
import type { PermissionStep } from '@batonpass/contract/permission'
import { fingerprintFor } from './ask-for.ts'

/** A tool call on its way: what its first hook was told, until it has run. */
export interface Call {
  readonly fingerprint: string
  readonly session: string
  /** The event of its first hook. */
  readonly requested: string
  readonly toolUseId: string | undefined
  readonly ofSubagent: boolean
  readonly told: 'allow' | 'deny' | 'ask' | 'defer'
  readonly reason: string
  readonly trail: readonly PermissionStep[]
  /** The event with which the agent's own dialog opened. */
  asked?: string
  /** A person answered through Baton, not in that dialog. */
  answered?: boolean
  /** The journal has an entry for the question about it: what follows is the same question again. */
  isCounted?: boolean
}

const MOST_CALLS = 2000

/**
 * Joins the hooks of one tool call. The agent's dialog names no call, so it is known by its words: of equal calls, the
 * oldest that has not been asked about. What is forgotten, by a restart or in a flood, costs a repeated question at most.
 */
export class Calls {
  readonly #calls = new Map<string, Call>()

  requested(
    event: EventOf<'ToolRequested'>,
    told: Call['told'],
    reason: string,
    trail: readonly PermissionStep[] = [],
  ): void {
    const { id, session, toolUseId } = event
    const fingerprint = fingerprintFor(event)
    const ofSubagent = event.subagent !== undefined
    const isCounted = told === 'ask'
    const call = {
      fingerprint,
      session,
      requested: id,
      toolUseId,
      ofSubagent,
      told,
      reason,
      trail,
      isCounted,
    }
    this.#calls.delete(id)
    // A call that may not run has no more hooks.
    if (told !== 'deny') this.#calls.set(id, call)
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > MOST_CALLS && oldest !== undefined) this.#calls.delete(oldest)
  }

  /** The call for which the agent's dialog opened. */
  asked(event: EventOf<'PermissionAsked'>): Call | undefined {
    const fingerprint = fingerprintFor(event)
    const alike = [...this.#calls.values()].filter(call => call.fingerprint === fingerprint)
    const call = alike.find(({ asked }) => asked === event.id) ?? alike.find(({ asked }) => !asked)
    if (call) call.asked = event.id
    return call
  }

  finished(event: EventOf<'ToolFinished'>): Call | undefined {
    const { session, toolUseId } = event
    const call =
      toolUseId === undefined
        ? undefined
        : [...this.#calls.values()].find(one => one.session === session && one.toolUseId === toolUseId)
    if (call) this.#calls.delete(call.requested)
    return call
  }

  /** A turn takes its calls along, whether they ran or not; a subagent's outlive it. */
  ended(session: string, what: 'turn' | 'session'): void {
    for (const [id, call] of this.#calls)
      if (call.session === session && (what === 'session' || !call.ofSubagent)) this.#calls.delete(id)
  }

  get size(): number {
    return this.#calls.size
  }
}
