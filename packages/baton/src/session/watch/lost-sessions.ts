import type { Session } from '@batonpass/contract/session'
import type { WatchState } from '@batonpass/contract/watch'

/** What speaks for and against a session that has said no goodbye. */
export interface SessionTrace {
  state: WatchState
  /** Its process or terminal was here and is gone. */
  died: boolean
  /** Whether its process runs on this machine; undefined where that is not known. */
  running: boolean | undefined
  /** Its screen is there. */
  seen: boolean
  /** For how long nothing was heard or seen of it. */
  silentMs: number
}

/** Why a session is over although it said no goodbye; undefined as long as it may live. Pure. */
export function lossOf({ state, died, running, seen, silentMs }: SessionTrace): string | undefined {
  if (running) return undefined
  if (died) return state === 'gone' ? 'its terminal is gone' : 'its process is gone'
  if (silentMs >= FORGOTTEN_MS && (!seen || running === false)) return 'nothing was heard of it for a day'
  return undefined
}

/**
 * Sessions at whose place another one began since. The same process went on to another conversation, or it is gone; one
 * that still runs, such as an agent that was put into the background, is left alone.
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
    // The goodbye of the one before may still be on its way.
    if (now - Date.parse(newest.startedAt) < GOODBYE_MS) return []
    return [first, ...others].filter(
      ({ pid, lastSeenAt, ...session }) =>
        session.id !== newest.id &&
        lastSeenAt <= newest.startedAt &&
        (pid === undefined || pid === newest.pid || !runs(pid)),
    )
  })
}

/** Marks an end that was concluded, not told: whatever the session says later takes it back. */
export const lostReason = (why: string): string => `${LOST}${why}`
export const isPresumed = (endReason: string | undefined): boolean => endReason?.startsWith(LOST) === true
const LOST = 'lost: '

export const GOODBYE_MS = 10_000
const FORGOTTEN_MS = 24 * 60 * 60_000
