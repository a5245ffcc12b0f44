import type { ClaimView } from '@batonpass/contract/claim'
import type { Grant } from '@batonpass/contract/grant'
import { describeGrant } from '../permission/grants/grants-in-force.ts'
import type { SmallFiles } from '../ports/small-files.ts'
import { claimGrantNow } from './claim-grant.ts'
import { type ClaimRecord, readRecords } from './record.ts'
import { SignalFiles } from './signal-file.ts'

/** A claim as commands and pages show it: Baton's record, combined with the current signal file. */
export async function claimView(record: ClaimRecord, signals: SignalFiles): Promise<ClaimView> {
  const found = await signals.read(record.project)
  const grant = record.session && claimGrantNow(record, found, record.session)
  const file = found.kind === 'claim' ? found.file : undefined
  const {
    id,
    issue,
    title,
    repository,
    project,
    session,
    nativeSession,
    agent,
    pr,
    lease,
    closing,
    trouble,
  } = record
  return {
    id,
    issue,
    ...(title ? { title } : {}),
    repository,
    project,
    branch: file?.branch ?? record.branch,
    agentId: file?.agent_id ?? record.agentId,
    phase: file?.phase ?? (found.kind === 'absent' ? 'gone' : 'unreadable'),
    ...(file?.status ? { status: file.status } : {}),
    ...(file?.summary ? { summary: file.summary } : {}),
    ...(session ? { session } : {}),
    ...(nativeSession ? { nativeSession } : {}),
    ...(agent ? { agent } : {}),
    ...(pr ? { pullRequest: pr } : {}),
    lease: { kind: lease.kind, lost: lease.lost, renewedAt: new Date(lease.renewedAt).toISOString() },
    closing,
    ...(trouble ? { trouble } : {}),
    ...(grant ? { grants: describeGrant(grant) } : {}),
    claimedAt: new Date(record.claimedAt).toISOString(),
  }
}

/** What the session that holds a claim in this worktree may do by itself. */
export async function claimGrantsAt(files: SmallFiles, stateDir: string, project: string): Promise<Grant[]> {
  const found = await new SignalFiles(files).read(project)
  const records = (await readRecords(files, stateDir)).filter(record => record.project === project)
  return records.flatMap(record => (record.session && claimGrantNow(record, found, record.session)) || [])
}

/** Every claim of this machine, newest first. Reads only files, so it works without a daemon. */
export async function claimViews(files: SmallFiles, stateDir: string): Promise<ClaimView[]> {
  const signals = new SignalFiles(files)
  const records = (await readRecords(files, stateDir)).sort((a, b) => b.claimedAt - a.claimedAt)
  return Promise.all(records.map(record => claimView(record, signals)))
}
