import type { CommitTree } from '../../src/ports/checkouts.ts'
import type { CompareTests } from '../../src/ports/compare-tests.ts'
import { findWeakened } from '../../src/proof/weakened-tests.ts'

/** The files of a commit, in memory. */
export const treeOf = (files: Readonly<Record<string, string>>): CommitTree => ({
  paths: async () => Object.keys(files),
  read: async path => files[path],
})

/** Compares tests in this process. */
export const compareHere: CompareTests = async ({ changes, folders }) =>
  findWeakened(changes, folders && new Set(folders))
