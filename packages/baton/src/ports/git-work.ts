/** A token for one address, if git cannot log in on its own. */
export interface GitLogin {
  url: string
  token: string
}

/** The git operations of a claim. Failures are BatonError `git_failed` with git's own reason. */
export interface GitWork {
  /** The remote `origin`, or the only remote. */
  remote(folder: string): Promise<string | undefined>
  /** Fetches, and returns the commit from which new work starts, such as `origin/main`. */
  base(folder: string, login?: () => Promise<GitLogin | undefined>): Promise<string>
  /** Switches to a branch. Creates it from `base` if it exists neither locally nor on the remote. */
  switchBranch(folder: string, branch: string, base: string): Promise<void>
  /** The same in a new worktree. Returns its real path. */
  addWorktree(folder: string, path: string, branch: string, base: string): Promise<string>
  /** The number of commits on HEAD that are not in `base`. */
  ahead(folder: string, base: string): Promise<number>
  /** Whether git tracks a path, relative to the root. */
  isTracked(folder: string, path: string): Promise<boolean>
}
