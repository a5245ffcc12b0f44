import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Folders } from '../../ports/folders.ts'

/** No step on the way may be a link: a repository could show another's folders as its own. */
export const systemFolders: Folders = {
  async below(root, folder) {
    try {
      let path = root
      for (const step of folder.split('/')) {
        path = join(path, step)
        if (!(await lstat(path)).isDirectory()) return []
      }
      const entries = await readdir(path, { withFileTypes: true })
      return entries.flatMap(entry => (entry.isDirectory() ? entry.name : [])).sort()
    } catch {
      return []
    }
  },
}
