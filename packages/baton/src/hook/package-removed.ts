import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../ports/clock.ts'

/** An update replaces Baton's files; only files that are missing for longer were removed. The launchers wait as long. */
const REMOVED_FOR_MS = 120_000

/** Says whether Baton's own program has been missing for so long that the package was removed. */
export function packageWatch(exists: () => boolean, clock: Clock): () => boolean {
  let missingSince: number | undefined
  return () => {
    missingSince = exists() ? undefined : (missingSince ?? clock.elapsed())
    return missingSince !== undefined && clock.elapsed() - missingSince >= REMOVED_FOR_MS
  }
}

/** Removes the files by which launchers remember that the package is gone. */
export function clearRemovalMarks(stateDir: string): void {
  for (const name of ['package-removed', 'package-removed.told'])
    rmSync(join(stateDir, name), { force: true })
}
