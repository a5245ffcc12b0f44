import type { Config } from '@batonpass/contract/config'
import type { MergeProof } from '../claim/merge-steps.ts'
import type { ClaimRecord } from '../claim/record.ts'
import type { PullRequestStatus } from '../ports/forge.ts'
import type { MergeRecord } from './job-record.ts'

type Policy = Config['merge']['policy']
export type SeenPull = NonNullable<NonNullable<ClaimRecord['pr']>['seen']>

/** A pull request of the fleet with what Baton last saw of it. */
export interface MergeCandidate {
  record: MergeRecord
  seen: SeenPull
  review: string
  hasConflict: boolean
  policy: Policy
  /** What a person said to these commits. */
  answer?: 'yes' | 'no' | undefined
  /** A person is one of the checks, and has not said yes to these commits. */
  lacksPerson?: boolean | undefined
}

/**
 * `go`: it may be merged. `refresh`: it conflicts with its base, which comes before any question. `ask`: only a person's yes
 * is missing. `wait`: something else is, as the note says. `author`: its agent has to change it.
 */
export type Readiness = { is: 'go' | 'refresh' | 'ask' } | { is: 'wait' | 'author'; note: string }

/** CI registers its checks a moment after a push. Where no person looks at it, Baton waits longer for that. */
const CHECKS_START_MS = { person: 30_000, approved: 2 * 60_000, proven: 2 * 60_000 }

/** What is missing before a pull request can be merged. Pure. */
export function readinessOf(candidate: MergeCandidate, now: number): Readiness {
  const { record, seen, review, hasConflict, policy, answer } = candidate
  if (record.sentBack?.head === seen.head)
    return { is: 'author', note: record.note ?? 'Its agent changes it' }
  if (seen.isDraft) return { is: 'wait', note: 'It is a draft' }
  if (review === 'changes-requested') return { is: 'wait', note: 'A review requests changes' }
  if (hasConflict) return { is: 'refresh' }
  if (seen.verdict !== 'passed' && seen.verdict !== 'none')
    return { is: 'wait', note: seen.verdict === 'failed' ? 'Its checks fail' : 'Its checks run' }
  if (seen.verdict === 'none' && now - record.since < CHECKS_START_MS[policy])
    return { is: 'wait', note: 'Its checks may not have started' }
  if (review === 'required') return { is: 'wait', note: 'It needs a review' }
  if (isAgreed({ ...candidate, approvedCommits: seen.approvedCommits })) return { is: 'go' }
  if (isHeldBack(candidate)) return { is: 'wait', note: 'It waits for the yes of a person to its checks' }
  if (policy === 'approved')
    return { is: 'wait', note: 'It waits for an approving review of its last commit' }
  return answer === 'no' ? { is: 'wait', note: 'You said no to the merge' } : { is: 'ask' }
}

/** Whether the policy lets Baton merge these commits. Pure. */
export function isAgreed({
  record: { lineage },
  policy,
  answer,
  lacksPerson,
  approvedCommits,
}: Pick<MergeCandidate, 'record' | 'policy' | 'answer' | 'lacksPerson'> & {
  approvedCommits: readonly string[]
}): boolean {
  if (isHeldBack({ policy, lacksPerson })) return false
  if (policy === 'proven' || approvedCommits.some(commit => lineage.includes(commit))) return true
  return policy === 'person' && answer === 'yes'
}

/** With the policy `person`, the yes to the merge is enough. */
const isHeldBack = ({ policy, lacksPerson }: Pick<MergeCandidate, 'policy' | 'lacksPerson'>): boolean =>
  lacksPerson === true && policy !== 'person'

/** How long others wait for the agent of a branch that lost twice against newer ones. */
const HOLD_MS = 60 * 60_000

/**
 * The pull requests to begin with: for each base branch that is free the one that has waited longest. A branch that went back
 * to its agent twice holds its base for an hour, otherwise quicker ones could make it conflict forever. Pure.
 */
