/** What git says about a folder at one moment. */
export interface WorktreeFacts {
  root: string
  /** Empty in a repository without a commit. */
  head: string
  /** Undefined on a detached HEAD. */
  branch: string | undefined
  /** Digest of everything that is not committed, Baton's own files left out. */
  tree: string
}

/** Git, as far as hands-off mode looks at it. Never fails: no answer means no repository, or git took too long. */
export interface Git {
  worktree(folder: string): Promise<WorktreeFacts | undefined>
  /** The address of origin, or of the only remote there is. */
  remoteUrl(folder: string): Promise<string | undefined>
  /** Keeps a pattern out of git's sight for this clone only. */
  exclude(folder: string, pattern: string): Promise<void>
}

/** Where a worktree stands, for somebody who is to go on in it. */
export interface WorktreePosition {
  root: string
  /** Empty in a repository without a commit. */
  head: string
  /** Undefined on a detached HEAD. */
  branch: string | undefined
  /** Against the branch's upstream; undefined where it has none. */
  ahead: number | undefined
  behind: number | undefined
  /** Paths from the root that are not committed, Baton's own left out. At most a few thousand. */
  dirty: string[]
}

export interface CommitFacts {
  id: string
  subject: string
  files: string[]
}

/** Git, as far as a handoff looks at it. Never fails: no answer means no repository, or git took too long. */
export interface GitPosition {
  readPosition(folder: string): Promise<WorktreePosition | undefined>
  /** What was committed on the way to HEAD between two moments, newest first. */
  commitsBetween(folder: string, sinceMs: number, untilMs: number): Promise<CommitFacts[]>
}
