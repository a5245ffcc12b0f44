import type { EventOf } from '@batonpass/contract/event'
import type { WorkflowState } from '@batonpass/contract/workflow'
import { type BudgetState, checkBudget, dayOf, spend, spentOn } from './budget.ts'
import { checkDelivery, type Delivery } from './check-delivery.ts'
import { continuationPrompt } from './continuation-prompt.ts'
import { endRun } from './end-run.ts'
import { NO_EVIDENCE } from './evidence.ts'
import type { WorkflowPorts } from './ports.ts'
import { judgeProgress, type WorktreeState } from './progress.ts'
import { cancelProof, type Finish, promptAtStop, proveRun, withoutProof } from './prove-run.ts'
import type { Run } from './run.ts'
import { debug, type RunContext, type StopAnswer } from './run-context.ts'
import { asDict, type Plan, type StateFound } from './state-files.ts'
import { decideStop, type StopFacts } from './stop-verdict.ts'
import { SUPERVISOR_MS } from './supervisor.ts'
import { isCredit } from './usage-limits.ts'
import type { Workflow } from './workflow.ts'

const FORGE_MS = 8000
const TAIL = 12_000
/** How often Baton decides again when a person edits the state file at the same time. */
const MAX_TRIES = 5

/** Answers a stop: gathers the facts, decides, and carries the decision out. */
export async function answerStop(
  ports: WorkflowPorts,
  event: EventOf<'TurnEnded'>,
  at: RunContext,
  before: { run: Run; found: StateFound },
  signal: AbortSignal,
): Promise<StopAnswer> {
  const { found } = before
  const named = found.kind === 'state' ? found.state.workflow : before.run.workflow
  const workflow = (await ports.workflows(at.project)).findLast(each => each.name === named)
  if (!workflow) {
    const reason = `the state file names an unknown workflow: ${named.slice(0, 80)}`
    return before.run.end ? {} : endRun(ports, before.run, { kind: 'blocked', reason }, at)
  }
  const situation = await gatherFacts(
    ports,
    event,
    at,
    refreshed(before, workflow, event, at),
    found,
    workflow,
  )
  const { facts, pullRequest } = situation
  let { run } = situation
  const supervise = promptBuilder(ports, situation, workflow, event, at, signal)
  for (let tries = 0, now = found; tries < MAX_TRIES; tries++) {
    const verdict = decideStop({ ...facts, state: now, ended: run.end?.kind })
    if (verdict.kind === 'aside') {
      await ports.runs.put(run)
      return {}
    }
    if (verdict.kind === 'end' && verdict.end === 'complete')
      return proveRun(ports, run, finishOf(situation, workflow, now, verdict.reason, event.lastMessage), at)
    // Baton proves the branch and opens its pull request: this stop is the end of the agent's part.
    if (verdict.kind === 'continue' && (await ports.claimOf(run))?.isReady) {
      await ports.runs.put({ ...withoutProof(run), awaitsClaim: true })
      return {
        notice: 'Hands-off mode waits until Baton has checked the branch and opened its pull request.',
      }
    }
    // The agent or a person has continued since: the proof is of no use.
    await cancelProof(ports, run)
    run = { ...withoutProof(run), awaitsClaim: false }
    if (verdict.kind === 'end')
      return endRun(ports, run, { kind: verdict.end, reason: verdict.reason, pullRequest }, at)
    if (now.kind !== 'state') return {}
    // The agent waits on purpose; its scheduled turn ends with another stop. This stop counts neither as progress nor against it.
    if (event.scheduled) return { notice: 'Hands-off mode waits: the agent scheduled its own next turn.' }
    if (run.sendBack) return promptAtStop(ports, run, run.sendBack.prompt)
    const { count, stuck } = verdict
    const prompt = await supervise({ count, stuck, issue: now.state.issue_no })
    if (signal.aborted) return {}
    const pr = pullRequest ? { pr_number: pullRequest.number } : {}
    const after: WorkflowState = { ...now.state, state: 'initial', continuation_count: count, ...pr }
    if (await ports.files.change(run.root, event.nativeSession, now.text, after))
      return continueRun(ports, { ...situation, run }, workflow, { state: after, prompt, stuck }, at)
    // A person edited the file in the meantime: decide again.
    now = await ports.files.read(run.root, event.nativeSession)
  }
  await ports.runs.put(run)
  return { notice: 'Hands-off mode did not answer this stop: the state file keeps changing.' }
}

