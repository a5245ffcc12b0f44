import type { EndKind } from '@batonpass/contract/workflow'
import type { WorkflowPorts } from './ports.ts'
import type { Run } from './run.ts'
import type { RunContext, StopAnswer } from './run-context.ts'

const END_WORDS: Record<EndKind, string> = {
  complete: 'is complete',
  proven: 'is proven',
  unproven: 'is done, but unproven',
  accepted: 'was accepted',
  capped: 'reached its limit',
  stalled: 'stalled',
  blocked: 'is blocked',
  'over-budget': 'is over budget',
  'limit-parked': 'waits for a usage limit',
  'question-parked': 'waits for an answer',
  'handed-off': 'was handed off',
  failed: 'failed',
}

/** Ends of a run that says it is done: the state file then says `done`. */
export const DONE: ReadonlySet<EndKind> = new Set(['complete', 'proven', 'unproven', 'accepted'])

/** Ends a run: updates the state file, journals the end and notifies people. */
export async function endRun(
  { files, runs, journal, announce, fault }: WorkflowPorts,
  run: Run,
  {
    kind,
    reason,
    pullRequest,
    proof,
  }: {
    kind: EndKind
    reason: string
    pullRequest?: { number: number; url: string } | undefined
    /** The proof that decided it. */
    proof?: string | undefined
  },
  at: RunContext,
): Promise<StopAnswer> {
  const { session, nativeSession, project, workflow, issue } = run
  const link = pullRequest?.url ?? run.pullRequest
  const found = await files.read(run.root, nativeSession)
  const state = found.kind === 'state' ? found.state : undefined
  if (
    found.kind === 'state' &&
    state &&
    (state.state === 'initial' || state.state === 'capped' || pullRequest)
  ) {
    const ours = state.state === 'initial' || state.state === 'capped'
    const word = ours ? (DONE.has(kind) ? 'done' : kind) : state.state
    const after = { ...state, state: word, ...(pullRequest ? { pr_number: pullRequest.number } : {}) }
    await files.change(run.root, nativeSession, found.text, after).catch(() => false)
  }
  const about = link ? { pullRequest: link } : {}
  const by = proof ? { proof } : {}
  await runs.put({ ...run, end: { kind, reason, at: at.now, ...by }, awaiting: false, ...about })
  await journal(run, {
    kind: 'workflow',
    what: 'ended',
    workflow,
    end: kind,
    reason,
    ...(state ? { count: state.continuation_count } : {}),
    max: at.config.handsoff.max_continuations,
    ...about,
    ...by,
  })
  await announce({ session, nativeSession, project, workflow, issue, end: kind, reason, ...about }).catch(
    cause => fault('announcing the end of a workflow', cause),
  )
  const notice = `Hands-off mode: ${workflow} ${END_WORDS[kind]}: ${reason}.${link ? ` ${link}` : ''}`
  if (kind === 'capped' || kind === 'over-budget') return { stop: { by: 'limit', reason: notice } }
  const byPerson = kind === 'blocked' && (found.kind === 'absent' || state?.state === 'stopped')
  return byPerson ? { stop: { by: 'person', reason: notice } } : { notice }
}
