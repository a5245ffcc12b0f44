import type { KeyedQueue } from '../session/keyed-queue.ts'
import { leaseName, lost, rehold } from './fence.ts'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'
import { retrySchedule } from './retry-schedule.ts'

/** Renews a claim's lease long before it expires, or marks the claim as lost if another holder has the lease. */
export async function renewLease(
  ports: ClaimPorts,
  turns: KeyedQueue,
  record: ClaimRecord,
  now: number,
): Promise<void> {
  if (record.lease.lost || record.stage !== 'held') return
  if (record.lease.kind !== ports.leases().kind) {
    await turns.run(record.project, () => rehold(ports, record))
    return
  }
  const { claim } = await ports.config(record.project)
  const ttlMs = claim.lease_minutes * 60_000
  const isDue = (each: ClaimRecord) => now - each.lease.renewedAt >= ttlMs / 3
  if (!isDue(record)) return
  await turns.run(record.project, async () => {
    const known = await ports.records.at(record.project)
    if (known?.id !== record.id || !isDue(known)) return
    const handle = { claim: record.id, token: record.lease.token }
    try {
      if (!(await ports.leases().renew(leaseName(known), handle, ttlMs))) return await lost(ports, known)
      // The lease store is reachable again, so a failure to reach it is over.
      await ports.records.change(known, ({ trouble, ...each }) => ({
        ...each,
        ...(trouble && !/^(?:git|database)_failed$/.test(trouble.code) ? { trouble } : {}),
        lease: { ...each.lease, renewedAt: now },
      }))
    } catch (error) {
      const { trouble } = retrySchedule(error, known, now)
      await ports.records.change(known, each => ({ ...each, trouble }))
    }
  })
}
