import type { ClaimFile } from '@batonpass/contract/claim'
import { ForgeError } from '../ports/forge.ts'
import { entry, leaseName, onBoard } from './fence.ts'
import { confirmed, STATUS, synced } from './next-step.ts'
import type { ClaimPorts, StepOutcome } from './ports.ts'
import type { ClaimRecord } from './record.ts'
import { recordFailure } from './record-failure.ts'
import { isPassing } from './retry-schedule.ts'

/** Closes the issue with one comment. Each step may already have happened before a crash. */
export async function closeIssue(
  ports: ClaimPorts,
  record: ClaimRecord,
  file: ClaimFile,
): Promise<StepOutcome> {
  const comment = record.pr ? `Completed in #${record.pr.number}` : 'Completed'
  let gone: string | undefined
  let movedTo: string | undefined
  try {
    movedTo = (await ports.outside.commentAndClose(record, { comment, marker: record.id })).movedTo
  } catch (error) {
    // The issue was deleted, or moved to a repository Baton may not write to: nothing to close, but the claim still ends.
    if (!(error instanceof ForgeError) || error.trouble !== 'not-found') throw error
    gone = error.message
  }
  if (gone === undefined) await onBoard(ports, record, { status: STATUS.done, agent: '' })
  await ports.signals.change(record.project, now => synced(confirmed(now), STATUS.done))
  const done = gone
    ? `Issue #${record.issue} is gone (${gone}).`
    : movedTo
      ? `Issue #${record.issue} was transferred to ${movedTo} and closed there. Board → Done.`
      : `Issue #${record.issue} closed. Board → Done.`
  await ports.records.change(record, known => ({ ...known, stage: 'ending', ending: done }))
  await ports.journal(record, {
    ...entry(record, 'closed'),
    phase: 'done',
    ...(record.pr ? { pullRequest: record.pr.url } : {}),
    ...(gone ? { reason: gone } : movedTo ? { reason: `it is ${movedTo} now` } : {}),
  })
  const link = record.pr ? `\n${record.pr.url}` : ''
  await ports.announce(
    record.project,
    `✅ issue #${file.issue_number} done: ${record.title || file.summary}\n${record.project}${link}`,
  )
  return { did: 'closed', notice: `${done} Signal file cleaned up.` }
}

/** Releases an issue. Without a pull request, it returns to Todo on the board. */
export async function releaseClaim(
  ports: ClaimPorts,
  record: ClaimRecord,
  why: string,
): Promise<StepOutcome> {
  if (!record.lease.lost) {
    await onBoard(ports, record, { agent: '', ...(record.pr ? {} : { status: STATUS.todo }) })
    if (record.assigned && !record.pr) {
      await ports.outside.unassignFrom(record, record.assigned).catch(error => {
        if (isPassing(error)) throw error
      })
    }
  }
  await ports.records.change(record, known => ({ ...known, stage: 'ending', ending: why }))
  await ports.journal(record, { ...entry(record, 'released'), reason: why })
  return { did: 'ended', notice: `Issue #${record.issue} released: ${why}.` }
}

/** Removes the lease, the signal file and the record once the forge is up to date. Each step may already have happened before a crash. */
export async function endClaim(ports: ClaimPorts, record: ClaimRecord): Promise<StepOutcome | undefined> {
  const handle = { claim: record.id, token: record.lease.token }
  try {
    if (!record.lease.lost) await ports.leases().release(leaseName(record), handle)
  } catch (error) {
    if (isPassing(error)) return recordFailure(ports, record, error)
    ports.fault('releasing a claim', error)
  }
  const found = await ports.signals.read(record.project)
  if (found.kind === 'claim' && found.file.issue_number === record.issue)
    await ports.signals.remove(record.project)
  await ports.records.remove(record)
  return undefined
}
