import type { Timers } from '../../ports/timers.ts'
import { TelegramError } from './telegram-error.ts'

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000

export interface RetryPolicy {
  timers: Timers
  signal: AbortSignal
  /** How often to attempt a call that fails temporarily. Being throttled does not count. */
  tries: number
  /** Give up at once if Telegram asks to wait longer than this. */
  longestMs?: number
}

/** Repeats a call after temporary failures, and waits as long as Telegram's `retry_after` says. */
export async function withRetries<T>(call: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const { timers, signal, tries, longestMs = Number.POSITIVE_INFINITY } = policy
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

/** Waits. Returns early, without an error, if the signal aborts: the caller checks the signal next. */
export function pause(ms: number, timers: Timers, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve()
    const done = () => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = timers.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}
