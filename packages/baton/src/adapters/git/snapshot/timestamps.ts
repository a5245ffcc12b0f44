import { lstatSync, type Stats, statfsSync } from 'node:fs'

/** A moment by a file system's own clock, and where that clock is exact. */
export interface FileClock {
  readonly sinceMs: number
  /** Files on this device have the same clock, and one that changes again a moment later gets another time. */
  readonly device?: number | undefined
}

/** The clock of a worktree. `sinceMs` was read from a file just written in `folder`. */
export const fileClock = (root: string, folder: string, sinceMs: number): FileClock => ({
  sinceMs,
  device: hasReliableTimes(root) && hasReliableTimes(folder) ? lstatSync(root).dev : undefined,
})

/**
 * Whether a file changed so shortly before `clock` that a later change might leave it the same times. Linux stamps files
 * with the time of its last tick, at most 10 ms ago, but some file systems store times in steps of one or two seconds.
 * A fraction in the time of change, which no program can set, shows that this one stores fractions.
 */
export function isYoung(found: Pick<Stats, 'mtimeMs' | 'ctimeMs' | 'dev'>, clock: FileClock): boolean {
  const isFine = found.dev === clock.device && found.ctimeMs % 1000 !== 0
  return Math.max(found.mtimeMs, found.ctimeMs) > clock.sinceMs - (isFine ? FINE_MS : COARSE_MS)
}

/** Whether folders here change their time with their entries, and times come from this machine's kernel. */
export function hasReliableTimes(folder: string): boolean {
  try {
    return RELIABLE.has(statfsSync(folder).type)
  } catch {
    return false
  }
}

/** ext4, btrfs, xfs, tmpfs, overlayfs, zfs, f2fs. */
const RELIABLE: ReadonlySet<number> = new Set([
  0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010,
])
const COARSE_MS = 2000
/** Ten ticks of the slowest usual kernel clock. */
const FINE_MS = 100
