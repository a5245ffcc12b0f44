import type { Session } from '@batonpass/contract/session'
import type { WatchState } from '@batonpass/contract/watch'

/** The evidence about a session that sent no SessionEnd. */
export interface SessionTrace {
  state: WatchState
  /** Its process or terminal was on this machine and is gone. */
  died: boolean
  /** Whether its process runs on this machine; undefined if unknown. */
  running: boolean | undefined
  /** Its screen exists. */
  seen: boolean
  /** How long the session has been silent. */
  silentMs: number
}

/** Why a session without a SessionEnd is over; undefined if it may still be live. Pure. */
export function lossOf({ state, died, running, seen, silentMs }: SessionTrace): string | undefined {
  if (running) return undefined
  if (died) return state === 'gone' ? 'its terminal is gone' : 'its process is gone'
  if (silentMs >= FORGOTTEN_MS && (!seen || running === false)) return 'silent for a day'
  return undefined
}

/**
 * Sessions in whose terminal another session has started since. Their process now runs the other session, or is gone. A
 * session whose process still runs, such as an agent in the background, is not displaced.
 */
export function displaced(
  sessions: readonly Session[],
  now: number,
  runs: (pid: number) => boolean,
): Session[] {
  const byPlace = Map.groupBy(
    sessions.filter(({ pane }) => pane !== undefined),
    ({ pane }) => pane,
  )
  return [...byPlace.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const newest = others.reduce((a, b) => (b.lastSeenAt > a.lastSeenAt ? b : a), first)
    // The SessionEnd of the previous session may still be on its way.
    if (now - Date.parse(newest.startedAt) < GOODBYE_MS) return []
    return [first, ...others].filter(
      ({ pid, lastSeenAt, ...session }) =>
        session.id !== newest.id &&
        lastSeenAt <= newest.startedAt &&
        (pid === undefined || pid === newest.pid || !runs(pid)),
    )
  })
}

/** Why a session is over whose terminal runs another one. After `/clear` its work may continue there. */
export const DISPLACED = 'another session started in its terminal'
export const isDisplaced = (why: string): boolean => why === DISPLACED

/** Marks an end that Baton inferred. If the session reports again, it counts as live. */
export const lostReason = (why: string): string => `${LOST}${why}`
export const isPresumed = (endReason: string | undefined): boolean => endReason?.startsWith(LOST) === true
const LOST = 'lost: '

export const GOODBYE_MS = 10_000
export const FORGOTTEN_MS = 24 * 60 * 60_000
