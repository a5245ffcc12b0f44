import { CLAIM_FILE, CLAIM_VERSION, type ClaimFile } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import { ClaimId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import type { Forge } from '../ports/forge.ts'
import type { HeldLease, LeaseHandle, LeaseOwner } from '../ports/lease.ts'
import { checksOfIssue } from '../proof/issue-checks.ts'
import { grantOfClaim } from './claim-grant.ts'
import { entry, leaseName } from './fence.ts'
import { STATUS } from './next-step.ts'
import type { ClaimOrder, ClaimPorts } from './ports.ts'
import { ClaimRecord } from './record.ts'
import { isPassing } from './retry-schedule.ts'
import { heldHere, refuseDirt, suitability } from './suitability.ts'

export interface ClaimResult {
  record: ClaimRecord
  fresh: boolean
  warnings: string[]
}

/** Claims an issue for a worktree: checks it, takes the lease, creates the branch, updates the forge, writes the signal file. */
export async function claimIssue(
  ports: ClaimPorts,
  order: ClaimOrder,
  /** `lease`: check the lease before querying the forge. Cheaper when many sessions compete for any issue. */
  first: 'check' | 'lease' = 'check',
): Promise<ClaimResult> {
  const { issue } = order
  const held = await heldHere(ports, order.project, issue, order.worktree)
  if (held) return { record: held, fresh: false, warnings: [] }
  const { claim: settings, proof } = await ports.config(order.project)
  const branch = settings.branch.replaceAll('{N}', String(issue))
  if (!order.worktree && first === 'check') await refuseDirt(ports, order.project, branch)
  const forge = await ports.forgeFor({ home: order.project })
  if (first === 'lease') {
    const by = await ports.leases().find({ repository: repositoryName(forge), issue, folder: order.project })
    if (by) throw heldBy(by, false)
  }
  const check = async () => {
    const found = await forge.issue(issue)
    const issueChecks = ports.proofs && (await checksOfIssue(found, forge, proof))
    const refused = (issueChecks?.refused ?? []).map(why => `Issue #${issue}: ${why}.`)
    const unfit = suitability(found, order, settings.label, await forge.me())
    return { title: found.title, issueChecks, warnings: [...unfit, ...refused] }
  }
  const early = first === 'check' ? await check() : undefined
  const now = ports.clock.now()
  const draft = ClaimRecord.parse({
    version: 1,
    id: ClaimId.parse(`clm_${ports.ids.id(20)}`),
    issue,
    title: early?.title.slice(0, 300),
    project: order.worktree ? `${order.project}-issue-${issue}` : order.project,
    home: order.project,
    repository: repositoryName(forge),
    branch,
    agentId: `${ports.user}-${Math.floor(now / 1000)}`,
    claimedAt: now,
    stage: 'claiming',
    begun: false,
    lease: { kind: ports.leases().kind, token: 0, renewedAt: now },
    ...sessionOf(order.worktree ? undefined : order.session),
  })
  // After a crash from here on, the next daemon finds this record and finishes the claim or rolls it back.
  await ports.records.put(draft)
  const handle = await take(ports, draft, settings.lease_minutes * 60_000, order.takeover).catch(
    async error => {
      await ports.records.remove(draft)
      throw error
    },
  )
  let record: ClaimRecord = { ...draft, lease: { ...draft.lease, token: handle.token } }
  try {
    const { title, issueChecks, warnings } = early ?? (await check())
    const base = await ports.work.base(order.project, () => ports.loginFor(order.project))
    record = { ...record, title: title.slice(0, 300), begun: true, issueChecks }
    await ports.records.put(record)
    if (order.worktree) await ports.work.addWorktree(order.project, record.project, branch, base)
    else await ports.work.switchBranch(record.project, branch, base)
    const finished = await finish(ports, record, forge, warnings)
    if (order.takeover) await ports.journal(finished, entry(finished, 'taken-over'))
    return { record: finished, fresh: true, warnings }
  } catch (error) {
    await undo(ports, record, forge)
    throw error
  }
}

/** Completes a claim whose lease is held: assignee, board, signal file, record. Every part may be repeated after a crash. */
async function finish(
  ports: ClaimPorts,
  record: ClaimRecord,
  forge: Forge,
  warnings: string[],
): Promise<ClaimRecord> {
  const me = await forge.me()
  const assigned: string[] = await ports.outside.assignTo(record, me).catch((error: unknown) => {
    // A user without the right to assign issues may still open pull requests.
    if (error instanceof BatonError && error.code === 'forge_forbidden') return []
    throw error
  })
  if (!assigned.includes(me)) warnings.push(`The forge did not assign issue #${record.issue} to ${me}.`)
  const board = await ports.outside.moveOnBoard(record, {
    status: STATUS.coding,
    agent: record.agentId,
    add: true,
  })
  if (!board.done) warnings.push(`${board.missing}; Baton did not change the board.`)
  await ports.git.exclude(record.project, `/${CLAIM_FILE}`)
  const file: ClaimFile = {
    schema_version: CLAIM_VERSION,
    item_id: board.done ? board.item : '',
    issue_number: record.issue,
    branch: record.branch,
    agent_id: record.agentId,
    phase: 'coding',
    summary: '',
    status: STATUS.coding,
    pr_number: null,
    last_check_poll: null,
    last_synced_status: STATUS.coding,
  }
  const there = await ports.signals.read(record.project)
  if (there.kind === 'absent') await ports.signals.create(record.project, file)
  const [grant, base] = await Promise.all([
    grantOfClaim(ports, record),
    ports.proofs?.findBase(record.project).catch(() => undefined),
  ])
  const done: ClaimRecord = {
    ...record,
    stage: 'held',
    ...(grant ? { grant } : {}),
    ...(base ? { base } : {}),
    ...(assigned.includes(me) ? { assigned: me } : {}),
  }
  await ports.records.put(done)
  await ports.journal(done, { ...entry(done, 'claimed'), phase: 'coding' })
  return done
}

/** Rolls back what a claim did before it failed. */
async function undo(ports: ClaimPorts, record: ClaimRecord, forge: Forge | undefined): Promise<void> {
  const quietly = (during: string) => (cause: unknown) => ports.fault(during, cause)
  const handle = { claim: record.id, token: record.lease.token }
  const ours = await ports
    .leases()
    .holds(leaseName(record), handle)
    .catch(() => false)
  if (ours && forge && record.begun) {
    const board = { status: STATUS.todo, agent: '' }
    await ports.outside.moveOnBoard(record, board).catch(quietly('undoing a claim on the board'))
    const me = await forge.me().catch(() => undefined)
    if (me) await ports.outside.unassignFrom(record, me).catch(quietly('undoing an assignment'))
  }
  if (ours) await ports.leases().release(leaseName(record), handle).catch(quietly('undoing a lease'))
  await ports.records.remove(record)
}

/** Finishes a claim that a crash interrupted, or rolls it back if it cannot be finished. */
export async function resumeClaiming(ports: ClaimPorts, record: ClaimRecord): Promise<void> {
  const forge = await ports.forgeFor(record)
  const { claim } = await ports.config(record.home)
  const ttlMs = claim.lease_minutes * 60_000
  const taken = await ports.leases().take(leaseName(record), ownerOf(ports, record), ttlMs)
  if (!taken.held) return ports.records.remove(record)
  const own = { ...record, lease: { ...record.lease, token: taken.handle.token } }
  if (!record.begun) return undo(ports, own, forge)
  try {
    const standing = await ports.git.readPosition(record.project)
    if (!standing || (standing.branch !== record.branch && standing.dirty.length > 0))
      return await undo(ports, own, forge)
    if (standing.branch !== record.branch)
      await ports.work.switchBranch(
        record.project,
        record.branch,
        await ports.work.base(record.home, () => ports.loginFor(record.home)),
      )
    await finish(ports, own, forge, [])
  } catch (error) {
    if (isPassing(error)) throw error
    ports.fault(`finishing the claim of #${record.issue}`, error)
    await undo(ports, own, forge)
  }
}

/** Turns a signal file that a person or an agent wrote by hand into a claim, if the issue is free. */
export async function adopt(
  ports: ClaimPorts,
  project: string,
  file: ClaimFile,
  session: Session | undefined,
): Promise<ClaimRecord | undefined> {
  // A committed signal file came with the repository; it does not express what this user wants.
  if (await ports.work.isTracked(project, CLAIM_FILE)) return undefined
  const forge = await ports.forgeFor({ home: project })
  const now = ports.clock.now()
  const { claim } = await ports.config(project)
  const draft = ClaimRecord.parse({
    version: 1,
    id: ClaimId.parse(`clm_${ports.ids.id(20)}`),
    issue: file.issue_number,
    project,
    home: project,
    repository: repositoryName(forge),
    branch: file.branch,
    adopted: true,
    agentId: file.agent_id,
    claimedAt: now,
    stage: 'held',
    lease: { kind: ports.leases().kind, token: 0, renewedAt: now },
    ...sessionOf(session),
  })
  const handle = await take(ports, draft, claim.lease_minutes * 60_000, undefined)
  const record = { ...draft, lease: { ...draft.lease, token: handle.token } }
  await ports.git.exclude(project, `/${CLAIM_FILE}`)
  await ports.records.put(record)
  await ports.journal(record, {
    ...entry(record, 'claimed'),
    phase: file.phase,
    reason: 'from a signal file written by hand',
  })
  return record
}

async function take(
  ports: ClaimPorts,
  record: ClaimRecord,
  ttlMs: number,
  takeover: ClaimOrder['takeover'],
): Promise<LeaseHandle> {
  const leases = ports.leases()
  const [name, owner] = [leaseName(record), ownerOf(ports, record)]
  const first = await leases.take(name, owner, ttlMs)
  if (first.held) return first.handle
  const { by } = first
  // A named claim is that of a machine that vanished: a dead claim of someone else stays for a person to decide about.
  const isAllowed =
    takeover === 'force' || (typeof takeover === 'object' ? takeover.claim === by.claim : by.dead)
  if (takeover === undefined || !isAllowed) throw heldBy(by, takeover !== undefined)
  const second = await leases.takeOver(name, owner, ttlMs, by.token)
  if (!second.held) throw heldBy(second.by, true)
  return second.handle
}

function heldBy(by: HeldLease, wanted: boolean): BatonError {
  const who = `${by.agent} on ${by.host}, since ${new Date(by.takenAt).toISOString()}`
  const state = by.dead
    ? `its lease expired at ${new Date(by.until).toISOString()}`
    : `counts as alive until ${new Date(by.deadFrom ?? by.until).toISOString()}`
  const remedy = by.dead
    ? `Take it over: baton claim takeover ${by.issue}`
    : wanted
      ? `Only a person may take it from a live holder: baton claim takeover ${by.issue} --force`
      : 'Claim another: baton claim next'
  return new BatonError('claim_held', `Issue #${by.issue} is held by ${who} (${state})`, { remedy })
}

const ownerOf = (ports: ClaimPorts, { id, agentId }: ClaimRecord): LeaseOwner => ({
  claim: id,
  agent: agentId,
  host: ports.host,
})
export const repositoryName = ({ repository: { host, owner, name } }: Pick<Forge, 'repository'>): string =>
  `${host}/${owner}/${name}`.toLowerCase()

const sessionOf = (session: Session | undefined) =>
  session
    ? {
        session: session.id,
        nativeSession: session.nativeSession,
        agent: session.agent,
        ...(session.pane ? { pane: session.pane } : {}),
        sessionEnded: session.endedAt !== undefined,
      }
    : {}
