import type { Timers } from '../../ports/timers.ts'
import { TelegramError } from './telegram-error.ts'

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000

export interface RetryPolicy {
  timers: Timers
  signal: AbortSignal
  /** How often trouble that may pass is met before it is passed on. Being throttled does not count. */
  tries: number
  /** Told to wait longer than this, it gives up at once. */
  longestMs?: number
}

/** Tries again what may work later; as often as told, and never against Telegram's own `retry_after`. */
export async function withRetries<T>(call: () => Promise<T>, patience: RetryPolicy): Promise<T> {
  const { timers, signal, tries, longestMs = Number.POSITIVE_INFINITY } = patience
  for (let failed = 0; ; ) {
    signal.throwIfAborted()
    try {
      return await call()
    } catch (cause) {
      if (!(cause instanceof TelegramError)) throw cause
      if (cause.kind === 'throttled' && cause.retryAfterMs <= longestMs)
        await pause(cause.retryAfterMs, timers, signal)
      else if (cause.kind === 'unreachable' && ++failed < tries)
        await pause(backoffMs(failed), timers, signal)
      else throw cause
    }
  }
}

/** Doubles with every failure, up to a bound. */
export function backoffMs(failed: number, first = FIRST_PAUSE_MS): number {
  return Math.min(first * 2 ** Math.min(failed - 1, 20), MAX_PAUSE_MS)
}

/** Ends early, without an error, when the signal aborts: whoever waits looks at the signal next. */
export function pause(ms: number, timers: Timers, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve()
    const done = () => {
      callOff()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const callOff = timers.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}
