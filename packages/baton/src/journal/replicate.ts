import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Copied, Copies, CopyPosition, CopySource, CopyTarget } from '../ports/replica.ts'
import type { Timers } from '../ports/timers.ts'

export type ReplicationState = 'off' | 'current' | 'behind' | 'failing'

/** Why the copy is failing, since when, and when it is tried again. Times in milliseconds since the epoch. */
export interface ReplicationFailure {
  error: unknown
  since: number
  attempts: number
  /** Undefined while an attempt is under way. */
  retryAt: number | undefined
}

export interface Replication {
  state(): ReplicationState
  failure(): ReplicationFailure | undefined
  /** Copies news at once instead of at the next round. While the server is away, it has no effect. */
  wake(): void
  /** Ends after the batch under way, or without it when the server hangs, and closes what `connect` opened. */
  stop(): Promise<void>
}

interface ReplicationPorts {
  timers: Timers
  clock: Clock
  /** For jitter. */
  ids: Ids
}

export interface ReplicationOptions {
  /** One batch holds at most this much, so that memory stays flat however far behind the copy is. */
  entries?: number
  bytes?: number
  /** Between two rounds when everything is copied. */
  idleMs?: number
  /** The longest pause after the first failure; it doubles up to `slowestMs`. */
  retryMs?: number
  slowestMs?: number
  /** The copy began to fail, fails for another reason, or works again: once for each change, not for each attempt. */
  onChange?: (change: { failing: unknown } | { attempts: number }) => void
}

/** No copy is configured. */
export const NO_REPLICATION: Replication = {
  state: () => 'off',
  failure: () => undefined,
  wake: () => {},
  stop: async () => {},
}

/** Copies a local journal to a shared one in the background. The target stores the position; no caller waits for the copy. */
export function replicate(
  local: Copied,
  connect: () => Promise<Copies>,
  { timers, clock, ids }: ReplicationPorts,
  options: ReplicationOptions = {},
): Replication {
  const limits = { entries: options.entries ?? 500, bytes: options.bytes ?? 1024 * 1024 }
  const source = local.copy
  const rest = new PauseTimer(timers)
  let state: ReplicationState = 'behind'
  let failure: ReplicationFailure | undefined
  /** What was reported of this failure: some servers alternate between two errors. */
  const reported = new Set<string>()
  let stopped = false

  function failed(error: unknown): number {
    const isNews = !reported.has(messageOf(error))
    reported.add(messageOf(error))
    const attempts = (failure?.attempts ?? 0) + 1
    const pause = pauseAfter(attempts, ids, options)
    failure = { error, since: failure?.since ?? clock.now(), attempts, retryAt: clock.now() + pause }
    state = 'failing'
    if (isNews) options.onChange?.({ failing: error })
    return pause
  }

  function worked(): void {
    const before = failure
    failure = undefined
    reported.clear()
    if (before) options.onChange?.({ attempts: before.attempts })
  }

  const run = async () => {
    let remote: Copies | undefined
    let course: CopyProgress | undefined
    while (!stopped) {
      try {
        remote ??= await connect()
        const target = remote.copies
        course ??= await resumeCopy(source, target)
        const batch = await source.changesAfter(course.position, limits)
        if (!samePosition(batch.position, course.position)) await target.apply(course.origin, batch)
        course = { ...course, position: batch.position }
        worked()
        state = batch.complete ? 'current' : 'behind'
        if (batch.complete && !stopped) await rest.untilNews(options.idleMs ?? 1000)
      } catch (error) {
        // Whether the batch arrived is unknown: the target is asked again how far it is.
        course = undefined
        const pause = failed(error)
        // News does not end this pause: with each hook call there is some.
        if (!stopped) await rest.forAtLeast(pause)
        if (failure) failure = { ...failure, retryAt: undefined }
      }
    }
    await remote?.close().catch(() => {})
  }
  const done = run()

  return {
    state: () => state,
    failure: () => failure,
    wake: () => rest.news(),
    async stop() {
      stopped = true
      rest.end()
      // A batch may be abandoned at any point: it is applied whole or not at all.
      await new Promise<void>(resolve => {
        const cancel = timers.after(STOP_MS, resolve)
        void done.finally(() => {
          cancel()
          resolve()
        })
      })
      state = 'off'
    },
  }
}

/** A server that hangs is not waited for longer when the daemon stops. */
const STOP_MS = 2000

interface CopyProgress {
  origin: string
  position: CopyPosition
}

async function resumeCopy(source: CopySource, target: CopyTarget): Promise<CopyProgress> {
  const origin = await source.origin()
  const position = await target.position(origin)
  if (await source.continues(position)) return { origin, position }
  // Another machine writes under our name: we take a new one and copy everything we have.
  const renamed = await source.renameOrigin()
  return { origin: renamed, position: await target.position(renamed) }
}

/** Doubles from one failure to the next, up to a bound; half of it is random, so that a fleet does not return all at once. */
export function pauseAfter(
  failures: number,
  ids: Ids,
  { retryMs = 500, slowestMs = 60_000 }: ReplicationOptions,
): number {
  const most = Math.min(slowestMs, retryMs * 2 ** Math.min(failures - 1, 30))
  const random = Number.parseInt(ids.id(4), 36) / 36 ** 4
  return most / 2 + (most / 2) * random
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function samePosition(a: CopyPosition, b: CopyPosition): boolean {
  return a.seq === b.seq && a.changed === b.changed
}

/** The pauses of a loop. News that comes while nothing rests counts for the next `untilNews`. */
class PauseTimer {
  readonly #timers: Timers
  #hasNews = false
  #ended = false
  #wake: (() => void) | undefined
  #onNews: (() => void) | undefined

  constructor(timers: Timers) {
    this.#timers = timers
  }

  async untilNews(ms: number): Promise<void> {
    if (!this.#hasNews)
      await this.#sleep(ms, wake => {
        this.#onNews = wake
      })
    this.#hasNews = false
    this.#onNews = undefined
  }

  forAtLeast(ms: number): Promise<void> {
    return this.#sleep(ms)
  }

  news(): void {
    this.#hasNews = true
    this.#onNews?.()
  }

  /** Ends the pause that is on, and every later one. */
  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  #sleep(ms: number, listen?: (wake: () => void) => void): Promise<void> {
    if (this.#ended) return Promise.resolve()
    return new Promise(resolve => {
      const cancel = this.#timers.after(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
      listen?.(this.#wake)
    })
  }
}
