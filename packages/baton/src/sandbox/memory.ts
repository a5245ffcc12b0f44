import type { GitFolder } from './git-layout.ts'

/** What a session knows about a worktree from before its first command, kept across restarts of the daemon. */
export interface Memory {
  /** Protected paths and repositories: path to inode. */
  known: ReadonlyMap<string, string>
  /** Repositories that commands made and that are harmless. */
  madeInside: readonly string[]
  gitFolders: readonly GitFolder[]
}

export function printMemory(all: Readonly<Record<string, Memory>>): string {
  return JSON.stringify(
    Object.entries(all).map(([root, { known, madeInside, gitFolders }]) => ({
      root,
      known: [...known],
      madeInside,
      gitFolders,
    })),
  )
}

/** Baton's own file, in its state folder. A damaged one counts as none: the worktree is then read afresh. */
export function parseMemory(text: string | undefined): Record<string, Memory> {
  if (text === undefined) return {}
  try {
    const entries = JSON.parse(text) as {
      root: string
      known: [string, string][]
      madeInside: string[]
      gitFolders: GitFolder[]
    }[]
    return Object.fromEntries(
      entries.map(({ root, known, ...rest }) => [root, { known: new Map(known), ...rest }]),
    )
  } catch {
    return {}
  }
}
