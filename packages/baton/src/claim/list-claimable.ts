import type { Claimable, ClaimHolder } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import type { BoardItem, Forge } from '../ports/forge.ts'
import type { HeldLease } from '../ports/lease.ts'
import { type ClaimResult, claimIssue, repositoryName } from './claim-issue.ts'
import type { ClaimOrder, ClaimPorts } from './ports.ts'
import { FREE, refuseDirt, squeezed } from './suitability.ts'

/** Lists issues that are ready for an agent: from the board or, without a board, by label. Marks those that are held. */
export async function listClaimable(ports: ClaimPorts, project: string): Promise<Claimable[]> {
  const { claim } = await ports.config(project)
  const forge = await ports.forgeFor({ home: project })
  const board = await forge.board().catch(() => undefined)
  const [items, holdings] = await Promise.all([
    board ? itemsOf(forge) : undefined,
    ports.leases().list({ repository: repositoryName(forge), folder: project }),
  ])
  const candidates: Omit<Claimable, 'free' | 'holder'>[] = items
    ? items.flatMap(({ issue, kind, state, url, status, title, labels, assignees }) =>
        issue !== undefined && kind === 'issue' && state === 'open'
          ? [{ issue, title, url: url ?? '', labels, assignees, ...(status ? { status } : {}) }]
          : [],
      )
    : (await forge.openIssues(claim.label || undefined)).map(({ number, title, url, labels, assignees }) => ({
        issue: number,
        title,
        url,
        labels,
        assignees,
      }))
  const listed = candidates.map((candidate): Claimable => {
    const by = holdings.find(({ issue }) => issue === candidate.issue)
    const status = candidate.status ?? ''
    return {
      ...candidate,
      free: !by && FREE.includes(status.toLowerCase()),
      ...(by ? { holder: holderOf(by) } : {}),
    }
  })
  const isReady = ({ labels }: Claimable) => labels.some(label => squeezed(label) === squeezed(claim.label))
  return listed.sort((a, b) => Number(isReady(b)) - Number(isReady(a)))
}

/** Sessions that ask at the same moment share one request to the forge. */
const pendingRequests = new WeakMap<Forge, Promise<BoardItem[]>>()
function itemsOf(forge: Forge): Promise<BoardItem[]> {
  const known = pendingRequests.get(forge)
  if (known) return known
  const items = forge.boardItems().finally(() => pendingRequests.delete(forge))
  pendingRequests.set(forge, items)
  return items
}

/** Claims the first free issue. If another session is quicker, tries the next one. */
export async function claimNext(ports: ClaimPorts, request: Omit<ClaimOrder, 'issue'>): Promise<ClaimResult> {
  if (!request.worktree) await refuseDirt(ports, request.project)
  const candidates = (await listClaimable(ports, request.project)).filter(({ free }) => free)
  for (const { issue } of candidates) {
    try {
      return await claimIssue(ports, { ...request, issue }, 'lease')
    } catch (error) {
      const taken = error instanceof BatonError && error.code === 'claim_held'
      const unfit =
        error instanceof BatonError && error.code === 'claim_refused' && /^Issue #/.test(error.message)
      if (!taken && !unfit) throw error
    }
  }
  throw new BatonError('not_found', 'No issue is ready for an agent', {
    remedy:
      'Move an issue to Todo on the board or, without a board, give it the label of `claim.label` (ready-for-agent). Claim any other issue by number: baton claim 42',
  })
}

const holderOf = ({ claim, agent, host, takenAt, until, dead }: HeldLease): ClaimHolder => ({
  claim,
  agent,
  host,
  takenAt: new Date(takenAt).toISOString(),
  until: new Date(until).toISOString(),
  dead,
})
