import { opendirSync } from 'node:fs'

const MAX_NAMES = 20_000

/** Whether a name in this folder starts with a dash. True for a folder that is too large to search. */
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
    // In a folder that does not exist, no glob pattern matches a name.
    return !(
      cause instanceof Error &&
      'code' in cause &&
      (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
    )
  }
}
