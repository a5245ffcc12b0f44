import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The bare repository that git would use in this folder, if there is one before the next ordinary repository. Its settings are
 * plain files of the worktree, and may name programs.
 */
export function findBareRepository(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return undefined
    if (['HEAD', 'objects', 'refs'].every(name => existsSync(join(at, name)))) return at
    if (at === dirname(at)) return undefined
  }
}
