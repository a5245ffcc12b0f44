import type { EventOf } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import type { Contribution } from '../../ports/contribution.ts'
import type { ReactionContext } from '../../ports/reactor.ts'
import { rowOf } from '../packs/paw/stage-table.ts'
import { handlePrompt } from './handle-prompt.ts'
import { commandFor, decide, offers } from './next-stage.ts'
import type { StagePorts } from './ports.ts'
import { rerequestReview } from './rerequest-review.ts'
import type { Binding, DueStage } from './stage-memory.ts'
import { StageStarter } from './start-next-stage.ts'
import type { Step } from './work-facts.ts'
import type { WorkItem } from './work-items.ts'

/** A tool call that Baton saw asked for belongs to the session that asked, for so long. */
const CALLER_MS = 10 * 60_000

/** Who calls a tool of ours: the tool itself is not told by which session it was called, but the hooks saw it. */
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

/** So often an unfinished stage is told to finish, in auto mode, before a person is called. */
const MAX_REMINDERS = 3

/** Staged work, event by event. Nothing here decides: see `next-stage.ts` and `resolve-command.ts`. */
export class Stages {
  readonly #ports: StagePorts
  readonly passing: StageStarter
  readonly callers: ToolCallers

  constructor(ports: StagePorts) {
    this.#ports = ports
    this.passing = new StageStarter(ports)
    this.callers = new ToolCallers(ports.canonical)
  }

  async concerns(session: SessionId): Promise<boolean> {
    return (await this.#ports.memory.binding(session)) !== undefined
  }

  sessionStarted(session: Session): void {
    this.passing.sessionStarted(session.pane)
  }

  /** A prompt: the opening of a stage, a command, or work that is none of our business. */
  prompted(event: EventOf<'PromptSubmitted'>, context: ReactionContext): Promise<string | undefined> {
    return handlePrompt(this.#ports, event, context)
  }

  /** A stage's session has stopped: the next begins, a person is waited for, or the stage is told to finish. */
  async turnEnded(event: EventOf<'TurnEnded'>, { now, session }: ReactionContext): Promise<Contribution> {
    const { memory, items, journal } = this.#ports
    const binding = await memory.binding(event.session)
    // A task in the background brings the agent back by itself.
    if (!binding || (event.running ?? 0) > 0) return {}
    if (await this.#ports.busyElsewhere?.(event.session)) return {}
    const { project, workId, stage, phase } = binding
    const called = await memory.pass(project, workId)
    if (called?.from === event.session && called.state === 'called')
      return this.#goOn(called, session, binding)
    if (called?.state === 'due' || called?.state === 'begun') return {}
    const item = await items.find(project, workId)
    if (!item || !stage) return {}
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
      return pass ? this.#goOn(pass, session, binding) : {}
    }
    const turnout = decide(from, item.facts, mode)
    const finished = isFinished(binding, item)
    if (turnout.kind === 'end') {
      if (!finished) return {}
      await journal({ project, session }, { ...about, what: 'ended' })
      if (mode !== 'manual')
        await this.#ports.announce(
          project,
          `✅ ${workId}: ${rowOf(stage).title} is done, and with it the last stage`,
        )
      return {}
    }
    if (turnout.kind === 'blocked' || mode === 'manual') return {}
    if (!finished || turnout.kind === 'incomplete') return this.#remind(binding, item, session, turnout)
    if (turnout.kind === 'pause') {
      await journal(
        { project, session },
        { ...about, what: 'paused', detail: `before ${commandFor(turnout.step)}` },
      )
      const list = offers(from, item.facts).map(({ command }) => `\`${command}\``)
      const before = rowOf(turnout.step.stage).title
      await this.#ports.announce(project, `⏸ ${workId} waits for you before ${before}`)
      return { notice: `${workId} waits for you before ${before}. Type ${list.join(', ')}, or \`continue\`.` }
    }
    const { step } = turnout
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
    return this.#goOn(pass, session, binding)
  }

  async #goOn(pass: DueStage, session: Session, binding: Binding): Promise<Contribution> {
    const due: DueStage = { ...pass, state: 'due', at: this.#ports.now() }
    await this.#ports.memory.keep(due)
    await this.#ports.memory.bind({ ...binding, reminders: 0 })
    // The hook must be answered first: until then the agent has not stopped.
    this.#ports.timers.after(BEFORE_MS, () => this.passing.begin(due))
    const here = session.pane !== undefined && this.#ports.driverAt(session.pane) !== undefined
    const where = here ? 'here, in a fresh session' : 'in a session of its own'
    return { continuation: { rank: 'stage', stop: `${pass.workId}: ${pass.target} begins ${where}.` } }
  }

  async #remind(
    binding: Binding,
    item: WorkItem,
    session: Session,
    turnout: ReturnType<typeof decide>,
  ): Promise<Contribution> {
    const { memory, journal } = this.#ports
    const { project, workId, stage, phase, reminders } = binding
    if (item.context.mode !== 'auto' || !stage) return {}
    const about = {
      kind: 'stage' as const,
      workId,
      stage,
      mode: item.context.mode,
      ...(phase ? { phase } : {}),
    }
    if (reminders >= MAX_REMINDERS) {
      const detail = `${rowOf(stage).title} stopped ${reminders + 1} times without being finished`
      await journal({ project, session }, { ...about, what: 'blocked', detail })
      await this.#ports.announce(project, `🔔 ${workId}: ${detail}`)
      return { notice: `${workId}: ${detail}. Type \`status\`.` }
    }
    await memory.bind({ ...binding, reminders: reminders + 1 })
    await journal(
      { project, session },
      { ...about, what: 'reminded', detail: `${reminders + 1}/${MAX_REMINDERS}` },
    )
    const missing = turnout.kind === 'incomplete' ? turnout.missing.map(({ what }) => what).join('; ') : ''
    const agent = 'step' in turnout ? rowOf(turnout.step.stage).agent : ''
    return {
      continuation: {
        rank: 'stage',
        prompt: `Work ID: ${workId}\n\nThe stage ${rowOf(stage).title}${phase ? ` (Phase ${phase})` : ''} is not finished as far as its files show${missing ? `: ${missing}` : ''}. This work is in auto mode, so nobody answers questions here: take what you would recommend and write down why. Finish the stage${agent ? `, then call paw_call_agent with target_agent "${agent}" and work_id "${workId}"` : ''}. If only a person can help, add the line \`Blocked: <what is needed>\` to .paw/work/${workId}/WorkflowContext.md and end your turn.`,
        note: `Finish the stage ${rowOf(stage).title} of ${workId}.`,
      },
    }
  }

