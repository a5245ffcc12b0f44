import type { ClaimEntry } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import type { LeaseName } from '../ports/lease.ts'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'

/** Fails unless the claim's lease is still held. FencedActions calls it right before it acts. */
export async function checkLease(ports: ClaimPorts, record: ClaimRecord): Promise<void> {
  if (record.lease.lost) throw claimLost(record)
  if (record.lease.kind !== ports.leases().kind && (await rehold(ports, record))) return
  const handle = { claim: record.id, token: record.lease.token }
  if (await ports.leases().holds(leaseName(record), handle)) return
  await lost(ports, record)
  throw claimLost(record)
}

const claimLost = ({ issue }: ClaimRecord) =>
  new BatonError('claim_lost', `Issue #${issue} was taken over by another session; Baton did nothing`, {
    remedy: `See who: baton claim --list. Give this one up: baton claim release ${issue}`,
  })

/** Takes the lease again after the lease store changed, because a fleet's database was set up or removed. */
export async function rehold(ports: ClaimPorts, record: ClaimRecord): Promise<boolean> {
  const { claim } = await ports.config(record.project)
  const leases = ports.leases()
  const owner = { claim: record.id, agent: record.agentId, host: ports.host }
  const taken = await leases.take(leaseName(record), owner, claim.lease_minutes * 60_000)
  if (!taken.held) return false
  const lease = { kind: leases.kind, token: taken.handle.token, renewedAt: ports.clock.now(), lost: false }
  await ports.records.change(record, known => ({ ...known, lease }))
  return true
}

/** Marks a claim as lost, and tells the agent and the people. */
export async function lost(ports: ClaimPorts, record: ClaimRecord): Promise<void> {
  const text = `Issue #${record.issue} is no longer yours: another session took over its claim. Stop working on it, push nothing, and tell the person.`
  await ports.records.change(record, known => ({
    ...known,
    lease: { ...known.lease, lost: true },
    inbox: [{ kind: 'lost', text, act: false }],
  }))
  await ports.journal(record, entry(record, 'lost'))
  await ports.announce(
    record.project,
    `⚠️ Another session took over the claim of issue #${record.issue}.\n${record.project}`,
  )
}

/** Updates the board. A missing board, item or option is reported once and never stops the claim. */
export async function onBoard(
  ports: ClaimPorts,
  record: ClaimRecord,
  change: { status?: string; agent?: string },
): Promise<void> {
  const outcome = await ports.outside.moveOnBoard(record, change)
  if (!outcome.done) await tellOnce(ports, record, 'board', outcome.missing)
}

/** Journals a problem that does not stop the claim, once. */
async function tellOnce(ports: ClaimPorts, record: ClaimRecord, kind: string, text: string): Promise<void> {
  const known = await ports.records.at(record.project)
  if (known?.id !== record.id || known.told[kind] === text) return
  await ports.records.change(record, now => ({ ...now, told: { ...now.told, [kind]: text } }))
  await ports.journal(record, { ...entry(record, 'trouble'), reason: text.slice(0, 500) })
}

export const leaseName = ({ repository, issue, home }: ClaimRecord): LeaseName => ({
  repository,
  issue,
  folder: home,
})

export const entry = ({ id, issue }: ClaimRecord, what: ClaimEntry['what']): ClaimEntry => ({
  kind: 'claim',
  what,
  claim: id,
  issue,
})
