import { BatonError } from '@batonpass/contract/errors'
import type { AgentEvent } from '@batonpass/contract/event'
import type { Contribution, ReactorName } from '../ports/contribution.ts'
import type { Later, ReactionContext, Reactor } from '../ports/reactor.ts'
import { contribute, type Merged, merge, NOTHING } from './merge.ts'

export type Fault = (reactor: ReactorName, cause: unknown) => void

/** The immediate contributions, and a way to wait for the deferred ones. */
export interface PendingReaction {
  merged: Merged
  /** Resolves when every deferred contribution has arrived or timed out. Never rejects. */
  rest: (signal: AbortSignal) => Promise<Merged>
  waiting: boolean
}

/** Passes an event to every reactor. A reactor that throws is reported as a fault and does not affect the others. */
export async function react(
  reactors: readonly Reactor[],
  event: AgentEvent,
  context: ReactionContext,
  fault: Fault,
): Promise<PendingReaction> {
  let merged = NOTHING
  const late: { by: ReactorName; later: Later }[] = []
  const patience = new ReactorTimeout()
  for (const reactor of reactors) {
    try {
      const outcome = await patience.with(reactor, event, context)
      if (outcome?.now) merged = merge(merged, contribute(reactor.name, outcome.now))
      if (outcome?.later) late.push({ by: reactor.name, later: outcome.later })
    } catch (cause) {
      fault(reactor.name, cause)
      merged = merge(merged, contribute(reactor.name, afterFault(event)))
    }
  }
  patience.end()
  const already = merged
  return {
    merged: already,
    waiting: late.length > 0,
    rest: async signal => {
      const said = await Promise.all(
        late.map(async ({ by, later }) =>
          contribute(by, await settleLater(later, signal, c => fault(by, c))),
        ),
      )
      return said.reduce(merge, already)
    },
  }
}

/** Reactors must answer quickly. Without this limit, one that hangs would block the session's queue. */
const AT_ONCE_MS = 10_000

/** One shared timer for all reactors of a call, because nearly all of them answer at once. */
class ReactorTimeout {
  #timer: NodeJS.Timeout | undefined
  #ring: (() => void) | undefined

  with(reactor: Reactor, event: AgentEvent, context: ReactionContext): ReturnType<Reactor['react']> {
    const outcome = reactor.react(event, context)
    if (!(outcome instanceof Promise)) return outcome
    return new Promise((resolve, reject) => {
      this.#ring = () =>
        reject(
          new BatonError(
            'timed_out',
            `The ${reactor.name} reactor did not answer within ${AT_ONCE_MS / 1000} seconds`,
          ),
        )
      if (this.#timer) this.#timer.refresh()
      else this.#timer = setTimeout(() => this.#ring?.(), AT_ONCE_MS)
      outcome.then(resolve, reject)
    })
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}

/** A timer with a longer delay would fire at once. */
const MAX_PAUSE_MS = 2 ** 31 - 1

/** A fault never allows anything: the permission question goes to a person. */
function afterFault(event: AgentEvent): Contribution {
  if (event.type !== 'ToolRequested' && event.type !== 'PermissionAsked') return {}
  return {
    permission: { decision: 'ask', reason: 'Baton failed while judging this; see `baton logs`' },
  }
}

async function settleLater(
  later: Later,
  signal: AbortSignal,
  fault: (cause: unknown) => void,
): Promise<Contribution> {
  // A signal that is already aborted does not fire the event again.
  if (signal.aborted) return later.otherwise
  // Not `AbortSignal.timeout`: its timer would keep everything about this call in memory until the time is over, often hours.
  const over = new AbortController()
  const { promise: aborted, resolve } = Promise.withResolvers<Contribution>()
  const end = () => {
    over.abort()
    resolve(later.otherwise)
  }
  const timer = setTimeout(end, Math.min(Math.max(later.withinMs || 0, 0), MAX_PAUSE_MS))
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([later.run(over.signal), aborted])
  } catch (cause) {
    if (!over.signal.aborted) fault(cause)
    return later.otherwise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}
