import type { Timers } from '../../ports/timers.ts'

/** A longer delay would overflow, and the timer would fire at once. */
const MAX_PAUSE_MS = 2 ** 31 - 1

export const systemTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), MAX_PAUSE_MS))
    return () => clearTimeout(timer)
  },
}
