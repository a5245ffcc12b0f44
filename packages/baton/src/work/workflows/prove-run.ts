import { BatonError } from '@batonpass/contract/errors'
import type { WorkflowState } from '@batonpass/contract/workflow'
import { failedProofPrompt } from '../../proof/failed-proof-prompt.ts'
import { countFailure, type Problem } from '../../proof/problems.ts'
import { MAX_SAID } from '../../proof/report.ts'
import { readChecks } from './begin-run.ts'
import { HEADING } from './continuation-prompt.ts'
import { endRun } from './end-run.ts'
import type { WorkflowPorts } from './ports.ts'
import type { WorktreeState } from './progress.ts'
import type { Run } from './run.ts'
import type { RunContext, StopAnswer } from './run-context.ts'
import type { Workflow } from './workflow.ts'

/** What a run that says it is done has to show. */
export interface Finish {
  workflow: Workflow
  /** Why the work counts as done. */
  reason: string
  /** Whether the forge shows what the workflow is for. `unknown`: there is no forge, or it did not answer. */
  onForge: 'yes' | 'no' | 'unknown'
  pullRequest: { number: number; url: string } | undefined
  worktree: WorktreeState | undefined
  /** The agent's last message. */
  said: string | undefined
  /** The agent itself ran `baton done`, or Baton saw the result. Otherwise a person wrote `done` into the state file. */
  byAgent: boolean
}

/**
 * The run says that it is done: proves its commit before the run ends. The stop does not wait for the checks; `settleProofs`
 * carries their result out later.
 */
export async function proveRun(
  ports: WorkflowPorts,
  run: Run,
  finish: Finish,
  at: RunContext,
): Promise<StopAnswer> {
  const { workflow, reason, onForge, pullRequest, worktree, said, byAgent } = finish
  const end = (kind: 'proven' | 'unproven', why: string) =>
    endRun(ports, withoutProof(run), { kind, reason: why, pullRequest }, at)
  if (workflow.completion === 'plan-issue' || workflow.completion === 'board')
    return onForge === 'yes'
      ? end('proven', reason)
      : end('unproven', `${onForge === 'no' ? 'not found on GitHub' : 'GitHub was not asked'} (${reason})`)
  const commit = worktree?.head
  if (!commit) return end('unproven', `there is no commit to check (${reason})`)
  const claim = await ports.claimOf(run)
  if (workflow.completion === 'pull-request' && onForge === 'no' && byAgent && !claim) {
    const missing = { what: 'no open pull request contains it', most: 3, end: 'stalled' as const }
    const sent = await sendBack(ports, withoutProof(run), commit, [missing], at)
    return sent.kind === 'prompt' ? promptAtStop(ports, sent.run, sent.prompt) : sent.answer
  }
  if (run.base === commit) return end('unproven', `no commit was made (${reason})`)
  if (!ports.proofs) return end('unproven', `no daemon runs that could check it (${reason})`)
  if (run.proof?.commit === commit) {
    await ports.runs.put(run)
    return { notice: `Hands-off mode: Baton still checks commit ${commit.slice(0, 10)}.` }
  }
  await cancelProof(ports, run)
  const unread = run.isIssueUnread ? await readChecksPatiently(ports, run, at) : {}
  if (unread.failed) return end('unproven', `${unread.failed} (${reason})`)
  // Read once: a later edit of the issue changes nothing.
  const { isIssueUnread: _, ...rest } = run
  const known: Run = unread.found ? { ...rest, issueChecks: unread.found } : rest
  const { base: since, session, issueChecks, workflowChecks } = known
  const order = { project: at.project, commit, since, session, issueChecks, workflowChecks }
  const proof = await ports.proofs.start(order).catch(cause => {
    ports.fault('starting a proof', cause)
    return undefined
  })
  if (!proof) return end('unproven', `Baton could not start the checks (${reason})`)
  if (proof.checks.length === 0) {
    const ended = await ports.proofs.wait(proof.id)
    // The stop does not wait for the forge.
    if (pullRequest)
      void ports.showProof(at.project, pullRequest.number, ended).catch(cause => {
        if (!(cause instanceof BatonError)) ports.fault('showing a proof in its pull request', cause)
      })
    const why = `no checks (${reason})`
    const how = { kind: 'unproven' as const, reason: why, pullRequest, proof: proof.id }
    return endRun(ports, withoutProof(run), how, at)
  }
  await ports.runs.put({
    ...known,
    proof: {
      id: proof.id,
      commit,
      reason,
      ...(pullRequest ? { pullRequest } : {}),
      ...(said ? { said: said.slice(-MAX_SAID) } : {}),
      ...(byAgent ? {} : { final: true }),
    },
    awaiting: false,
  })
  await ports.journal(run, {
    kind: 'workflow',
    what: 'proving',
    workflow: run.workflow,
    proof: proof.id,
    reason: `${reason}; Baton checks commit ${commit.slice(0, 10)}: ${proof.checks.map(({ name }) => name).join(', ')}`,
    ...(pullRequest ? { pullRequest: pullRequest.url } : {}),
  })
  return {
    notice: `Hands-off mode: ${run.workflow} says it is done. Baton now checks commit ${commit.slice(0, 10)} (${proof.id}).`,
  }
}

