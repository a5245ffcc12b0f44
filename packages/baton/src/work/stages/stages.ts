import type { EventOf } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import { sessionEndLabel } from '@batonpass/contract/labels'
import type { Session } from '@batonpass/contract/session'
import type { Contribution } from '../../ports/contribution.ts'
import type { ReactionContext } from '../../ports/reactor.ts'
import { stageInstructions } from '../packs/paw/instructions/agent-file.ts'
import { openingPrompt } from '../packs/paw/opening-prompt.ts'
import { rowOf } from '../packs/paw/stage-table.ts'
import { type Evidence, NO_EVIDENCE, observe } from '../workflows/evidence.ts'
import { Course, judgeProgress } from '../workflows/progress.ts'
import { handlePrompt } from './handle-prompt.ts'
import { commandFor, decideNextStage, offers } from './next-stage.ts'
import type { StagePorts } from './ports.ts'
import { rerequestReview } from './rerequest-review.ts'
import type { Binding, DueStage } from './stage-memory.ts'
import { StageStarter } from './start-next-stage.ts'
import type { Step } from './work-facts.ts'
import { WorkGrants } from './work-grants.ts'
import type { WorkItem } from './work-items.ts'
import { WorkProofs } from './work-proofs.ts'

/** How long Baton remembers which session requested a tool call. */
const CALLER_MS = 10 * 60_000

/** Finds the session that calls one of Baton's tools: the call does not name its session, but the hooks saw it. */
class ToolCallers {
  readonly #canonical: (path: string) => string
  readonly #seen = new Map<string, { session: SessionId; at: number }>()

  constructor(canonical: (path: string) => string) {
    this.#canonical = canonical
  }

  note(event: EventOf<'ToolRequested' | 'ToolFinished'>, project: string, now: number): void {
    const { action, input } = event
    if (action.kind !== 'mcp' || !/^(?:paw_call_agent|paw_get_context|baton_handoff)$/.test(action.tool))
      return
    for (const [key, { at }] of this.#seen) if (now - at > CALLER_MS) this.#seen.delete(key)
    const work =
      typeof input === 'object' && input !== null && 'work_id' in input ? String(input.work_id) : ''
    this.#seen.set(this.#key(project, action.tool, work), { session: event.session, at: now })
  }

  of(project: string, tool: string, workId: string): SessionId | undefined {
    return this.#seen.get(this.#key(project, tool, workId))?.session
  }

  #key(project: string, tool: string, workId: string): string {
    return `${this.#canonical(project)}\0${tool}\0${workId}`
  }
}

/** In auto mode, how often in a row an unfinished stage is told to finish, without progress, before a person is notified. */
const MAX_REMINDERS = 3
/** How often altogether: a stage that always changes something must end, too. */
const MAX_TOLD = 50

/** Handles the events of staged work. The decisions are in `next-stage.ts` and `resolve-command.ts`. */
export class Stages {
  readonly #ports: StagePorts
  readonly passing: StageStarter
  readonly callers: ToolCallers
  /** What stages may do by themselves. */
  readonly grants: WorkGrants
  /** Whether finished work is proven. */
  readonly proofs: WorkProofs
  /** What bound sessions did since their last stop. A restart loses it; git and the plan still show progress. */
  readonly #evidence = new Map<SessionId, Evidence>()

  constructor(ports: StagePorts) {
    this.#ports = ports
    this.passing = new StageStarter(ports)
    this.callers = new ToolCallers(ports.canonical)
    this.grants = new WorkGrants(ports)
    this.proofs = new WorkProofs(ports, this.grants)
  }

