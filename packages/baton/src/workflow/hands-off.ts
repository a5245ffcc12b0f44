import type { Config } from '@batonpass/contract/config'
import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { EndKind, WorkflowState } from '@batonpass/contract/workflow'
import { checkBudget, dayOf, spend, spentOn } from './budget.ts'
import { type Delivery, lookForDelivery } from './delivered.ts'
import { detectWorkflow } from './detect.ts'
import { marksOf, NO_EVIDENCE, observe } from './evidence.ts'
import { isCredit, readFailure } from './limits.ts'
import type { WorkflowPorts } from './ports.ts'
import { Course, judgeProgress } from './progress.ts'
import { continuationPrompt, HEADING } from './prompt.ts'
import { Run } from './run.ts'
import { asDict, type StateFound } from './state-files.ts'
import { decideStop, type Verdict } from './stop.ts'
import { SUPERVISOR_MS } from './supervisor.ts'
import type { Workflow } from './workflow.ts'

/** What an event happened in. */
export interface Surroundings {
  session: { id: SessionId; pane?: string | undefined; transcript?: string | undefined }
  project: string
  config: Config
  now: number
}

/** What hands-off mode says to a stop. */
export interface StopAnswer {
  /** The agent goes on with this. */
  prompt?: string
  note?: string
  /** The agent stops by a person's or a limit's will, which others must not overrule. */
  stop?: { by: 'person' | 'limit'; reason: string }
  notice?: string
}

const FORGE_MS = 8000
/** A subagent that was not heard of for so long is not waited for. */
const HELPER_MS = 30 * 60_000
const MAX_PARKED = 6

/** The shell around the pure parts: reads what they need, does what they say. One thing at a time for each session. */
export class HandsOff {
  readonly #ports: WorkflowPorts
  readonly #tails = new Map<string, Promise<unknown>>()

  constructor(ports: WorkflowPorts) {
    this.#ports = ports
  }

