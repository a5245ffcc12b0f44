import type { HookSource } from '@batonpass/contract/hook'

const REMEMBER_MS = 60_000
/** A duplicate arrives within moments. During a flood of events the oldest are dropped early, so that memory stays bounded. */
const REMEMBER_AT_MOST = 4000
const REQUESTS_AT_MOST = 64

/** What identifies a hook call and its duplicates. */
export interface ReportedCall {
  /** Equal for the same event of the same session. */
  fingerprint: string
  source: HookSource
  /** A call that the client repeats because it lost the answer has the same request id and counts once. */
  request: string | undefined
  /** Monotonic milliseconds. */
  now: number
}

/** Small, because thousands are remembered: an object and a list instead of two maps save half a kilobyte each. */
interface SeenEvent {
  counts: Partial<Record<HookSource, number>>
  requests: { request: string; isDuplicate: boolean }[]
  until: number
}

/**
 * Recognises an event that a second installation of the hooks reports again (plugin and settings both installed).
 * The n-th report by one source is the n-th event, whichever source reports it first, so an event that really
 * happens twice still counts twice.
 */
export class DuplicateEvents {
  readonly #heard = new Map<string, SeenEvent>()
  #swept = Number.NEGATIVE_INFINITY

  /** True if another source has already reported this event. */
  isDuplicate({ fingerprint, source, request, now }: ReportedCall): boolean {
    this.#sweep(now)
    const heard = this.#hear(fingerprint, now)
    const before = request === undefined ? undefined : heard.requests.find(each => each.request === request)
    if (before) return before.isDuplicate
    const most = Math.max(0, ...Object.values(heard.counts))
    const mine = (heard.counts[source] ?? 0) + 1
    heard.counts[source] = mine
    const isDuplicate = mine <= most
    if (request !== undefined) heard.requests.push({ request, isDuplicate })
    if (heard.requests.length > REQUESTS_AT_MOST) heard.requests.shift()
    return isDuplicate
  }

  get size(): number {
    return this.#heard.size
  }

  #hear(fingerprint: string, now: number): SeenEvent {
    const known = this.#heard.get(fingerprint)
    const heard: SeenEvent = known && known.until > now ? known : { counts: {}, requests: [], until: 0 }
    heard.until = now + REMEMBER_MS
    setBounded(this.#heard, REMEMBER_AT_MOST, fingerprint, heard)
    return heard
  }

  #sweep(now: number): void {
    if (now - this.#swept < REMEMBER_MS) return
    this.#swept = now
    for (const [key, heard] of this.#heard) if (heard.until <= now) this.#heard.delete(key)
  }
}

/** Sets the key as the newest one and deletes the oldest beyond `most`. */
function setBounded<T>(map: Map<string, T>, most: number, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
