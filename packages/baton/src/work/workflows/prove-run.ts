import type { WorkflowState } from '@batonpass/contract/workflow'
import { describeProblems, type Problem, signatureOf } from '../../proof/problems.ts'
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
  const { base: since, session, issueChecks, workflowChecks } = run
  const order = { project: at.project, commit, since, session, issueChecks, workflowChecks }
  const proof = await ports.proofs.start(order).catch(cause => {
    ports.fault('starting a proof', cause)
    return undefined
  })
  if (!proof) return end('unproven', `Baton could not start the checks (${reason})`)
  if (proof.checks.length === 0) {
    await ports.proofs.wait(proof.id)
    return end('unproven', `no checks (${reason})`)
  }
  await ports.runs.put({
    ...run,
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

/** How much of the agent's last message is compared with the evidence. */
const MAX_SAID = 8000

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
  const failure = signatureOf(problems)
  const same = run.failures?.failure === failure ? run.failures.same + 1 : 1
  const round = (run.failures?.count ?? 0) + 1
  const what = problems.map(problem => problem.what).join('; ')
  const failed: Run = { ...run, failures: { count: round, same, failure }, saidDone: false }
  const worn = problems.every(({ most }) => same >= most) ? problems[0] : undefined
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
  const prompt = failedProofPrompt(problems, { workflow: run.workflow, commit, round, max })
  return { kind: 'prompt', prompt, run: failed }
}

/** The prompt with which failed checks go back to the agent. */
const failedProofPrompt = (
  problems: readonly Problem[],
  { workflow, commit, round, max }: { workflow: string; commit: string; round: number; max: number },
): string => {
  const [work, report] = [problems.filter(each => !each.isReport), problems.filter(each => each.isReport)]
  const heading = `${HEADING} (workflow ${workflow})`
  const said = [
    'What you reported differs from what Baton found in git, in your session and in its own checks:',
    describeProblems(report),
    '\nDo what is missing, or correct what you reported: the text of the pull request (`gh pr edit`) and your last message.',
  ]
  if (work.length === 0)
    return [
      `${heading}: the checks of commit ${commit.slice(0, 10)} are done, but your report is not right.`,
      ...said,
      'Then run `baton done` again. Baton asks this once; what still differs is shown in the pull request.',
    ].join('\n')
  return [
    `${heading}: this work is not proven yet (${round} of at most ${max} times). Baton checked commit ${commit.slice(0, 10)} itself, on a clean checkout:`,
    describeProblems(work),
    ...(report.length > 0 ? ['', ...said] : []),
    '\nFind the cause and fix it. Do not delete, skip or weaken a test or a check. Only what is committed counts. Commit, push the branch so that the pull request contains the fix, and run `baton done` again. If only a person can help, run `baton done --blocked "what you need"`.',
  ].join('\n')
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
