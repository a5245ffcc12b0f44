import { statfsSync } from 'node:fs'

/** SQLite needs a few pages for the smallest write. */
const LEAST_BYTES = 64 * 1024

/** Whether there is no room for another write in a folder; false where the system does not tell. */
export function isDiskFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < LEAST_BYTES
  } catch {
    return false
  }
}
