import type { GitLogin } from './git-work.ts'

/**
 * Pushes the local branch. Force-pushes a rebased branch only over commits that were seen locally. Only
 * claim/fenced-actions.ts calls it, after checking the lease. Failures are BatonError `git_failed` with git's own reason.
 */
export type GitPush = (folder: string, branch: string, login?: GitLogin) => Promise<void>
