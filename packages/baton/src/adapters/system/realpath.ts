import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Resolves every link in the part of the path that exists; the rest of the path stays as it is. */
export function realpath(path: string): string {
  const missing: string[] = []
  for (let existing = path; ; existing = dirname(existing)) {
    const real = realOf(existing)
    if (real !== undefined) return join(real, ...missing)
    // A dangling or circular link is judged by its own location.
    if (dirname(existing) === existing) return path
    missing.unshift(basename(existing))
  }
}

/** Checks that the path exists first: an exception costs many times more, and commands often name paths that do not exist yet. */
function realOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
