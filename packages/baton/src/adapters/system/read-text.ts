import { readdirSync, readFileSync } from 'node:fs'

/** A small file. Undefined if it is absent; one that cannot be read gives a text that no settings file has. */
export const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    // A file that is there but cannot be read may hold anything.
    return (cause as NodeJS.ErrnoException).code === 'ENOENT' ||
      (cause as NodeJS.ErrnoException).code === 'ENOTDIR'
      ? undefined
      : 'unreadable'
  }
}

/** The names in a folder; none if it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
