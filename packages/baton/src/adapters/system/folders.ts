import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Folders } from '../../ports/folders.ts'

/** Lists folders below a root without following links: a repository could pass off other folders as its own. */
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