/** Answers a stop with what failed. */
export async function promptAtStop({ runs }: WorkflowPorts, run: Run, prompt: string): Promise<StopAnswer> {
  const { sendBack: sent, ...rest } = run
  await runs.put({ ...rest, awaiting: true })
  return { prompt, note: `The work of ${run.workflow} is not proven yet.` }
}

export function withoutProof(run: Run): Run {
  const { proof, ...rest } = run
  return rest
}

/** Cancels the proof of a run that continues before its checks have ended. */
export async function cancelProof({ proofs, fault }: WorkflowPorts, { proof }: Run): Promise<void> {
  if (proof) await proofs?.cancel(proof.id).catch(cause => fault('cancelling a proof', cause))
}

export type SentBack = { kind: 'prompt'; prompt: string; run: Run } | { kind: 'ended'; answer: StopAnswer }

/** Reopens the run for what the agent has to fix, or ends it when it failed too often. */
export async function sendBack(
  ports: WorkflowPorts,
  run: Run,
  commit: string,
  problems: readonly Problem[],
  at: RunContext,
): Promise<SentBack> {
  const max = at.config.proof.retries
  const { count: round, same, failure, worn } = countFailure(run.failures, problems)
  const what = problems.map(problem => problem.what).join('; ')
  const failed: Run = { ...run, failures: { count: round, same, failure }, saidDone: false }
  if (worn) {
    // `stalled` replaces the agent's `done` in the state file: a person's next prompt then continues the run.
    if (worn.end === 'stalled') await reopenFile(ports, failed)
    const reason = worn.end === 'stalled' ? `the same failure ${same} times: ${what}` : what
    return { kind: 'ended', answer: await endRun(ports, failed, { kind: worn.end, reason }, at) }
  }
  if (round > max) {
    const reason = `${what}, after ${max} attempts`
    return { kind: 'ended', answer: await endRun(ports, failed, { kind: 'unproven', reason }, at) }
  }
  const reopened = await reopenFile(ports, failed)
  if (!reopened) return { kind: 'ended', answer: {} }
  await ports.runs.put({ ...failed, awaiting: false })
  await ports.journal(run, {
    kind: 'workflow',
    what: 'sent-back',
    workflow: run.workflow,
    count: round,
    max,
    reason: what,
  })
  const prompt = failedProofPrompt(problems, {
    heading: `${HEADING} (workflow ${run.workflow})`,
    commit,
    round,
    max,
    again: 'run `baton done` again',
    blocked: 'run `baton done --blocked "what you need"`',
  })
  return { kind: 'prompt', prompt, run: failed }
}

/** Sets the state file back to `initial`. False: a person removed it, or ended the run in it. */
async function reopenFile({ files }: WorkflowPorts, run: Run): Promise<boolean> {
  for (let tries = 0; tries < 5; tries++) {
    const found = await files.read(run.root, run.nativeSession)
    if (found.kind !== 'state') return false
    if (found.state.state === 'initial') return true
    if (found.state.state !== 'done') return false
    const after: WorkflowState = { ...found.state, state: 'initial' }
    if (await files.change(run.root, run.nativeSession, found.text, after)) return true
  }
  return false
}

/** A busy machine or a slow forge must not cost the run its proof; two attempts fit into what a stop may take. */
const PATIENT_MS = 6000

async function readChecksPatiently(
  ports: WorkflowPorts,
  { issue }: Run,
  at: RunContext,
): ReturnType<typeof readChecks> {
  const first = await readChecks(ports, issue, at, PATIENT_MS)
  return first.failed ? readChecks(ports, issue, at, PATIENT_MS) : first
}
