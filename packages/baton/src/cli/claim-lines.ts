import type { ClaimView } from '@batonpass/contract/claim'
import { PHASE_LABELS } from '@batonpass/contract/labels'

/** A claim in one line. */
export function claimLine({ issue, title, phase, branch, agentId, pullRequest }: ClaimView): string {
  const pull = pullRequest
    ? `  PR #${pullRequest.number} ${pullRequest.state}${pullRequest.checks ? ` (${pullRequest.checks})` : ''}  ${pullRequest.url}`
    : ''
  return `#${issue}${title ? ` ${title}` : ''}  ${PHASE_LABELS[phase]}  ${branch}  ${agentId}${pull}`
}

/** What needs a person, if anything does. */
export function claimNeeds({ lease, trouble, closing, pullRequest, issue }: ClaimView): string | undefined {
  if (lease.lost) return `someone else took it over; give it up: baton claim release ${issue}`
  if (trouble) return `${trouble.message}${trouble.remedy ? `. ${trouble.remedy}` : ''}`
  if (closing === 'asked') return `merged; may issue #${issue} be closed? baton asks`
  if (pullRequest?.conflict) return 'conflicts with its base'
  return undefined
}
