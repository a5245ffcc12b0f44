import type { Clock } from '../../src/ports/clock.ts'
import type { Timers } from '../../src/ports/timers.ts'

/** Time that passes only when a test says so. */
export interface FakeTime {
  clock: Clock
  timers: Timers
  /** Lets time pass; timers ring in order, each at its own moment. */
  advance(ms: number): Promise<void>
  /** Moves the wall clock without ringing anything, as a machine does that slept. */
  jump(ms: number): void
  waiting(): number
  /** Whether something is to ring in exactly so many milliseconds. */
  ringsIn(ms: number): boolean
}

export function fakeTime(start = Date.UTC(2026, 0, 1)): FakeTime {
  let now = start
  let jumped = 0
  let serial = 0
  const pending = new Map<number, { at: number; run: () => void }>()
  const next = () => [...pending].sort(([a, x], [b, y]) => x.at - y.at || a - b)[0]
  return {
    clock: { now: () => now + jumped, elapsed: () => now - start },
    timers: {
      after(ms, run) {
        const id = ++serial
        pending.set(id, { at: now + Math.max(0, ms), run })
        return () => pending.delete(id)
      },
    },
    async advance(ms) {
      const until = now + ms
      await settled()
      for (let due = next(); due && due[1].at <= until; due = next()) {
        const [id, { at, run }] = due
        pending.delete(id)
        now = Math.max(now, at)
        run()
        await settled()
      }
      now = until
    },
    jump(ms) {
      jumped += ms
    },
    waiting: () => pending.size,
    ringsIn: ms => [...pending.values()].some(({ at }) => at === now + ms),
  }
}

/** What is already under way continues until it has to wait for something outside. */
export function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
