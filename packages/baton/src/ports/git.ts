/** The state of a worktree at one moment. */
export interface WorktreeFacts {
  root: string
  /** Empty in a repository without a commit. */
  head: string
  /** Undefined on a detached HEAD. */
  branch: string | undefined
  /** Digest of all uncommitted changes, without Baton's own files. */
  tree: string
}

/** Git for hands-off mode. Never fails: undefined means that there is no repository or that git timed out. */
export interface Git {
  worktree(folder: string): Promise<WorktreeFacts | undefined>
  /** The address of `origin`, or of the only remote. */
  remoteUrl(folder: string): Promise<string | undefined>
  /** Adds a pattern to this clone's own exclude file. */
  exclude(folder: string, pattern: string): Promise<void>
}

/** A worktree's branch, commit and uncommitted files, for the session that continues there. */
export interface WorktreePosition {
  root: string
  /** Empty in a repository without a commit. */
  head: string
  /** Undefined on a detached HEAD. */
  branch: string | undefined
  /** Compared with the branch's upstream; undefined without an upstream. */
  ahead: number | undefined
  behind: number | undefined
  /** Uncommitted paths relative to the root, without Baton's own files. At most a few thousand. */
  dirty: string[]
  /** What git is in the middle of, and what it keeps aside: a merge, a rebase, stashed changes. One sentence each. */
  state?: string[]
  /** The branch that an unfinished rebase moves. */
  rebased?: string
  /** Paths of submodules that differ from the recorded commit or hold uncommitted files. */
  submodules?: string[]
}

export interface CommitFacts {
  id: string
  subject: string
  files: string[]
}

/** What a repository holds of the things that a document names. */
export interface LookedUp {
  /** Those of the given commit ids that exist, as given. */
  commits: string[]
  /** Branches and tags by their short names, those of remotes with the remote's name. */
  refs: string[]
  tags?: string[] | undefined
  /** The first line of the last commit's message. */
  subject?: string | undefined
  remotes?: string[] | undefined
}

/** Git for handoffs. Never fails: undefined means that there is no repository or that git timed out. */
export interface GitPosition {
  readPosition(folder: string): Promise<WorktreePosition | undefined>
  /** The commits leading to HEAD that were made between two moments, newest first. */
  commitsBetween(folder: string, sinceMs: number, untilMs: number): Promise<CommitFacts[]>
  /** Looks for commits by their ids, whole or shortened, and lists branches and tags. */
  lookUp(folder: string, commits: readonly string[]): Promise<LookedUp | undefined>
  /** Those of the words that appear in tracked files (not in files for secrets), their names, branches, tags or recent commits. */
  findWords(folder: string, words: readonly string[]): Promise<string[]>
}
