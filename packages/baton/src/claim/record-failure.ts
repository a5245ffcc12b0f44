import { BatonError } from '@batonpass/contract/errors'
import { ForgeError } from '../ports/forge.ts'
import { entry } from './fence.ts'
import type { ClaimPorts, StepOutcome } from './ports.ts'
import type { ClaimRecord } from './record.ts'
import { isPassing, retrySchedule } from './retry-schedule.ts'

/** Records a failure and when to retry. Notifies people once if the failure is not temporary. */
export async function recordFailure(
  ports: ClaimPorts,
  record: ClaimRecord,
  error: unknown,
): Promise<StepOutcome> {
  if (!(error instanceof BatonError)) ports.fault(`advancing the claim of #${record.issue}`, error)
  if (error instanceof ForgeError && error.trouble === 'unauthorised') ports.dropForge(record.repository)
  const now = ports.clock.now()
  const next = await ports.records.change(record, known => ({
    ...known,
    ...retrySchedule(error, known, now),
  }))
  const { trouble } = next ?? {}
  if (!trouble) return { did: 'failed' }
  const text = `${trouble.message}${trouble.remedy ? `. ${trouble.remedy}` : ''}`
  const fresh = record.trouble?.code !== trouble.code || record.trouble.message !== trouble.message
  if (fresh) {
    await ports.journal(record, { ...entry(record, 'trouble'), reason: text.slice(0, 500) })
    if (!isPassing(error) && trouble.code !== 'claim_lost')
      await ports.announce(record.project, `⚠️ issue #${record.issue}: ${text}\n${record.project}`)
  }
  const fix = agentCanFix(error) ? `Baton could not open the pull request: ${text}` : undefined
  return { did: 'failed', notice: `Issue #${record.issue}: ${text}`, ...(fix ? { fix } : {}) }
}

export async function clearFailure(ports: ClaimPorts, record: ClaimRecord): Promise<void> {
  await ports.records.change(record, ({ trouble, notBefore, ...known }) => ({ ...known, tries: 0 }))
}

/** Whether the agent can fix it: the branch was not pushed, or has no commits. */
const agentCanFix = (error: unknown): boolean =>
  error instanceof ForgeError &&
  ((error.trouble === 'not-found' && /branch/i.test(error.message)) ||
    (error.trouble === 'refused' && /No commits between/i.test(error.message)))
