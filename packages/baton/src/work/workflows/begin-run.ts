import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import type { IssueChecks } from '@batonpass/contract/proof'
import type { EndKind, WorkflowState } from '@batonpass/contract/workflow'
import { checksOfIssue } from '../../proof/issue-checks.ts'
import { HEADING } from './continuation-prompt.ts'
import { NO_EVIDENCE } from './evidence.ts'
import type { WorkflowPorts } from './ports.ts'
import { judgeProgress } from './progress.ts'
import { Run } from './run.ts'
import { debug, type RunContext } from './run-context.ts'
import { grantOfRun } from './run-grant.ts'
import { asDict } from './state-files.ts'
import type { Workflow } from './workflow.ts'

/** Starts a run: writes the state file and the issue's index, and records the state of the worktree. */
export async function beginRun(
  ports: WorkflowPorts,
  event: EventOf<'PromptSubmitted'>,
  { workflow, issue }: { workflow: Workflow; issue?: number },
  at: RunContext,
): Promise<{ notice?: string; context?: string }> {
  const { files, runs, git, journal } = ports
  const root = files.rootFor(at.project)
  const before = await files.read(root, event.nativeSession)
  const state: WorkflowState = {
    ...(before.kind === 'state' ? extras(before.state) : {}),
    workflow: workflow.name,
    state: 'initial',
    continuation_count: 0,
    ...(issue === undefined ? {} : { issue_no: issue }),
  }
  const other = issue === undefined ? undefined : await files.byIssue(root, issue)
  try {
    await files.begin(root, event.nativeSession, state)
  } catch (cause) {
    ports.fault('starting a workflow', cause)
    return {
      notice: `Hands-off mode cannot write its state to ${root}/.tmp, so Baton will not continue this workflow. Check that the folder is writable.`,
    }
  }
  const run = newRun(event, at, root, state)
  const [grant, worktree, usage, base, checks] = await Promise.all([
    grantOfRun(ports, workflow, { issue, prompt: event.prompt, project: at.project }),
    git.worktree(event.cwd ?? at.project),
    run.transcript ? ports.transcriptsOf(run.agent)?.usage(run.transcript, undefined) : undefined,
    ports.proofs?.findBase(at.project).catch(() => undefined),
    readChecks(ports, issue, at),
    root === at.project ? git.exclude(at.project, '/.tmp/').catch(() => {}) : undefined,
  ])
  const start = judgeProgress(run.course, NO_EVIDENCE, { worktree, milestones: 0, nature: workflow.nature })
  await runs.put({
    ...run,
    ...(grant ? { grant } : {}),
    ...(base ? { base } : {}),
    ...(checks.found ? { issueChecks: checks.found } : {}),
    ...(checks.failed ? { isIssueUnread: true } : {}),
    ...(workflow.doneWhen
      ? { workflowChecks: { workflow: workflow.name, done_when: [...workflow.doneWhen] } }
      : {}),
    course: { ...start.course, stuck: 0 },
    // A transcript that does not exist yet is read from its start.
    reading: usage?.reading ?? { offset: 0 },
  })
  const about = issue === undefined ? {} : { issue }
  await journal(run, { kind: 'workflow', what: 'started', workflow: workflow.name, ...about })
  for (const reason of checks.found?.refused ?? (checks.failed ? [checks.failed] : []))
    await journal(run, { kind: 'workflow', what: 'warned', workflow: workflow.name, reason })
  await debug(ports, at, root, event.nativeSession, `Writing state: ${asDict(state)}`)
  const taken = other && other.session_id !== event.nativeSession
  return {
    ...(taken ? { notice: `Session ${other.session_id} also works on issue #${issue}.` } : {}),
    // Only built-in workflows in Claude Code have a slash command that explains them; others need this context.
    ...(workflow.file === undefined && event.agent === 'claude-code'
      ? {}
      : { context: `This starts the workflow ${workflow.name}. Its goal: ${workflow.goal}` }),
  }
}

/** How long the prompt that starts a run waits for its issue. */
const ISSUE_MS = 4000

/** The checks that the issue adds. If the forge does not answer in time, `failed` says so. */
export async function readChecks(
  { forgeFor, proofs }: WorkflowPorts,
  issue: number | undefined,
  { project, config }: RunContext,
  withinMs = ISSUE_MS,
): Promise<{ found?: IssueChecks | undefined; failed?: string }> {
  if (issue === undefined || !proofs) return {}
  const failed = `the checks of issue #${issue} could not be read`
  const read = async () => {
    const forge = await forgeFor(project)
    if (!forge) return {}
    return { found: await checksOfIssue(await forge.issue(issue), forge, config.proof) }
  }
  const late = AbortSignal.timeout(withinMs)
  const tooLong = new Promise<{ failed: string }>(resolve =>
    late.addEventListener('abort', () => resolve({ failed }), { once: true }),
  )
  return Promise.race([read().catch(() => ({ failed })), tooLong])
}

const REVIVABLE: ReadonlySet<EndKind> = new Set([
  'stalled',
  'blocked',
  'failed',
  'limit-parked',
  'question-parked',
])

/** Reopens a run that ended because it needed a person, when a person prompts it. Done, stopped or deleted runs stay so. */
export async function reviveRun(
  { files, runs }: Pick<WorkflowPorts, 'files' | 'runs'>,
  event: EventOf<'PromptSubmitted'>,
  at: RunContext,
): Promise<{ context?: string }> {
  const known = await runs.get(event.session)
  if (!known) return {}
  // What failed, if Baton could not type it.
  const { sendBack, ...run } = known
  const news = sendBack ? { context: sendBack.prompt } : {}
  if (!run.end) {
    await runs.put({ ...run, awaiting: false })
    return news
  }
  if (!REVIVABLE.has(run.end.kind)) return {}
  // Keep counting consecutive limits: only a successful turn shows that the limit is over.
  const isContinuation = event.prompt.startsWith(HEADING)
  // A person who helps starts the count of failed checks again.
  const reopened = isContinuation ? run : { ...run, parked: undefined, failures: undefined }
  return (await reopenRun({ files, runs }, { ...reopened, helpers: {} }, at.now)) ? news : {}
}

/** Lets an ended run continue. False: a person changed its state file since, or removed it, and that counts. */
export async function reopenRun(
  { files, runs }: Pick<WorkflowPorts, 'files' | 'runs'>,
  run: Run,
  now: number,
): Promise<boolean> {
  const found = await files.read(run.root, run.nativeSession)
  if (found.kind !== 'state' || found.state.state.split(':', 1)[0] !== run.end?.kind) return false
  const state = { ...found.state, state: 'initial' }
  if (!(await files.change(run.root, run.nativeSession, found.text, state))) return false
  const { end, ...rest } = run
  await runs.put({ ...rest, course: { ...run.course, stuck: 0 }, seenAt: now, awaiting: false })
  return true
}

export function newRun(event: AgentEvent, at: RunContext, root: string, state: WorkflowState): Run {
  return Run.parse({
    version: 1,
    session: event.session,
    nativeSession: event.nativeSession,
    agent: event.agent,
    project: at.project,
    root,
    workflow: state.workflow,
    issue: state.issue_no,
    startedAt: at.now,
    seenAt: at.now,
    transcript: event.transcript ?? at.session.transcript,
    pane: at.session.pane,
  })
}

const extras = ({ workflow, state, continuation_count, issue_no, pr_number, ...rest }: WorkflowState) => rest
