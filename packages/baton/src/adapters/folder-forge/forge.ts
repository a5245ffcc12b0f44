import type { SmallFiles } from '../../ports/small-files.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import { folderBoard } from './board.ts'
import { ForgeFolder } from './folder.ts'
import { folderIssues } from './issues.ts'
import { folderPullRequests } from './pulls.ts'

/**
 * A forge in a folder: `origin.git` and two JSON files, for trying Baton without a network, as the tour does.
 * `forge.json` is Baton's side; `people.json` is what people and CI do (checks, merges).
 */
export function folderForge(path: string, files: SmallFiles): WritableForge {
  const folder = new ForgeFolder(path, files)
  return {
    repository: { host: 'folder', owner: 'you', name: 'project' },
    me: async () => 'you',
    ...folderIssues(folder),
    ...folderPullRequests(folder),
    ...folderBoard(folder),
    checkLog: async () => undefined,
  }
}
