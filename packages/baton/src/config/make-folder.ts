import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and the folders above it. Node's own `recursive` never ends where a folder exists and the system answers
 * ENOENT to anything new in it, as in /proc.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const missing: string[] = []
  for (let at = path; !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode })
    } catch (cause) {
      // Another process may have created it.
      if (!existsSync(folder)) throw cause
    }
  }
}
