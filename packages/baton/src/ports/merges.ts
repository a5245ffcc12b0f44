import type { GitLogin } from './git-work.ts'

export interface BranchPlace {
  /** The user's own clone. */
  project: string
  issue: number
  branch: string
  base: string
}

/** The branch with its base merged in; `commit` is `head` if nothing was missing. */
export interface MergedBranch {
  folder: string
  head: string
  base: string
  commit: string
}

export type MergeAttempt =
  | ({ kind: 'merged'; by: 'git' | 'rerere' | 'mergiraf' } & MergedBranch)
  | { kind: 'conflict'; head: string; base: string; files: string[] }

/** Merges of a base branch into the branches of jobs, in clones of their own that are thrown away. Nothing is pushed. */
export interface Merges {
  attempt(place: BranchPlace, login: () => Promise<GitLogin | undefined>): Promise<MergeAttempt>
  /** Where both branches are on the remote now; undefined for one that is gone. */
  tips(
    place: BranchPlace,
    login: () => Promise<GitLogin | undefined>,
  ): Promise<{ head: string | undefined; base: string | undefined }>
  /** Deletes the clone of an attempt. */
  remove(place: Pick<BranchPlace, 'project' | 'issue'>): Promise<void>
  /** The files that a clone of an agent changes compared with its base, committed or not. */
  changedFiles(clone: string): Promise<string[]>
}