function finishOf(
  { run, worktree, byForge, facts, pullRequest }: StopSituation,
  workflow: Workflow,
  found: StateFound,
  reason: string,
  said: string | undefined,
): Finish {
  const isMarked = found.kind === 'state' && found.state.state === 'done'
  return {
    workflow,
    reason,
    onForge: byForge ? (facts.delivered === undefined ? 'no' : 'yes') : 'unknown',
    pullRequest,
    worktree,
    said,
    byAgent: run.saidDone || !isMarked,
  }
}

interface StopSituation {
  run: Run
  worktree: WorktreeState | undefined
  /** Whether the forge said if the work is delivered. */
  byForge: boolean
  facts: Omit<StopFacts, 'state' | 'ended'>
  plan: Plan | undefined
  budget: BudgetState
  talk: string
  pullRequest: { number: number; url: string } | undefined
}

function refreshed(
  { run, found }: { run: Run; found: StateFound },
  workflow: Workflow,
  event: EventOf<'TurnEnded'>,
  at: RunContext,
): Run {
  const { end, ...rest } = run
  // When a person sets the state back to `initial`, counting stops without progress starts again, too.
  const revived = end !== undefined && found.kind === 'state' && found.state.state === 'initial'
  return {
    ...rest,
    ...(end && !revived ? { end } : {}),
    workflow: workflow.name,
    ...(event.transcript ? { transcript: event.transcript } : {}),
    ...(at.session.pane ? { pane: at.session.pane } : {}),
    course: revived ? { ...run.course, stuck: 0 } : run.course,
  }
}

async function gatherFacts(
  ports: WorkflowPorts,
  event: EventOf<'TurnEnded'>,
  at: RunContext,
  run: Run,
  found: StateFound,
  workflow: Workflow,
): Promise<StopSituation> {
  const { handsoff } = at.config
  const issue = found.kind === 'state' ? found.state.issue_no : undefined
  const transcripts = run.transcript ? ports.transcriptsOf(run.agent) : undefined
  const [worktree, plan, tail, usage] = await Promise.all([
    ports.git.worktree(event.cwd ?? at.project),
    issue === undefined ? undefined : ports.files.plan(run.root, at.project, issue),
    transcripts?.tail(run.transcript ?? '', TAIL),
    transcripts?.usage(run.transcript ?? '', run.reading),
  ])
  const judged = judgeProgress(run.course, run.evidence, {
    worktree,
    milestones: plan?.milestones ?? 0,
    nature: workflow.nature,
  })
  const asked = found.kind === 'state' && handsoff.enabled && run.end === undefined
  const {
    delivered,
    pullRequest,
    byForge = false,
  }: Delivery = asked ? await delivery(ports, workflow, run, worktree, at) : { delivered: undefined }
  const next: Run = {
    ...spend(run, usage?.replies ?? [], at.now),
    ...(usage ? { reading: usage.reading } : {}),
    course: judged.course,
    evidence: NO_EVIDENCE,
    ...(pullRequest ? { pullRequest: pullRequest.url } : {}),
  }
  const others = (await ports.runs.all()).filter(each => each.session !== run.session)
  const budget = checkBudget(at.config.budget, next.spent, spentOn(dayOf(at.now), [...others, next]))
  return {
    run: next,
    worktree,
    byForge,
    plan,
    budget,
    talk: tail?.text ?? event.lastMessage ?? '',
    pullRequest,
    facts: {
      enabled: handsoff.enabled,
      max: handsoff.max_continuations,
      outcome: event.outcome,
      refused: tail?.error && isCredit(tail.error) ? tail.error : undefined,
      overBudget: budget.over,
      delivered,
      judged,
    },
  }
}

