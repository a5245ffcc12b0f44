import type { Session } from '@batonpass/contract/session'

/** What is asked for when an issue is claimed. */
export interface ClaimOrder {
  project: string
  issue: number
  worktree: boolean
  anyway: boolean
  takeover?: 'dead' | 'force' | undefined
  session?: Session | undefined
}
