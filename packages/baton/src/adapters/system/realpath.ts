import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The path behind every link of it that exists; what does not exist yet keeps its own name. */
export function realpath(path: string): string {
  const missing: string[] = []
  for (let existing = path; ; existing = dirname(existing)) {
    const real = realOf(existing)
    if (real !== undefined) return join(real, ...missing)
    // A link that leads nowhere or in circles is judged by where it stands.
    if (dirname(existing) === existing) return path
    missing.unshift(basename(existing))
  }
}

/** Asked before, because an error costs many times the question, and commands often name what is not there yet. */
function realOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
