import { setTimeout as pause } from 'node:timers/promises'

export interface UntilOptions {
  /** Said in the error: "waited 5000 ms for <what>". */
  what: string
  timeout?: number
  every?: number
  /** Evidence for the error message, collected only when time has run out. */
  evidence?: () => string | Promise<string>
  signal?: AbortSignal
}

/** Polls until `fn` gives something other than undefined, null or false, and returns that. A throw counts as "not yet". */
export async function until<T>(
  fn: () => T | Promise<T>,
  { what, timeout = 120_000, every = 20, evidence, signal }: UntilOptions,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + timeout
  let lastError: unknown
  for (;;) {
    signal?.throwIfAborted()
    try {
      const value = await fn()
      if (isThere(value)) return value
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    if (performance.now() >= deadline) break
    await pause(Math.max(every, 20))
  }
  const shown = evidence ? `\n${await evidence()}` : ''
  const why = lastError instanceof Error ? ` (last error: ${lastError.message})` : ''
  throw new Error(`waited ${timeout} ms for ${what}${why}${shown}`, { cause: lastError })
}

function isThere<T>(value: T): value is Exclude<T, undefined | null | false> {
  return value !== undefined && value !== null && value !== false
}
