import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import type { EndKind, WorkflowState } from '@batonpass/contract/workflow'
import { HEADING } from './continuation-prompt.ts'
import { NO_EVIDENCE } from './evidence.ts'
import type { WorkflowPorts } from './ports.ts'
import { judgeProgress } from './progress.ts'
import { Run } from './run.ts'
import { debug, type RunContext } from './run-context.ts'
import { asDict } from './state-files.ts'
import type { Workflow } from './workflow.ts'

/** Begins a run: the state file, the issue's index, and a first look at the worktree. */
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
    ports.fault('beginning a workflow', cause)
    return { notice: `Hands-off mode cannot keep its state in ${root}/.tmp, so this runs without it.` }
  }
  const run = newRun(event, at, root, state)
  const [worktree, usage] = await Promise.all([
    git.worktree(event.cwd ?? at.project),
    run.transcript ? ports.transcriptsOf(run.agent)?.usage(run.transcript, undefined) : undefined,
    root === at.project ? git.exclude(at.project, '/.tmp/').catch(() => {}) : undefined,
  ])
  const start = judgeProgress(run.course, NO_EVIDENCE, { worktree, milestones: 0, nature: workflow.nature })
  await runs.put({
    ...run,
    course: { ...start.course, stuck: 0 },
    // A transcript that does not exist yet is read from its beginning.
    reading: usage?.reading ?? { offset: 0 },
  })
  const about = issue === undefined ? {} : { issue }
  await journal(run, { kind: 'workflow', what: 'started', workflow: workflow.name, ...about })
  await debug(ports, at, root, event.nativeSession, `Writing state: ${asDict(state)}`)
  const taken = other && other.session_id !== event.nativeSession
  return {
    ...(taken ? { notice: `Session ${other.session_id} works on issue #${issue}, too.` } : {}),
    // A workflow of the user's own has no slash command that explains it; Baton's own have theirs in Claude Code alone.
    ...(workflow.file === undefined && event.agent === 'claude-code'
      ? {}
      : { context: `This starts the workflow ${workflow.name}. Its goal: ${workflow.goal}` }),
  }
}

const REVIVABLE: ReadonlySet<EndKind> = new Set(['stalled', 'blocked', 'failed', 'limit-parked'])

/** A person speaks to a run that Baton had ended for want of one: it goes on. What is done, stopped or deleted stays so. */
export async function reviveRun(
  { files, runs }: Pick<WorkflowPorts, 'files' | 'runs'>,
  event: EventOf<'PromptSubmitted'>,
  at: RunContext,
): Promise<void> {
  const run = await runs.get(event.session)
  if (!run) return
  if (!run.end) {
    await runs.put({ ...run, awaiting: false })
    return
  }
  const found = await files.read(run.root, event.nativeSession)
  if (found.kind !== 'state' || !REVIVABLE.has(run.end.kind)) return
  if (found.state.state.split(':', 1)[0] !== run.end.kind) return
  const state = { ...found.state, state: 'initial' }
  if (!(await files.change(run.root, event.nativeSession, found.text, state))) return
  const { end, parked, ...rest } = run
  // Only a turn that ends well shows that the limit is over, so that a limit in a row is still counted.
  const kept = event.prompt.startsWith(HEADING) && parked ? { parked } : {}
  const course = { ...run.course, stuck: 0 }
  await runs.put({ ...rest, ...kept, course, helpers: {}, seenAt: at.now, awaiting: false })
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
