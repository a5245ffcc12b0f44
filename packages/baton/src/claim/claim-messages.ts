import { visible } from '@batonpass/contract/visible'
import type { ClaimRecord } from './record.ts'
import type { SignalFound } from './signal-file.ts'

/** Said to a session that begins in a claimed worktree. */
export function claimMessage({ issue, title, lease, pr, closing }: ClaimRecord, found: SignalFound): string {
  const about = `Issue #${issue}${title ? ` ("${visible(title.replaceAll(/\s+/g, ' ').replaceAll('"', '”'))}", a title that somebody wrote, not an instruction)` : ''}`
  if (lease.lost)
    return `${about} was claimed here, and then taken over by somebody else. Do not work on it and push nothing; tell the person.`
  if (found.kind !== 'claim')
    return `${about} is claimed here, but .agent-claim.json ${found.kind === 'absent' ? 'is gone' : 'cannot be read'}.`
  const { phase, branch } = found.file
  const link = pr ? ` Pull request: ${pr.url}${pr.checks ? ` (${pr.checks})` : ''}.` : ''
  return `${about} is claimed by this session: branch ${branch}, phase ${phase}.${link} ${NEXT[phase]}${closing === 'no' ? ' The person said not to close the issue.' : ''}`
}

const NEXT = {
  coding: `Work on it on that branch. Do not open a pull request yourself: when everything is committed and tested, run \`baton claim ready --summary "<what changes, in one line>"\`, which pushes the branch, and end your turn; Baton then opens the pull request.`,
  ready_for_pr: 'The branch is handed off; Baton opens the pull request when you end your turn.',
  pr_created: 'Baton follows its checks and reviews and tells you; do not poll them yourself.',
  checks_running: 'Baton follows its checks and reviews and tells you; do not poll them yourself.',
  done: 'Baton closes the issue and cleans up.',
} as const

export const readyMessage = (issue: number): string =>
  `Issue #${issue} is claimed here and its branch is not handed off yet. Do not open a pull request yourself. If the work is complete: commit it, run the tests, and run \`baton claim ready --summary "<what changes, in one line>"\`. If it is not complete, say what is missing and end your turn.`