  async sessionEnded(event: EventOf<'SessionEnded'>, { session }: ReactionContext): Promise<void> {
    const { memory, items, journal, announce } = this.#ports
    const binding = await memory.binding(event.session)
    if (!binding) return
    const { project, workId, stage, phase } = binding
    const pass = await memory.pass(project, workId)
    // What was called before the end is still to come, wherever it can begin.
    if (pass?.from === event.session && pass.state === 'called') await this.#goOn(pass, session, binding)
    const item = pass || event.reason === 'clear' ? undefined : await items.find(project, workId)
    if (!item || !stage || item.context.mode === 'manual' || item.facts.blocked !== undefined) return
    if (isFinished(binding, item)) return
    const detail = `the session ended (${event.reason}) before ${rowOf(stage).title} was finished`
    await journal(
      { project, session },
      { kind: 'stage', what: 'failed', workId, stage, detail, ...(phase ? { phase } : {}) },
    )
    await announce(project, `🔔 ${workId}: ${detail}. Go on: baton work run ${workId}`)
  }

  /** The session that goes on with a session's work is about the same work item. */
  async carryOver(from: SessionId, to: Pick<Session, 'id' | 'nativeSession' | 'agent'>): Promise<boolean> {
    const { memory, journal, session } = this.#ports
    const binding = await memory.binding(from)
    if (!binding || from === to.id) return false
    await memory.bind({ ...binding, session: to.id, nativeSession: to.nativeSession, agent: to.agent })
    await memory.unbind(from)
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

/** So long after the answer to a stop the next stage begins. */
const BEFORE_MS = 300

/** What a last message says is in the way; "Blocked: none" is nothing. */
function blockedIn(message: string): string | undefined {
  const said = /^[\s>*_]*Blocked:[\s*_]*(.+)$/m.exec(message.slice(-20_000))?.[1]?.trim()
  return said === undefined || /^(?:none|no|nothing|n\/a)\b[\s.]*$/i.test(said) ? undefined : said
}

/** Whether the files show that the session did its stage: what it makes is newer than its beginning. */
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

/** File systems round times. */
const SAME_MOMENT_MS = 2000
