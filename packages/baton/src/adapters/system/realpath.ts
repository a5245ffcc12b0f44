import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The path behind every link of it that exists; what does not exist yet keeps its own name. */
export function realpath(path: string): string {
  const missing: string[] = []
  for (let existing = path; ; existing = dirname(existing)) {
    try {
      return join(realpathSync.native(existing), ...missing)
    } catch (cause) {
      // A link that leads nowhere or in circles is judged by where it stands.
      if (dirname(existing) === existing || !(cause instanceof Error)) return path
      missing.unshift(basename(existing))
    }
  }
}
