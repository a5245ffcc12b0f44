import type { Grant } from '@batonpass/contract/grant'
import { recordGrant } from '../permission/grants/record-grant.ts'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'
import type { SignalFound } from './signal-file.ts'

/** What the session that holds a claim may do by itself, recorded when the issue is claimed. */
export async function grantOfClaim(
  { grantFacts, fault }: Pick<ClaimPorts, 'grantFacts' | 'fault'>,
  { issue, branch, project }: Pick<ClaimRecord, 'issue' | 'branch' | 'project'>,
): Promise<Grant | undefined> {
  if (!grantFacts) return undefined
  const may = ['read', 'push', 'rebase', 'pull-request', 'issue'] as const
  return await recordGrant({ job: `claim #${issue}`, may, project, issue, branch }, grantFacts).catch(
    cause => {
      fault('recording what a claim may do', cause)
      return undefined
    },
  )
}

/** The grant of a claim for a session. The signal file can end it, and never adds to it. */
export function claimGrantNow(record: ClaimRecord, found: SignalFound, session: string): Grant | undefined {
  const { grant, stage, lease, adopted, pr } = record
  if (!grant || adopted || stage !== 'held' || lease.lost || record.session !== session) return undefined
  if (found.kind !== 'claim') return undefined
  const { branch, issue_number } = found.file
  if (branch !== record.branch || issue_number !== record.issue) return undefined
  return pr?.state === 'open' ? { ...grant, pullRequest: pr.number } : grant
}