/** Checks the delivery; if the forge is slow or unreachable, by the agent's own commands. */
async function delivery(
  ports: WorkflowPorts,
  workflow: Workflow,
  run: Run,
  worktree: WorktreeState | undefined,
  at: RunContext,
): Promise<Delivery> {
  const ask = async () => checkDelivery(workflow, run, worktree, await ports.forgeFor(at.project))
  const late = AbortSignal.timeout(FORGE_MS)
  const tooLong = new Promise<undefined>(resolve =>
    late.addEventListener('abort', () => resolve(undefined), { once: true }),
  )
  const found = await Promise.race([ask().catch(() => undefined), tooLong])
  return found ?? checkDelivery(workflow, run, worktree, undefined)
}

type Wanted = { count: number; stuck: string | undefined; issue: number | undefined }

/** Builds the prompt. The supervisor is asked only once per stop, even if the decision is repeated. */
function promptBuilder(
  ports: WorkflowPorts,
  { run, facts, plan, talk }: StopSituation,
  workflow: Workflow,
  event: EventOf<'TurnEnded'>,
  at: RunContext,
  signal: AbortSignal,
): (wanted: Wanted) => Promise<string> {
  const settings = at.config.handsoff.supervisor
  let written: Promise<string | undefined> | undefined
  return async ({ count, stuck, issue }) => {
    const promptFacts = { session: event.nativeSession, count, max: facts.max, issue, plan }
    const ownPrompt = continuationPrompt(workflow, promptFacts, { stuck })
    if (settings.provider === 'none' || !ports.supervisor) return ownPrompt
    const request = { settings, goal: workflow.goal, transcript: talk, ownPrompt, stuck }
    written ??= supervise(ports, run, request, signal)
    return continuationPrompt(workflow, promptFacts, { stuck, written: await written })
  }
}

async function supervise(
  { supervisor, journal, fault }: WorkflowPorts,
  run: Run,
  request: Parameters<NonNullable<WorkflowPorts['supervisor']>['write']>[0],
  signal: AbortSignal,
): Promise<string | undefined> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(SUPERVISOR_MS)])
  const { provider } = request.settings
  const text = await supervisor?.write(request, either).catch(cause => {
    fault('supervising', cause)
    return undefined
  })
  await journal(run, {
    kind: 'workflow',
    what: 'supervised',
    workflow: run.workflow,
    reason:
      text === undefined
        ? `${provider} wrote nothing usable, so the workflow's own prompt is sent`
        : provider,
    ...(text === undefined ? {} : { prompt: text }),
  })
  return text
}

async function continueRun(
  ports: WorkflowPorts,
  { run, facts, budget }: StopSituation,
  workflow: Workflow,
  { state, prompt, stuck }: { state: WorkflowState; prompt: string; stuck: string | undefined },
  at: RunContext,
): Promise<StopAnswer> {
  const { runs, journal } = ports
  const count = state.continuation_count
  const news = budget.near.filter(({ key }) => !run.warned.includes(key))
  const { end, parked, ...going } = run
  await runs.put({ ...going, awaiting: true, warned: [...run.warned, ...news.map(({ key }) => key)] })
  for (const { words } of news)
    await journal(run, { kind: 'workflow', what: 'warned', workflow: run.workflow, reason: words })
  await journal(run, {
    kind: 'workflow',
    what: 'continued',
    workflow: run.workflow,
    count,
    max: facts.max,
    progress: facts.judged.why,
    ...(stuck ? { reason: stuck } : {}),
  })
  await debug(ports, at, run.root, run.nativeSession, `Updating state for continuation: ${asDict(state)}`)
  return {
    prompt,
    note: `The workflow ${run.workflow} is still open (${count}/${facts.max}): ${workflow.goal}`,
    ...(news.length > 0 ? { notice: `Budget: ${news.map(({ words }) => words).join('; ')}.` } : {}),
  }
}
