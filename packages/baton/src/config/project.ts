import { lstatSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The nearest folder at or above `cwd` that contains `.git` (a file in a linked worktree), otherwise `cwd`. Does not run git, because hooks wait for this. */
export function findWorktreeRoot(cwd: string): string {
  const start = resolve(cwd)
  let folder = start
  while (!holdsGit(folder)) {
    const parent = dirname(folder)
    if (parent === folder) return start
    folder = parent
  }
  return folder
}

function holdsGit(folder: string): boolean {
  try {
    const found = lstatSync(join(folder, '.git'))
    return found.isDirectory() || found.isFile()
  } catch {
    return false
  }
}