  async concerns(session: SessionId): Promise<boolean> {
    return (await this.#ports.memory.binding(session)) !== undefined
  }

  sessionStarted(session: Session): void {
    this.passing.sessionStarted(session.pane)
  }

  /** Handles a prompt: the opening of a stage, a command of staged work, or anything else (undefined). */
  async prompted(event: EventOf<'PromptSubmitted'>, context: ReactionContext): Promise<string | undefined> {
    const text = await handlePrompt(this.#ports, this, event, context)
    if (text !== undefined && !this.#evidence.has(event.session) && (await this.concerns(event.session)))
      this.#evidence.set(event.session, NO_EVIDENCE)
    return text
  }

  /** Records what a bound session does, as evidence of progress, and the pull request it creates. */
  async observed(event: EventOf<'ToolRequested' | 'ToolFinished'>): Promise<void> {
    if (event.type === 'ToolFinished') await this.grants.finished(event.session, event)
    const known = this.#evidence.get(event.session)
    if (known) this.#evidence.set(event.session, observe(known, event))
  }

  /** A stage's session has stopped: starts the next stage, waits for a person, or tells the stage to finish. */
  async turnEnded(event: EventOf<'TurnEnded'>, { now, session }: ReactionContext): Promise<Contribution> {
    const { memory, items, journal } = this.#ports
    const binding = await memory.binding(event.session)
    if (!binding) return {}
    const { project, workId, stage, phase } = binding
    // A background task or a scheduled turn will wake the agent.
    if ((event.running ?? 0) > 0 || (event.scheduled ?? 0) > 0)
      return this.#wait(binding, session, 'a background task or a scheduled turn continues the session')
    if (await this.#ports.busyElsewhere?.(event.session))
      return this.#wait(binding, session, 'a handoff of this session is in progress')
    const called = await memory.pass(project, workId)
    if (called?.from === event.session && called.state === 'called')
      return this.#startNext(called, session, binding)
    if (called?.state === 'due' || called?.state === 'begun')
      return this.#wait(binding, session, `${called.target} is already being started`)
    const item = await items.find(project, workId)
    if (!stage) return {}
    if (!item) return this.#wait(binding, session, `the work item ${workId} cannot be found`)
    const { mode } = item.context
    const blocked = item.facts.blocked ?? blockedIn(event.lastMessage ?? '')
    const from: Step = { stage, phase }
    const about = { kind: 'stage' as const, workId, stage, mode, ...(phase ? { phase } : {}) }
    if (blocked !== undefined) {
      await journal({ project, session }, { ...about, what: 'blocked', detail: blocked.slice(0, 300) })
      if (mode !== 'manual')
        await this.#ports.announce(project, `🔔 ${workId} is blocked: ${blocked.slice(0, 300)}`)
      return { notice: `${workId} is blocked: ${blocked.slice(0, 300)}` }
    }
    if (binding.pull !== undefined) {
      const pass = rerequestReview(this.#ports, binding, binding.pull, mode, session)
      return pass ? this.#startNext(pass, session, binding) : {}
    }
    const outcome = decideNextStage(from, item.facts, mode)
    const finished = isFinished(binding, item)
    if (outcome.kind === 'end') {
      if (!finished) return {}
      if (this.#ports.proofs && item.facts.flow === 'build')
        return this.proofs.finish({ ...binding, stage }, session, event.lastMessage)
      await this.grants.end(binding)
      await journal({ project, session }, { ...about, what: 'ended' })
      if (mode !== 'manual')
        await this.#ports.announce(project, `✅ ${workId}: ${rowOf(stage).title}, the last stage, is done`)
      return {}
    }
    if (mode === 'manual' && item.contextText === undefined)
      return this.#wait(binding, session, 'WorkflowContext.md is missing, empty or cannot be read')
    if (outcome.kind === 'blocked' || mode === 'manual') return {}
    if (!finished || outcome.kind === 'incomplete') return this.#remind(binding, item, session, outcome)
    if (outcome.kind === 'pause') {
      await journal(
        { project, session },
        { ...about, what: 'paused', detail: `before ${commandFor(outcome.step)}` },
      )
      const list = offers(from, item.facts).map(({ command }) => `\`${command}\``)
      const before = rowOf(outcome.step.stage).title
      await this.#ports.announce(project, `⏸ ${workId} waits for you before ${before}`)
      return { notice: `${workId} waits for you before ${before}. Type ${list.join(', ')}, or \`continue\`.` }
    }
    const { step } = outcome
    const pass: DueStage = {
      project,
      workId,
      target: rowOf(step.stage).agent,
      stage: step.stage,
      from: event.session,
      at: now,
      state: 'called',
      tries: 0,
      ...(step.phase ? { phase: step.phase } : {}),
    }
    return this.#startNext(pass, session, binding)
  }

  /** Nothing follows this stop yet; the journal says why. */
  async #wait(
    { project, workId, stage, phase }: Binding,
    session: Session,
    detail: string,
  ): Promise<Contribution> {
    const about = { kind: 'stage' as const, workId, stage, ...(phase ? { phase } : {}) }
    await this.#ports.journal({ project, session }, { ...about, what: 'waiting', detail })
    return {}
  }

  async #startNext(pass: DueStage, session: Session, binding: Binding): Promise<Contribution> {
    const item = await this.#ports.items.find(pass.project, pass.workId)
    if (item?.context.continuous && session.endedAt === undefined)
      return this.#continueHere(pass, session, item)
    const due: DueStage = { ...pass, state: 'due', at: this.#ports.now() }
    await this.#ports.memory.keep(due)
    await this.#ports.memory.bind({ ...binding, reminders: 0 })
    // Answer the hook first: until then the agent has not stopped.
    this.#ports.timers.after(START_DELAY_MS, () => void this.passing.begin(due))
    const here = session.pane !== undefined && this.#ports.driverAt(session.pane) !== undefined
    const where = here ? 'here, in a new session' : 'in its own session'
    return { continuation: { rank: 'stage', stop: `${pass.workId}: ${pass.target} starts ${where}.` } }
  }

  /** The Session Policy is `continuous`: the same session works on the next stage, so its prompt is the answer to the stop. */
  async #continueHere(pass: DueStage, session: Session, item: WorkItem): Promise<Contribution> {
    const { memory, journal } = this.#ports
    const { project, workId, stage, phase } = pass
    const { mode } = item.context
    await memory.bind({
      session: session.id,
      nativeSession: session.nativeSession,
      agent: session.agent,
      project,
      workId,
      stage,
      since: this.#ports.now(),
      reminders: 0,
      ...(phase ? { phase } : {}),
    })
    await memory.drop(pass)
    await this.grants.moveTo(pass, session.id)
    await journal(
      { project, session },
      { kind: 'stage', what: 'begun', workId, stage, agent: pass.target, mode, ...(phase ? { phase } : {}) },
    )
    const instructions = stageInstructions(stage, { workId, mode })
    const prompt = `${openingPrompt(pass)}\n\n<stage-instructions>\n${instructions}\n</stage-instructions>`
    return { continuation: { rank: 'stage', prompt, note: `Next stage of ${workId}: ${pass.target}.` } }
  }

  async #remind(
    binding: Binding,
    item: WorkItem,
    session: Session,
    outcome: ReturnType<typeof decideNextStage>,
  ): Promise<Contribution> {
    const { memory, journal } = this.#ports
    const { project, workId, stage, phase } = binding
    if (item.context.mode !== 'auto' || !stage) return {}
    const about = {
      kind: 'stage' as const,
      workId,
      stage,
      mode: item.context.mode,
      ...(phase ? { phase } : {}),
    }
    const { progress, course } = await this.#judge(binding, item)
    const before = progress ? 0 : binding.reminders
    const told = (binding.told ?? 0) + 1
    if (before >= MAX_REMINDERS || told > MAX_TOLD) {
      const detail =
        told > MAX_TOLD
          ? `${rowOf(stage).title} stopped ${told} times without finishing`
          : `${rowOf(stage).title} stopped ${before + 1} times without finishing and without progress`
      await journal({ project, session }, { ...about, what: 'blocked', detail })
      await this.#ports.announce(project, `🔔 ${workId}: ${detail}`)
      return { notice: `${workId}: ${detail}. Type \`status\` to see what is missing.` }
    }
    await memory.bind({ ...binding, reminders: before + 1, told, course })
    await journal(
      { project, session },
      { ...about, what: 'reminded', detail: `${before + 1}/${MAX_REMINDERS}` },
    )
    const missing = outcome.kind === 'incomplete' ? outcome.missing.map(({ what }) => what).join('; ') : ''
    const agent = 'step' in outcome ? rowOf(outcome.step.stage).agent : ''
    return {
      continuation: {
        rank: 'stage',
        prompt: `Work ID: ${workId}\n\nThe stage ${rowOf(stage).title}${phase ? ` (Phase ${phase})` : ''} is not finished according to its files${missing ? `: ${missing}` : ''}. This work is in auto mode, so no one answers questions here: choose what you recommend and write down why. Finish the stage${agent ? `, then call paw_call_agent with target_agent "${agent}" and work_id "${workId}"` : ''}. If only a person can help, add the line \`Blocked: <what is needed>\` to .paw/work/${workId}/WorkflowContext.md and end your turn.`,
        note: `Finish the stage ${rowOf(stage).title} of ${workId}.`,
      },
    }
  }

  /** The rule of hands-off mode: commits, ticked boxes, changed files and better tests are progress, repetition is not. */
  async #judge({ session, project, stage, course }: Binding, item: WorkItem) {
    const evidence = this.#evidence.get(session) ?? NO_EVIDENCE
    this.#evidence.set(session, NO_EVIDENCE)
    return judgeProgress(course ?? Course.parse({}), evidence, {
      worktree: await this.#ports.git.worktree(project),
      milestones: item.ticks + item.facts.artifacts.size,
      nature: stage === 'implement' ? 'building' : 'thinking',
    })
  }

  /** The work item that a session works on in auto mode. */
  async unattended(session: SessionId): Promise<string | undefined> {
    const binding = await this.#ports.memory.binding(session)
    const item = binding?.stage && (await this.#ports.items.find(binding.project, binding.workId))
    return item && item.context.mode === 'auto' && item.facts.blocked === undefined ? item.workId : undefined
  }

  /** The stage of a session does not continue by itself: people get the reason. */
  async stall(session: Session, reason: string): Promise<void> {
    const binding = await this.#ports.memory.binding(session.id)
    if (!binding?.stage) return
    const { project, workId, stage, phase } = binding
    await this.#ports.journal(
      { project, session },
      { kind: 'stage', what: 'blocked', workId, stage, detail: reason, ...(phase ? { phase } : {}) },
    )
    await this.#ports.announce(project, `🔔 ${workId}: ${rowOf(stage).title}: ${reason}`)
  }

  async sessionEnded(event: EventOf<'SessionEnded'>, { session }: ReactionContext): Promise<void> {
    const { memory, items, journal, announce } = this.#ports
    this.#evidence.delete(event.session)
    const binding = await memory.binding(event.session)
    if (!binding) return
    const { project, workId, stage, phase } = binding
    const pass = await memory.pass(project, workId)
    // A stage that was called before the session ended still has to start, wherever it can.
    if (pass?.from === event.session && pass.state === 'called') await this.#startNext(pass, session, binding)
    const item = pass || event.reason === 'clear' ? undefined : await items.find(project, workId)
    if (!item || !stage || item.context.mode === 'manual' || item.facts.blocked !== undefined) return
    if (isFinished(binding, item)) return
    const detail = `the session ended (${sessionEndLabel(event.reason)}) before ${rowOf(stage).title} was finished`
    await journal(
      { project, session },
      { kind: 'stage', what: 'failed', workId, stage, detail, ...(phase ? { phase } : {}) },
    )
    await announce(project, `🔔 ${workId}: ${detail}. To continue, run: baton work run ${workId}`)
  }

  /** Moves the work item to the session that continues a session's work. */
  async carryOver(from: SessionId, to: Pick<Session, 'id' | 'nativeSession' | 'agent'>): Promise<boolean> {
    const { memory, journal, session } = this.#ports
    const binding = await memory.binding(from)
    if (!binding || from === to.id) return false
    await memory.bind({ ...binding, session: to.id, nativeSession: to.nativeSession, agent: to.agent })
    await memory.unbind(from)
    if ((await memory.grant(binding.project, binding.workId))?.session === from)
      await this.grants.moveTo(binding, to.id)
    const pass = await memory.pass(binding.project, binding.workId)
    if (pass?.from === from) await memory.keep({ ...pass, from: to.id })
    const { project, workId, stage } = binding
    await journal(
      { project, session: await session(to.id) },
      { kind: 'stage', what: 'carried-over', workId, ...(stage ? { stage } : {}) },
    )
    return true
  }
}

/** How long after the answer to a stop the next stage starts. */
const START_DELAY_MS = 300

/** Reads what blocks the work from the last message; "Blocked: none" does not count. */
function blockedIn(message: string): string | undefined {
  const said = /^[\s>*_]*Blocked:[\s*_]*(.+)$/m.exec(message.slice(-20_000))?.[1]?.trim()
  return said === undefined || /^(?:none|no|nothing|n\/a)\b[\s.]*$/i.test(said) ? undefined : said
}

/** Whether the files show that the session finished its stage: its result is newer than the session's start. */
function isFinished({ stage, phase, since }: Binding, { facts, written }: WorkItem): boolean {
  if (!stage) return false
  const { makes } = rowOf(stage)
  if (makes) return facts.artifacts.has(makes) && (written.get(makes) ?? 0) >= since - SAME_MOMENT_MS
  const about = facts.phases.find(({ number }) => number === phase)
  if (stage === 'implement')
    return about ? about.state === 'done' : facts.phases.some(each => each.state === 'done')
  if (stage === 'review') return about ? about.reviewed : facts.phases.some(each => each.reviewed)
  return true
}

/** Tolerance, because file systems round times. */
const SAME_MOMENT_MS = 2000
