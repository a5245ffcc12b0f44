import type { JobRecord } from './job-record.ts'

/** What the rest of Baton knows about the job's clone. */
export interface JobFacts {
  /** The claim of the clone; undefined if there is none. */
  claim?: {
    phase: string
    isLost: boolean
    pull?: { number: number; url: string; state: 'open' | 'closed' | 'merged' } | undefined
    session?: string | undefined
    proof?: string | undefined
    /** There is news on which an agent has to act. */
    hasTask?: boolean | undefined
  }
  /** The state of the job's pull request on the forge, once the claim has ended. */
  pullState?: 'open' | 'closed' | 'merged' | undefined
  /** How the newest workflow run in the clone ended, if it did. */
  runEnd?: { kind: string; reason: string; at: number } | undefined
  /** Other machines use the same queue: one of them may have taken the issue over. */
  isShared?: boolean | undefined
  /** `never`: Baton knows no agent that was started there. */
  agent: 'alive' | 'gone' | 'never'
  /** A turn of the agent runs, or waits for an answer. */
  isWorking?: boolean | undefined
}

export type JobStep =
  | { do: 'prepare' }
  | { do: 'start' }
  | { do: 'wait'; note?: string }
  | { do: 'opened'; pull: NonNullable<JobRecord['pull']> }
  | { do: 'fail'; reason: string }
  | { do: 'put-back'; reason: string }
  /** The agent that was started for news is done, or has ended. */
  | { do: 'fixed' }
  | { do: 'note-pull'; pull: NonNullable<JobRecord['pull']> }
  | { do: 'clean' }
  | { do: 'keep'; reason: string }
  | { do: 'fence'; reason: string }
  /** A person has to look at it. */
  | { do: 'report'; reason: string }

/** An agent needs a moment until Baton sees its terminal or its first hook. */
const START_MS = 60_000
/** After a run ended well, its claim opens the pull request: a proof may take this long. */
const OPEN_MS = 60 * 60_000
/** An agent that ends again and again does not fix its pull request. */
const MAX_REVIEW_STARTS = 3
const NO_AGENT = 'its pull request needs a change, but its agent ended again and again'
/** Ends after which the agent does not continue by itself. */
const BAD_ENDS = new Set(['capped', 'stalled', 'blocked', 'over-budget', 'failed'])
const GOOD_ENDS = new Set(['proven', 'unproven', 'accepted', 'complete'])

/** What happens next to a job that this machine took. Pure. */
export function nextJobStep(record: JobRecord, facts: JobFacts, now: number): JobStep {
  if (record.stage === 'waiting' || record.notBefore > now) return { do: 'wait' }
  if (record.stage === 'taken') return { do: 'prepare' }
  const { claim } = facts
  const pull = claim?.pull ?? record.pull
  if (record.stage === 'review') return inReview(record, facts, pull, now)
  if (pull) return { do: 'opened', pull }
  if (!claim) return { do: 'put-back', reason: 'The claim of the issue was released' }
  if (claim.isLost)
    return { do: facts.isShared ? 'fence' : 'put-back', reason: 'Another session took the issue over' }
  if (record.stage === 'claimed')
    return record.resumesReview && !claim.hasTask
      ? { do: 'wait', note: 'Baton looks for its pull request' }
      : { do: 'start' }
  const startedAt = record.startedAt ?? now
  // The daemon was killed before it started the agent.
  if (facts.agent === 'never') return now - startedAt < START_MS ? { do: 'wait' } : { do: 'start' }
  if (claim.phase !== 'coding') return { do: 'wait', note: 'Baton checks the branch' }
  const end = facts.runEnd && facts.runEnd.at >= startedAt ? facts.runEnd : undefined
  if (end && BAD_ENDS.has(end.kind))
    return { do: 'fail', reason: `The run ended as ${end.kind}: ${end.reason}` }
  if (end && GOOD_ENDS.has(end.kind) && now - end.at > OPEN_MS)
    return { do: 'fail', reason: `The run ended as ${end.kind}, but the branch was not handed off` }
  if (facts.agent === 'gone' && now - startedAt > START_MS)
    return { do: 'fail', reason: 'The agent ended without handing the branch off' }
  return end ? { do: 'wait', note: end.reason } : { do: 'wait' }
}

function inReview(
  record: JobRecord,
  { claim, pullState, agent, runEnd }: JobFacts,
  pull: JobRecord['pull'],
  now: number,
): JobStep {
  if (!claim)
    return (pullState ?? record.pull?.state) === 'merged'
      ? { do: 'clean' }
      : { do: 'keep', reason: 'The claim ended without a merge' }
  if (claim.isLost) return { do: 'fence', reason: 'Another session took the issue over' }
  const startedAt = record.startedAt ?? 0
  const hasStarted = now - startedAt >= START_MS
  if (record.isFixing && ((runEnd && runEnd.at >= startedAt) || (agent !== 'alive' && hasStarted)))
    return { do: 'fixed' }
  // The agent that opened it has ended, or was on a machine that vanished.
  const isGone = agent === 'gone' || (agent === 'never' && record.resumesReview === true)
  if (claim.hasTask && isGone && hasStarted)
    return (record.reviewStarts ?? 0) < MAX_REVIEW_STARTS
      ? { do: 'start' }
      : { do: 'report', reason: NO_AGENT }
  if (pull && (pull.number !== record.pull?.number || pull.state !== record.pull.state))
    return { do: 'note-pull', pull }
  return { do: 'wait' }
}
