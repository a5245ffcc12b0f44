import { setTimeout as pause } from 'node:timers/promises'
import type { Copied, Copies, CopyPosition, CopySource, CopyTarget } from '../ports/replica.ts'

export type ReplicationState = 'off' | 'current' | 'behind' | 'failing'

export interface Replication {
  state(): ReplicationState
  /** Why it is failing. */
  error(): unknown
  /** Looks for news at once instead of at the next round. */
  wake(): void
  /** Ends after the batch under way, or without it when the server hangs, and closes what `connect` opened. */
  stop(): Promise<void>
}

export interface ReplicationOptions {
  /** One batch holds at most this much, so that memory stays flat however far behind the copy is. */
  entries?: number
  bytes?: number
  /** Between two rounds when everything is copied. */
  idleMs?: number
  /** The first pause after a failure; it doubles up to `slowestMs`. */
  retryMs?: number
  slowestMs?: number
  onFailure?: (error: unknown) => void
}

/** No copy is configured. */
export const NO_REPLICATION: Replication = {
  state: () => 'off',
  error: () => undefined,
  wake: () => {},
  stop: async () => {},
}

/** Copies a local journal to a shared one in the background. The target remembers how far it has come; nobody waits for this. */
export function replicate(
  local: Copied,
  connect: () => Promise<Copies>,
  options: ReplicationOptions = {},
): Replication {
  const limits = { entries: options.entries ?? 500, bytes: options.bytes ?? 1024 * 1024 }
  const source = local.copy
  const rest = sleeper()
  let state: ReplicationState = 'behind'
  let problem: unknown
  let stopped = false

  const run = async () => {
    let remote: Copies | undefined
    let course: Course | undefined
    for (let failures = 0; !stopped; ) {
      try {
        remote ??= await connect()
        const target = remote.copies
        course ??= await resume(source, target)
        const batch = await source.changesAfter(course.position, limits)
        if (!samePosition(batch.position, course.position)) await target.apply(course.origin, batch)
        course = { ...course, position: batch.position }
        failures = 0
        problem = undefined
        state = batch.complete ? 'current' : 'behind'
        if (batch.complete && !stopped) await rest.sleep(options.idleMs ?? 1000)
      } catch (error) {
        // Whether the batch arrived is unknown: the target is asked again where it stands.
        course = undefined
        state = 'failing'
        problem = error
        options.onFailure?.(error)
        if (!stopped) await rest.sleep(pauseAfter(++failures, options))
      }
    }
    await remote?.close().catch(error => options.onFailure?.(error))
  }
  const done = run()

  return {
    state: () => state,
    error: () => problem,
    wake: rest.wake,
    async stop() {
      stopped = true
      rest.wake()
      // A batch may be abandoned at any point: it is applied whole or not at all.
      await Promise.race([done, pause(2000, undefined, { ref: false })])
      state = 'off'
    },
  }
}

interface Course {
  origin: string
  position: CopyPosition
}

async function resume(source: CopySource, target: CopyTarget): Promise<Course> {
  const origin = await source.origin()
  const position = await target.position(origin)
  if (await source.continues(position)) return { origin, position }
  // Another machine writes under our name: we take a new one and copy everything we have.
  const renamed = await source.renameOrigin()
  return { origin: renamed, position: await target.position(renamed) }
}

/** Doubles from one failure to the next, up to a bound. */
export function pauseAfter(
  failures: number,
  { retryMs = 500, slowestMs = 60_000 }: ReplicationOptions,
): number {
  return Math.min(slowestMs, retryMs * 2 ** Math.min(failures - 1, 30))
}

function samePosition(a: CopyPosition, b: CopyPosition): boolean {
  return a.seq === b.seq && a.changed === b.changed
}

// A wake that comes while nobody sleeps counts for the next sleep.
function sleeper() {
  let woken = false
  let wakeUp: (() => void) | undefined
  return {
    sleep: (ms: number) =>
      new Promise<void>(resolve => {
        if (woken) {
          woken = false
          return resolve()
        }
        const timer = setTimeout(() => wakeUp?.(), ms)
        timer.unref()
        wakeUp = () => {
          clearTimeout(timer)
          wakeUp = undefined
          resolve()
        }
      }),
    wake: () => {
      if (wakeUp) wakeUp()
      else woken = true
    },
  }
}
