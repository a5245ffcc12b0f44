import { statfsSync } from 'node:fs'

/** SQLite needs a few pages for the smallest write. */
const LEAST_BYTES = 64 * 1024

/** Whether a folder has no space for another write; false if the system does not report it. */
export function isDiskFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < LEAST_BYTES
  } catch {
    return false
  }
}
