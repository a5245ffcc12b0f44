import type { ClaimFile } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import { askToClose } from './ask-to-close.ts'
import { closeIssue, endClaim, releaseClaim } from './end-claim.ts'
import { onBoard } from './fence.ts'
import { nextStep, synced } from './next-step.ts'
import { openPullRequest, refuse } from './open-pull-request.ts'
import { pollPullRequest } from './poll-pull-request.ts'
import type { ClaimPorts, StepOutcome, Trigger } from './ports.ts'
import { followOpenProof, proveBranch } from './prove-branch.ts'
import type { ClaimRecord } from './record.ts'
import { clearFailure, recordFailure } from './record-failure.ts'
import type { SignalFound } from './signal-file.ts'

const NOTHING: StepOutcome = { did: 'nothing' }
const PROVING: StepOutcome = {
  did: 'proving',
  notice: 'Baton checks the branch before it opens the pull request: baton proof',
}
const MAX_STEPS = 6

/** Advances one claim as far as possible. Every change on the forge checks the current state and the lease first. */
export async function advanceClaim(
  ports: ClaimPorts,
  start: ClaimRecord,
  trigger: Trigger,
): Promise<StepOutcome> {
  let outcome = NOTHING
  let nudged = trigger.why === 'nudge'
  // One step can enable the next: opened, then synced; agreed to, then closed.
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const record = await ports.records.at(start.project)
    if (record?.id !== start.id || record.stage === 'claiming') return outcome
    if (record.stage === 'ending') return (await endClaim(ports, record)) ?? outcome
    const now = ports.clock.now()
    const waits =
      record.notBefore !== undefined && record.notBefore > now && !nudged && trigger.why !== 'stop'
    if (record.lease.lost || waits) return outcome
    try {
      const done = await runStep(ports, record, { ...trigger, nudged })
      nudged = false
      if (done.did === 'nothing') {
        // The signal file is valid again.
        if (record.trouble?.code === 'claim_refused') await clearFailure(ports, record)
        return outcome
      }
      if (record.trouble && !['refused', 'failed'].includes(done.did)) await clearFailure(ports, record)
      outcome = {
        ...done,
        ...((done.notice ?? outcome.notice) ? { notice: done.notice ?? outcome.notice ?? '' } : {}),
      }
      if (['refused', 'opened', 'proving'].includes(done.did)) return outcome
    } catch (error) {
      return { ...outcome, ...(await recordFailure(ports, record, error)) }
    }
  }
  return outcome
}

/** Reads the signal file and performs the one step that is due. */
async function runStep(
  ports: ClaimPorts,
  record: ClaimRecord,
  trigger: Trigger & { nudged: boolean },
): Promise<StepOutcome> {
  const found = await ports.signals.read(record.project)
  if (found.kind === 'absent') return releaseClaim(ports, record, 'the signal file was deleted')
  if (found.kind === 'unreadable')
    throw new BatonError('claim_refused', found.why, {
      remedy: 'Fix the file, or delete it to release the claim.',
    })
  const { file } = found
  if (file.issue_number !== record.issue)
    throw new BatonError(
      'claim_refused',
      `The signal file names issue #${file.issue_number}, but this worktree holds #${record.issue}`,
      {
        remedy: `Change it back, or release the claim first: baton claim release ${record.issue}`,
      },
    )
  const config = await ports.config(record.project)
  const step = nextStep(file, {
    now: ports.clock.now(),
    pollMs: config.claim.poll_seconds * 1000 * (record.pr?.state === 'closed' ? 5 : 1),
    nudged: trigger.nudged,
    merged: record.pr?.state === 'merged' && record.pr.number === file.pr_number,
    closing: agreed(record, found, trigger),
    resting: trigger.resting,
  })
  switch (step.do) {
    case 'wait':
      // The pull request shows the end of a proof at once, not at the next look at it.
      if (record.proof?.isOpen) await followOpenProof(ports, record)
      return NOTHING
    case 'sync':
      return sync(ports, record, file)
    case 'refuse':
      return refuse(ports, record, step.why)
    case 'open': {
      const gate = await proveBranch(ports, record, file, trigger)
      return gate.do === 'wait' ? PROVING : openPullRequest(ports, record, file, gate)
    }
    case 'poll': {
      const polled = await pollPullRequest(ports, record, file)
      const after = await ports.records.at(record.project)
      if (after?.id === record.id) await followOpenProof(ports, after)
      return polled
    }
    case 'ask':
      await askToClose(ports, record)
      return { did: 'asked' }
    case 'close':
      return closeIssue(ports, record, file)
  }
}

/** `done` in the signal file counts as a yes only if a person could have agreed; otherwise the person is asked. */
function agreed(record: ClaimRecord, found: SignalFound, trigger: Trigger): ClaimRecord['closing'] {
  if (found.kind !== 'claim' || found.file.phase !== 'done' || record.closing === 'yes') return record.closing
  if (record.spokenSinceMerge) return 'yes'
  // No agent was working when the file changed, so a person wrote it.
  return trigger.why !== 'stop' && trigger.resting && record.pr?.state === 'merged' ? 'yes' : record.closing
}

async function sync(ports: ClaimPorts, record: ClaimRecord, file: ClaimFile): Promise<StepOutcome> {
  await onBoard(ports, record, { status: file.status, agent: file.agent_id })
  await ports.signals.change(record.project, now => synced(now, file.status))
  return { did: 'synced' }
}
