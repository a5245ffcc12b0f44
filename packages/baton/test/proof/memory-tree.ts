import type { CommitTree } from '../../src/ports/checkouts.ts'

/** The files of a commit, in memory. */
export const treeOf = (files: Readonly<Record<string, string>>): CommitTree => ({
  paths: async () => Object.keys(files),
  read: async path => files[path],
})
