/** A token for one address, for where git cannot log in by itself. */
export interface GitLogin {
  url: string
  token: string
}

/** Git, as far as a claim works with it. Failures are BatonError `git_failed`, with git's own reason. */
export interface GitWork {
  /** Origin, or the only remote there is. */
  remote(folder: string): Promise<string | undefined>
  /** Fetches, and names the commit new work starts from, such as `origin/main`. */
  base(folder: string, login?: () => Promise<GitLogin | undefined>): Promise<string>
  /** Switches to a branch; made from `base` where it is neither here nor on the remote. */
  switchBranch(folder: string, branch: string, base: string): Promise<void>
  /** The same in a worktree of its own. Gives its real path. */
  addWorktree(folder: string, path: string, branch: string, base: string): Promise<string>
  /** Commits on HEAD that `base` has not. */
  ahead(folder: string, base: string): Promise<number>
  /** Whether a path from the root is part of the repository itself. */
  isTracked(folder: string, path: string): Promise<boolean>
}