  /** Whether an event of this session concerns a run; cheap for sessions that have none. */
  async concerns(session: SessionId, native: string, project: string): Promise<boolean> {
    if (await this.#ports.runs.get(session)) return true
    return (await this.#ports.files.read(this.#ports.files.rootFor(project), native)).kind !== 'absent'
  }

  /** A prompt: begins a run, or tells that a person is back. */
  promptSubmitted(
    event: EventOf<'PromptSubmitted'>,
    at: Surroundings,
  ): Promise<{ notice?: string; context?: string }> {
    return this.inTurn(event.session, async () => {
      if (event.subagent || !at.config.handsoff.enabled) return {}
      const detected = event.prompt.trimStart().startsWith('/')
        ? detectWorkflow(event.prompt, await this.#ports.workflows(at.project))
        : undefined
      if (detected) return this.#begin(event, detected.workflow, detected.issue, at)
      // Claude Code reports the end of a background task as a prompt: that is nobody coming back.
      if (!event.prompt.trimStart().startsWith('<task-notification>')) await this.#revive(event, at)
      return {}
    })
  }

  toolFinished(event: EventOf<'ToolFinished'>, at: Surroundings): Promise<void> {
    return this.inTurn(event.session, async () => {
      const run = await this.#ports.runs.get(event.session)
      if (!run || isOver(run)) return
      const marks =
        event.failed || event.action.kind !== 'shell' ? [] : marksOf(event.action.command, event.response)
      const evidence = observe(run.evidence, event)
      await this.#ports.runs.put({
        ...run,
        evidence,
        awaiting: false,
        marks: [...new Set([...run.marks, ...marks])].slice(-100),
      })
      const opened = marks.findLast(mark => mark.startsWith('pull-request '))?.slice('pull-request '.length)
      if (opened) await this.#noticePullRequest(event.session, event.nativeSession, opened, at)
    })
  }

  helper(event: EventOf<'SubagentStarted'> | EventOf<'SubagentEnded'>, at: Surroundings): Promise<void> {
    return this.inTurn(event.session, async () => {
      const run = await this.#ports.runs.get(event.session)
      const id = event.subagent?.id
      if (!run || id === undefined) return
      const { [id]: _, ...others } = run.helpers
      await this.#ports.runs.put({
        ...run,
        helpers: event.type === 'SubagentStarted' ? { ...others, [id]: at.now } : others,
      })
    })
  }

  /** A stop of the session's own turn. Gives nothing for sessions without a run. */
  turnEnded(event: EventOf<'TurnEnded'>, at: Surroundings, signal: AbortSignal): Promise<StopAnswer> {
    return this.inTurn(event.session, async () => {
      const { files, runs } = this.#ports
      const root = files.rootFor(at.project)
      const found = await files.read(root, event.nativeSession)
      const known = await runs.get(event.session)
      if (!known && found.kind !== 'state')
        return found.kind === 'unreadable' ? { notice: `Hands-off mode stands aside: ${found.why}.` } : {}
      if (found.kind === 'absent' && known && isOver(known)) return {}
      const run = known ?? (await this.#adopt(event, found, at))
      if (!run) return {}
      if (Object.values(run.helpers).some(since => at.now - since < HELPER_MS)) return {}
      await this.#debug(
        at,
        root,
        event.nativeSession,
        `Found existing state file: ${files.pathOf(root, event.nativeSession)}`,
      )
      return this.#answerStop(event, at, run, found, signal)
    })
  }

  /** A turn died on an error of the model service. */
  turnFailed(event: EventOf<'TurnFailed'>, at: Surroundings): Promise<void> {
    return this.inTurn(event.session, async () => {
      const run = await this.#ports.runs.get(event.session)
      if (!run || event.subagent || (isOver(run) && run.end?.kind !== 'limit-parked')) return
      const tries = (run.parked?.tries ?? 0) + 1
      const failure = readFailure(event, at.now)
      if (failure.kind === 'failed' || tries > MAX_PARKED) {
        await this.#end(
          run,
          'failed',
          tries > MAX_PARKED ? `it failed ${tries} times in a row: ${failure.reason}` : failure.reason,
          at,
        )
        return
      }
      const until = new Date(failure.until).toISOString()
      const parked = { until: failure.until, reason: failure.reason, resumed: false, tries }
      await this.#end(
        { ...run, parked, awaiting: false },
        'limit-parked',
        `${failure.reason}; it goes on at ${until}`,
        at,
      )
    })
  }

  /** The agent waits for input although it was told to go on: its own limit on continued stops took effect. */
  idle(event: EventOf<'Idle'>, at: Surroundings): Promise<void> {
    return this.inTurn(event.session, async () => {
      const run = await this.#ports.runs.get(event.session)
      if (event.kind !== 'idle' || !run?.awaiting || isOver(run)) return
      await this.#end(
        run,
        'blocked',
        'the agent ended its turn by its own limit on continued stops (CLAUDE_CODE_STOP_HOOK_BLOCK_CAP)',
        at,
      )
    })
  }

  sessionEnded(event: EventOf<'SessionEnded'>, at: Surroundings): Promise<void> {
    return this.inTurn(event.session, async () => {
      const run = await this.#ports.runs.get(event.session)
      // /clear may be a handoff: whoever carries the run over says so.
      if (!run || isOver(run) || event.reason === 'clear') return
      await this.#end(run, 'blocked', `the session was closed (${event.reason})`, at)
    })
  }

  /** Runs `work` when nothing else is under way for that session. */
  inTurn<T>(session: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#tails.get(session) ?? Promise.resolve()).then(work, work)
    const tail: Promise<void> = mine.then(
      () => this.#leave(session, tail),
      () => this.#leave(session, tail),
    )
    this.#tails.set(session, tail)
    return mine
  }

  #leave(session: string, tail: Promise<unknown>): void {
    if (this.#tails.get(session) === tail) this.#tails.delete(session)
  }

  async #begin(
    event: EventOf<'PromptSubmitted'>,
    workflow: Workflow,
    issue: number | undefined,
    at: Surroundings,
  ) {
    const { files, runs, git, journal } = this.#ports
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
      this.#ports.fault('beginning a workflow', cause)
      return { notice: `Hands-off mode cannot keep its state in ${root}/.tmp, so this runs without it.` }
    }
    const [worktree] = await Promise.all([
      git.worktree(event.cwd ?? at.project),
      root === at.project ? git.exclude(at.project, '/.tmp/').catch(() => {}) : undefined,
    ])
    const run = newRun(event, at, root, state)
    const start = judgeProgress(run.course, NO_EVIDENCE, { worktree, milestones: 0, nature: workflow.nature })
    const reading = run.transcript ? await this.#usage(run, undefined) : undefined
    await runs.put({
      ...run,
      course: { ...start.course, stuck: 0 },
      ...(reading ? { reading: reading.reading } : {}),
    })
    await journal(run, {
      kind: 'workflow',
      what: 'started',
      workflow: workflow.name,
      ...(issue === undefined ? {} : { issue }),
    })
    await this.#debug(at, root, event.nativeSession, `Writing state: ${asDict(state)}`)
    const taken = other && other.session_id !== event.nativeSession
    return {
      ...(taken ? { notice: `Session ${other.session_id} works on issue #${issue}, too.` } : {}),
      // A workflow of the user's own has no slash command that explains it.
      ...(workflow.file === undefined
        ? {}
        : { context: `This starts the workflow ${workflow.name}. Its goal: ${workflow.goal}` }),
    }
  }

  /** A person speaks to a run that had ended for want of one: it goes on. What is done stays done. */
  async #revive(event: EventOf<'PromptSubmitted'>, at: Surroundings): Promise<void> {
    const { files, runs } = this.#ports
    const run = await runs.get(event.session)
    if (!run) return
    const soft =
      run.end && run.end.kind !== 'complete' && run.end.kind !== 'handed-off' && run.end.kind !== 'capped'
    const { end, parked, ...rest } = run
    const tries = event.prompt.startsWith(HEADING) && parked ? { parked } : {}
    await runs.put(
      soft
        ? {
            ...rest,
            ...tries,
            course: { ...run.course, stuck: 0 },
            helpers: {},
            seenAt: at.now,
            awaiting: false,
          }
        : { ...run, awaiting: false },
    )
    if (!soft || !end) return
    const found = await files.read(run.root, event.nativeSession)
    if (found.kind === 'state' && found.state.state === end.kind)
      await files.change(run.root, event.nativeSession, found.text, { ...found.state, state: 'initial' })
  }

  /** A state file without a memory of ours: a person wrote it, or our memory was lost. */
  async #adopt(event: EventOf<'TurnEnded'>, found: StateFound, at: Surroundings): Promise<Run | undefined> {
    if (found.kind !== 'state') return undefined
    return newRun(event, at, this.#ports.files.rootFor(at.project), found.state)
  }

  async #answerStop(
    event: EventOf<'TurnEnded'>,
    at: Surroundings,
    before: Run,
    found: StateFound,
    signal: AbortSignal,
  ): Promise<StopAnswer> {
    const { files, runs, git } = this.#ports
    const { handsoff } = at.config
    const named = found.kind === 'state' ? found.state.workflow : before.workflow
    const workflow = (await this.#ports.workflows(at.project)).findLast(each => each.name === named)
    if (!workflow) {
      if (isOver(before)) return {}
      return this.#end(
        before,
        'blocked',
        `the state file names a workflow that is not known: ${named.slice(0, 80)}`,
        at,
      )
    }
    // A person who set the state back to `initial` begins a new count of patience, too.
    const revived = before.end !== undefined && found.kind === 'state' && found.state.state === 'initial'
    const run: Run = {
      ...before,
      workflow: workflow.name,
      ...(event.transcript ? { transcript: event.transcript } : {}),
      ...(at.session.pane ? { pane: at.session.pane } : {}),
      course: revived ? { ...before.course, stuck: 0 } : before.course,
    }
    if (revived) delete run.end
    const issue = found.kind === 'state' ? found.state.issue_no : undefined
    const [worktree, plan, tail, usage] = await Promise.all([
      git.worktree(event.cwd ?? at.project),
      issue === undefined ? undefined : files.plan(run.root, at.project, issue),
      run.transcript ? this.#ports.transcriptsOf(run.agent)?.tail(run.transcript, 12_000) : undefined,
      this.#usage(run, run.reading),
    ])
    const judged = judgeProgress(run.course, run.evidence, {
      worktree,
      milestones: plan?.milestones ?? 0,
      nature: workflow.nature,
    })
    const going = found.kind === 'state' && handsoff.enabled
    const delivery: Delivery = going
      ? await this.#delivery(workflow, run, worktree, at)
      : { delivered: undefined }
    const paid: Run = {
      ...spend(run, usage?.replies ?? [], at.now),
      ...(usage ? { reading: usage.reading } : {}),
    }
    await runs.put(paid)
    const budget = checkBudget(at.config.budget, paid.spent, spentOn(dayOf(at.now), await runs.all()))

    const next: Run = {
      ...paid,
      course: judged.course,
      evidence: NO_EVIDENCE,
      ...(delivery.pullRequest ? { pullRequest: delivery.pullRequest.url } : {}),
    }
    const refused = tail?.error && isCredit(tail.error) ? tail.error : undefined
    const facts = {
      enabled: handsoff.enabled,
      max: handsoff.max_continuations,
      outcome: event.outcome,
      refused,
      overBudget: budget.over,
      delivered: delivery.delivered,
      judged,
    }
    let written: string | undefined
    let asked = false
    // A person who edits the file at this very moment is obeyed: the decision is made anew.
    for (
      let tries = 0, now = found;
      tries < 5;
      tries++, now = await files.read(run.root, event.nativeSession)
    ) {
      const verdict = decideStop({ ...facts, state: now, ended: next.end?.kind })
      if (verdict.kind === 'aside') {
        await runs.put(next)
        return {}
      }
      if (verdict.kind === 'end')
        return this.#end(next, verdict.end, verdict.reason, at, delivery.pullRequest)
      if (now.kind !== 'state') return {}
      const promptFacts = {
        session: event.nativeSession,
        count: verdict.count,
        max: facts.max,
        issue: now.state.issue_no,
        plan,
      }
      if (!asked && handsoff.supervisor.provider !== 'none') {
        asked = true
        const ownPrompt = continuationPrompt(workflow, promptFacts, { stuck: verdict.stuck })
        written = await this.#supervise(
          next,
          workflow,
          tail?.text ?? event.lastMessage ?? '',
          ownPrompt,
          verdict.stuck,
          at,
          signal,
        )
      }
      if (signal.aborted) return {}
      const after: WorkflowState = {
        ...now.state,
        state: 'initial',
        continuation_count: verdict.count,
        ...(delivery.pullRequest ? { pr_number: delivery.pullRequest.number } : {}),
      }
      if (await files.change(run.root, event.nativeSession, now.text, after)) {
        const prompt = continuationPrompt(workflow, promptFacts, { stuck: verdict.stuck, written })
        return this.#goOn(
          next,
          after,
          verdict,
          prompt,
          { judged: judged.why, max: facts.max, budget, workflow },
          at,
        )
      }
    }
    await runs.put(next)
    return { notice: 'Hands-off mode stands aside: the state file keeps changing.' }
  }

  async #goOn(
    run: Run,
    state: WorkflowState,
    verdict: Extract<Verdict, { kind: 'continue' }>,
    prompt: string,
    about: { judged: string; max: number; budget: ReturnType<typeof checkBudget>; workflow: Workflow },
    at: Surroundings,
  ): Promise<StopAnswer> {
    const { runs, journal } = this.#ports
    const news = about.budget.near.filter(({ key }) => !run.warned.includes(key))
    const { end, parked, ...going } = run
    await runs.put({ ...going, awaiting: true, warned: [...run.warned, ...news.map(({ key }) => key)] })
    for (const { words } of news)
      await journal(run, { kind: 'workflow', what: 'warned', workflow: run.workflow, reason: words })
    await journal(run, {
      kind: 'workflow',
      what: 'continued',
      workflow: run.workflow,
      count: verdict.count,
      max: about.max,
      progress: about.judged,
      ...(verdict.stuck ? { reason: verdict.stuck } : {}),
    })
    await this.#debug(at, run.root, run.nativeSession, `Updating state for continuation: ${asDict(state)}`)
    const note = `The workflow ${run.workflow} is still open (${verdict.count}/${about.max}): ${about.workflow.goal}`
    return {
      prompt,
      note,
      ...(news.length > 0 ? { notice: `Budget: ${news.map(({ words }) => words).join('; ')}.` } : {}),
    }
  }

  /** Ends a run: in the file, in the journal, and to people. */
  async #end(
    run: Run,
    kind: EndKind,
    reason: string,
    at: Surroundings,
    pullRequest?: { number: number; url: string },
  ): Promise<StopAnswer> {
    const { files, runs, journal, announce } = this.#ports
    const link = pullRequest?.url ?? run.pullRequest
    const found = await files.read(run.root, run.nativeSession)
    if (found.kind === 'state' && (found.state.state === 'initial' || found.state.state === 'capped')) {
      const word = kind === 'complete' ? 'done' : kind
      const pr = pullRequest ? { pr_number: pullRequest.number } : {}
      await files
        .change(run.root, run.nativeSession, found.text, { ...found.state, state: word, ...pr })
        .catch(() => false)
    }
    await runs.put({
      ...run,
      end: { kind, reason, at: at.now },
      awaiting: false,
      ...(link ? { pullRequest: link } : {}),
    })
    const count = found.kind === 'state' ? { count: found.state.continuation_count } : {}
    const max = at.config.handsoff.max_continuations
    await journal(run, {
      kind: 'workflow',
      what: 'ended',
      workflow: run.workflow,
      end: kind,
      reason,
      ...count,
      max,
      ...(link ? { pullRequest: link } : {}),
    })
    const { session, nativeSession, project, workflow, issue } = run
    await announce({
      session,
      nativeSession,
      project,
      workflow,
      issue,
      end: kind,
      reason,
      pullRequest: link,
    }).catch(cause => this.#ports.fault('announcing an end', cause))
    const notice = `Hands-off mode: ${workflow} ended as ${kind}: ${reason}.${link ? ` ${link}` : ''}`
    if (kind === 'capped' || kind === 'over-budget') return { stop: { by: 'limit', reason: notice } }
    if (kind === 'blocked' && found.kind === 'absent') return { stop: { by: 'person', reason: notice } }
    return { notice }
  }

  async #noticePullRequest(session: SessionId, native: string, url: string, at: Surroundings): Promise<void> {
    const { files, runs } = this.#ports
    const number = Number(/\/pull\/(\d{1,9})$/.exec(url)?.[1])
    const run = await runs.get(session)
    if (!run || !number) return
    await runs.put({ ...run, pullRequest: url })
    const found = await files.read(files.rootFor(at.project), native)
    if (found.kind === 'state' && found.state.pr_number === undefined)
      await files.change(run.root, native, found.text, { ...found.state, pr_number: number })
  }

  async #delivery(
    workflow: Workflow,
    run: Run,
    worktree: Parameters<typeof lookForDelivery>[2],
    at: Surroundings,
  ): Promise<Delivery> {
    const looking = (async () =>
      lookForDelivery(workflow, run, worktree, await this.#ports.forgeFor(at.project)))()
    const late = AbortSignal.timeout(FORGE_MS)
    const tooLong = new Promise<undefined>(resolve =>
      late.addEventListener('abort', () => resolve(undefined), { once: true }),
    )
    const found = await Promise.race([looking.catch(() => undefined), tooLong])
    return found ?? lookForDelivery(workflow, run, worktree, undefined)
  }

  async #supervise(
    run: Run,
    workflow: Workflow,
    transcript: string,
    ownPrompt: string,
    stuck: string | undefined,
    at: Surroundings,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { supervisor, journal, fault } = this.#ports
    const settings = at.config.handsoff.supervisor
    const either = AbortSignal.any([signal, AbortSignal.timeout(SUPERVISOR_MS)])
    const request = { settings, project: at.project, goal: workflow.goal, transcript, ownPrompt, stuck }
    const text = await supervisor
      ?.write(request, either)
      .catch(cause => fault('supervising', cause) ?? undefined)
    await journal(run, {
      kind: 'workflow',
      what: 'supervised',
      workflow: workflow.name,
      reason:
        text === undefined
          ? `${settings.provider} wrote nothing usable; the workflow's own prompt is sent`
          : settings.provider,
      ...(text === undefined ? {} : { prompt: text }),
    })
    return text
  }

  #usage(run: Run, from: Run['reading']) {
    const transcripts = this.#ports.transcriptsOf(run.agent)
    return run.transcript && transcripts
      ? transcripts.usage(run.transcript, from)
      : Promise.resolve(undefined)
  }

  async #debug(at: Surroundings, root: string, native: string, message: string): Promise<void> {
    if (at.config.handsoff.debug) await this.#ports.files.debug(root, native, at.now, message)
  }
}

/** A run that has ended, for now or for good. */
export const isOver = (run: Run): boolean => run.end !== undefined

const extras = ({ workflow, state, continuation_count, issue_no, pr_number, ...rest }: WorkflowState) => rest

function newRun(event: AgentEvent, at: Surroundings, root: string, state: WorkflowState): Run {
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
    course: Course.parse({}),
  })
}