export function chooseMerges<C extends MergeCandidate>(candidates: readonly C[], now: number): C[] {
  const taken = new Set<string>()
  const heldBy = new Map<string, MergeRecord>()
  const inOrder = [...candidates].sort(({ record: a }, { record: b }) => a.since - b.since || a.pull - b.pull)
  for (const { record } of inOrder) {
    if (record.attempt?.via === 'baton') taken.add(baseOf(record))
    if (isHolding(record, now) && !heldBy.has(baseOf(record))) heldBy.set(baseOf(record), record)
  }
  return inOrder.filter(candidate => {
    const { record } = candidate
    const { is } = readinessOf(candidate, now)
    if ((is !== 'go' && is !== 'refresh') || record.attempt || record.notBefore > now) return false
    if (taken.has(baseOf(record)) || (heldBy.get(baseOf(record)) ?? record) !== record) return false
    taken.add(baseOf(record))
    return true
  })
}

/** Names the base branch of a pull request; those with the same one are merged one after the other. */
export const baseOf = ({ data, base }: Pick<MergeRecord, 'data' | 'base'>): string =>
  `${data.repository} ${base}`

const isHolding = ({ sentBack }: MergeRecord, now: number): boolean =>
  sentBack !== undefined && sentBack.count >= 2 && now - sentBack.at < HOLD_MS

export type Attempt = NonNullable<MergeRecord['attempt']>

export interface AttemptFacts {
  /** The pull request on the forge now. */
  pull: PullRequestStatus
  /** Where its base is on the remote now. */
  baseTip: string | undefined
  /** `missing`: why no check could prove anything. */
  proof: MergeProof
  mayMerge: boolean
  policy: Policy
  now: number
}

export type AttemptStep =
  | { do: 'finish' }
  /** It lets others go first; `note` says why. */
  | { do: 'leave'; note?: string }
  | { do: 'again'; why: string }
  | { do: 'wait'; note: string }
  | { do: 'send-back'; why: string }
  | { do: 'push' }
  | { do: 'merge' }

/** Checks that did not end by then let the next pull request go first. */
const CHECKS_MS = 2 * 60 * 60_000

/** What happens next to a pull request whose branch has its base merged in. Looks at the forge, not at what was done. Pure. */
export function attemptStep(attempt: Attempt, facts: AttemptFacts): AttemptStep {
  const { pull, baseTip, proof, policy, now } = facts
  if (pull.state === 'merged') return { do: 'finish' }
  if (pull.state === 'closed') return { do: 'leave' }
  if (pull.headSha !== attempt.head && pull.headSha !== attempt.commit)
    return { do: 'again', why: 'The branch has new commits' }
  if (baseTip !== attempt.base) return { do: 'again', why: `${pull.base} has moved` }
  if (proof === 'running') return { do: 'wait', note: `Baton proves it together with ${pull.base}` }
  if (typeof proof === 'object' && 'failed' in proof) return { do: 'send-back', why: proof.failed }
  if (typeof proof === 'object' && 'missing' in proof && policy === 'proven')
    return { do: 'leave', note: `Baton could not prove it: ${proof.missing}. See \`baton proof\`` }
  if (pull.headSha !== attempt.commit) return { do: 'push' }
  if (!facts.mayMerge) return { do: 'leave' }
  if (pull.draft || pull.review === 'changes-requested' || pull.review === 'required') return { do: 'leave' }
  const { verdict } = pull.checks
  if (verdict === 'failed') return { do: 'leave', note: `Its checks fail together with ${pull.base}` }
  const later = typeof proof === 'object' && 'later' in proof ? proof.later : undefined
  const isGreen = verdict === 'passed' || (verdict === 'none' && !attempt.hasChecks && !later?.checks)
  const isReviewed = !later?.review || pull.review === 'approved'
  if (isGreen && isReviewed && pull.mergeable !== 'unknown') return { do: 'merge' }
  if (now - attempt.startedAt >= CHECKS_MS)
    return { do: 'leave', note: 'Its checks did not end in two hours' }
  if (isGreen && !isReviewed) return { do: 'wait', note: 'It waits for an approving review' }
  return { do: 'wait', note: isGreen ? 'The forge works out whether it merges' : 'Its checks run' }
}
