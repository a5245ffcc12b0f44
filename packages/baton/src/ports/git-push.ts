import type { GitLogin } from './git-work.ts'

/**
 * Pushes a branch as it is here; a rebased one only over commits that were seen here. Only claim/fenced-actions.ts calls it: it
 * checks the lease first. Failures are BatonError `git_failed`, with git's own reason.
 */
export type GitPush = (folder: string, branch: string, login?: GitLogin) => Promise<void>
