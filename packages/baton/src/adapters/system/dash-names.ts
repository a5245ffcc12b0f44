import { opendirSync } from 'node:fs'

const MAX_NAMES = 20_000

/** Whether a name in this folder starts with a dash. A folder too large to look through may hold one. */
export function hasDashNames(folder: string): boolean {
  try {
    const names = opendirSync(folder)
    try {
      for (let count = 0; count < MAX_NAMES; count++) {
        const entry = names.readSync()
        if (entry === null) return false
        if (entry.name.startsWith('-')) return true
      }
      return true
    } finally {
      names.closeSync()
    }
  } catch (cause) {
    // Where there is no folder, no pattern becomes a name.
    return !(
      cause instanceof Error &&
      'code' in cause &&
      (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
    )
  }
}
