import { CLAIM_FILE } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import type { Issue } from '../ports/forge.ts'
import { STATUS } from './next-step.ts'
import type { ClaimOrder, ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'

/** Board statuses in which an issue is free to claim. */
export const FREE = ['todo', 'plan accepted', 'ready', 'ready for agent', 'backlog', '']

/** Returns the claim that already holds the issue here. Throws if the worktree holds another issue. */
export async function heldHere(
  ports: ClaimPorts,
  project: string,
  issue: number,
  worktree: boolean,
): Promise<ClaimRecord | undefined> {
  const elsewhere = await ports.records.find(
    each => each.issue === issue && each.project === `${project}-issue-${issue}`,
  )
  if (elsewhere && elsewhere.stage !== 'claiming') return elsewhere
  if (worktree) return undefined
  const record = await ports.records.at(project)
  if (record?.issue === issue && record.stage !== 'claiming' && !record.lease.lost) return record
  if (record && record.stage !== 'claiming')
    throw new BatonError('claim_refused', `This worktree already holds issue #${record.issue}`, {
      remedy: `Finish it, release it (baton claim release ${record.issue}), or claim in a separate worktree: --worktree`,
    })
  const found = await ports.signals.read(project)
  if (found.kind === 'absent' || (found.kind === 'claim' && found.file.issue_number === issue))
    return undefined
  const what =
    found.kind === 'claim' ? `names issue #${found.file.issue_number}` : `cannot be used (${found.why})`
  throw new BatonError('claim_refused', `${CLAIM_FILE} in this worktree ${what}`, {
    remedy: 'If no session works on that issue, delete the file.',
  })
}

/** Throws if the issue cannot be claimed. Returns warnings about anything unusual. */
export function suitability(
  issue: Issue,
  { anyway, takeover }: Pick<ClaimOrder, 'anyway' | 'takeover'>,
  label: string,
  me: string,
): string[] {
  const refuse = (message: string, remedy: string) => new BatonError('claim_refused', message, { remedy })
  if (issue.state === 'closed')
    throw refuse(`Issue #${issue.number} is closed`, 'Reopen it first, or claim another: baton claim next')
  const blockers = [...issue.blockedBy.map(number => `#${number}`), ...issue.blockedElsewhere]
  if (blockers.length > 0 && !anyway)
    throw refuse(
      `Issue #${issue.number} is blocked by ${blockers.join(', ')}`,
      'Finish those first, or claim it with --anyway.',
    )
  const status = issue.boardItem?.status ?? ''
  if (!FREE.includes(status.trim().toLowerCase()) && !anyway && takeover === undefined) {
    const agent = issue.boardItem?.agent ? ` (agent ${issue.boardItem.agent})` : ''
    throw refuse(
      `Issue #${issue.number} is "${status}" on the board${agent}, not ${STATUS.todo}`,
      'Someone may be working on it. If not, claim it with --anyway.',
    )
  }
  const others = issue.assignees.filter(login => login !== me)
  const ready = label === '' || [...issue.labels, status].some(word => squeezed(word) === squeezed(label))
  return [
    ...(others.length > 0 ? [`It is also assigned to ${others.join(', ')}.`] : []),
    ...(ready ? [] : [`Neither its labels nor its board status say "${label}".`]),
    ...(blockers.length > 0 ? [`It is blocked by ${blockers.join(', ')}.`] : []),
  ]
}

export const squeezed = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Throws if the worktree has uncommitted changes: switching the branch would carry them along. */
export async function refuseDirt(ports: ClaimPorts, project: string, branch?: string): Promise<void> {
  const standing = await ports.git.readPosition(project)
  if (!standing)
    throw new BatonError('claim_refused', `${project} is not a git repository`, {
      remedy: 'Run this inside a clone.',
    })
  if (standing.head === '')
    throw new BatonError('claim_refused', 'This repository has no commit yet', {
      remedy: 'Make the first commit and push it.',
    })
  const dirty = standing.dirty.filter(path => path !== CLAIM_FILE)
  if (standing.branch === branch || dirty.length === 0) return
  const shown = dirty.slice(0, 5).join(', ')
  throw new BatonError(
    'claim_refused',
    `There are uncommitted changes (${shown}${dirty.length > 5 ? ', …' : ''})`,
    {
      remedy: 'Commit or stash them, or claim in a separate worktree: --worktree',
    },
  )
}
