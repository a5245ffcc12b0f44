import type { EventOf } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import type { StageName } from '@batonpass/contract/work'
import type { Contribution } from '../ports/contribution.ts'
import type { ReactionContext } from '../ports/reactor.ts'
import { parseCommand } from './command.ts'
import { commandFor, decide, offers } from './decide.ts'
import { explain, explainOther } from './explain.ts'
import { openPhase, position, type Step } from './facts.ts'
import { stageInstructions } from './instructions/agent-file.ts'
import type { WorkItem } from './items.ts'
import type { Binding, Pass } from './memory.ts'
import { agentIn, phaseIn, workIdIn } from './opening.ts'
import { Passing } from './passing.ts'
import type { StagePorts } from './ports.ts'
import { resolve } from './resolve.ts'
import { detect, workReport } from './status.ts'
import { rowOf, rowOfAgent } from './table.ts'

/** So often an unfinished stage is told to finish, in auto mode, before a person is called. */
const MOST_REMINDERS = 3
/** A tool call that Baton saw asked for belongs to the session that asked, for so long. */
const CALLER_MS = 10 * 60_000

/** Staged work, event by event. Nothing here decides: see `decide.ts` and `resolve.ts`. */
export class Stages {
  readonly #ports: StagePorts
  readonly passing: Passing
  readonly #callers = new Map<string, { session: SessionId; at: number }>()

  constructor(ports: StagePorts) {
    this.#ports = ports
    this.passing = new Passing(ports)
  }

  async concerns(session: SessionId): Promise<boolean> {
    return (await this.#ports.memory.binding(session)) !== undefined
  }

  sessionStarted(session: Session): void {
    this.passing.sessionStarted(session.pane)
  }

  /** Whether a prompt can only be understood with the forge's help. */
  isSlow(prompt: string): boolean {
    return parseCommand(commandIn(prompt).typed, undefined)?.kind === 'comments'
  }

  /** A prompt: the opening of a stage, a command, or work that is none of our business. */
  async prompted(event: EventOf<'PromptSubmitted'>, context: ReactionContext): Promise<string | undefined> {
    const named = workIdIn(event.prompt)
    const item = named && (await this.#ports.items.find(context.project, named))
    if (item) return this.#opened(event, context, item)
    const known = await this.#ports.memory.binding(event.session)
    const { typed, explicit } = commandIn(event.prompt)
    if (!parseCommand(typed, known?.stage)) return undefined
    // Outside of staged work everyday words mean what they say.
    if (!known && !explicit && !PLAIN_ENOUGH.test(typed.trim())) return undefined
    const about = known
      ? await this.#ports.items.find(known.project, known.workId)
      : detect(await this.#ports.items.list(context.project), await this.#ports.git.standing(context.project))
    if (!about && (await this.#ports.items.list(context.project)).length === 0) return undefined
    // `research` depends on where the work stands, also in a session that is not a stage's.
    const from: Step | undefined = known?.stage
      ? { stage: known.stage, phase: known.phase }
      : about && position(about.facts)
    const command = parseCommand(typed, from?.stage)
    if (!command) return undefined
    if (known) await this.#ports.memory.bind({ ...known, reminders: 0 })
    if (['status', 'help', 'list', 'prompt'].includes(command.kind))
      return explainOther(about?.workId, command as Parameters<typeof explainOther>[1])
    if (!about)
      return 'This is a command of staged work, but there are several work items here: call baton_status, show the list, and ask the user which one is meant.'
    const pulls =
      command.kind === 'comments'
        ? ((await workReport(this.#ports, context.project, about.workId)).status?.pullRequests ?? [])
        : []
    const meaning = resolve(command as Parameters<typeof resolve>[0], about.facts, from, pulls)
    return explain(about.workId, typed, meaning)
  }

  async #opened(
    event: EventOf<'PromptSubmitted'>,
    { project, now, session }: ReactionContext,
    item: WorkItem,
  ): Promise<string | undefined> {
    const { memory, journal } = this.#ports
    const pass = await memory.pass(project, item.workId)
    const expected = pass && pass.state !== 'called' ? pass : undefined
    const before = await memory.binding(event.session)
    const stage: StageName | undefined =
      rowOfAgent(agentIn(event.prompt) ?? '')?.stage ??
      expected?.stage ??
      (before?.workId === item.workId ? before.stage : undefined)
    const said = stage === expected?.stage ? expected?.phase : phaseIn(event.prompt)
    const phase = said ?? phaseFor(stage, item)
    const binding: Binding = {
      session: event.session,
      nativeSession: event.nativeSession,
      agent: event.agent,
      project,
      workId: item.workId,
      since: now,
      reminders: 0,
      ...(stage ? { stage } : {}),
      ...(phase ? { phase } : {}),
    }
    await memory.bind(binding)
    if (expected) await memory.drop(expected)
    if (!stage) return undefined
    const { agent } = rowOf(stage)
    const { mode } = item.context
    await journal(
      { project, session },
      { kind: 'stage', what: 'begun', workId: item.workId, stage, agent, mode, ...(phase ? { phase } : {}) },
    )
    return `<stage-instructions>\n${stageInstructions(stage, { workId: item.workId, mode })}\n</stage-instructions>`
  }

  /** Notes who calls a tool of ours: the tool itself is not told by which session it was called. */
  toolUsed(event: EventOf<'ToolRequested' | 'ToolFinished'>, { project, now }: ReactionContext): void {
    const { action, input } = event
    if (action.kind !== 'mcp' || !/^paw_call_agent$|^baton_handoff$/.test(action.tool)) return
    for (const [key, { at }] of this.#callers) if (now - at > CALLER_MS) this.#callers.delete(key)
    const work =
      typeof input === 'object' && input !== null && 'work_id' in input ? String(input.work_id) : ''
    this.#callers.set(`${this.#ports.canonical(project)}\0${action.tool}\0${work}`, {
      session: event.session,
      at: now,
    })
  }

  /** The session that asked for a tool call, as far as Baton saw it. */
  callerOf(project: string, tool: string, workId: string): SessionId | undefined {
    return this.#callers.get(`${this.#ports.canonical(project)}\0${tool}\0${workId}`)?.session
  }

  /** A stage's session has stopped: the next begins, a person is waited for, or the stage is told to finish. */
  async turnEnded(event: EventOf<'TurnEnded'>, { now, session }: ReactionContext): Promise<Contribution> {
    const { memory, items, journal } = this.#ports
    const binding = await memory.binding(event.session)
    // A task in the background brings the agent back by itself.
    if (!binding || (event.running ?? 0) > 0) return {}
    const { project, workId, stage, phase } = binding
    const called = await memory.pass(project, workId)
    if (called?.from === event.session && called.state === 'called')
      return this.#goOn(called, session, binding)
    if (called?.state === 'due' || called?.state === 'begun') return {}
    const item = await items.find(project, workId)
    if (!item || !stage) return {}
    const { mode } = item.context
    const blocked = item.facts.blocked ?? /^[\s>*_]*Blocked:[\s*_]*(.+)$/m.exec(event.lastMessage ?? '')?.[1]
    const from: Step = { stage, phase }
    const about = { kind: 'stage' as const, workId, stage, mode, ...(phase ? { phase } : {}) }
    if (blocked !== undefined) {
      await journal({ project, session }, { ...about, what: 'blocked', detail: blocked.slice(0, 300) })
      if (mode !== 'manual')
        await this.#ports.announce(project, `🔔 ${workId} is blocked: ${blocked.slice(0, 300)}`)
      return { notice: `${workId} is blocked: ${blocked.slice(0, 300)}` }
    }
    const turnout = decide(from, item.facts, mode)
    const finished = isFinished(binding, item)
    if (turnout.kind === 'end') {
      if (finished) await journal({ project, session }, { ...about, what: 'ended' })
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
    const pass: Pass = {
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

  async #goOn(pass: Pass, session: Session, binding: Binding): Promise<Contribution> {
    const due: Pass = { ...pass, state: 'due', at: this.#ports.now() }
    await this.#ports.memory.keep(due)
    await this.#ports.memory.bind({ ...binding, reminders: 0 })
    // The hook must be answered first: until then the agent has not stopped.
    this.#ports.timers.after(BEFORE_MS, () => this.passing.begin(due))
    const here = session.pane !== undefined && this.#ports.driverAt(session.pane) !== undefined
    const where = here ? 'here, in a fresh session' : 'in a session of its own'
    return { going: { rank: 'stage', stop: `${pass.workId}: ${pass.target} begins ${where}.` } }
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
    if (reminders >= MOST_REMINDERS) {
      const detail = `${rowOf(stage).title} stopped ${reminders + 1} times without being finished`
      await journal({ project, session }, { ...about, what: 'blocked', detail })
      await this.#ports.announce(project, `🔔 ${workId}: ${detail}`)
      return { notice: `${workId}: ${detail}. Type \`status\`.` }
    }
    await memory.bind({ ...binding, reminders: reminders + 1 })
    await journal(
      { project, session },
      { ...about, what: 'reminded', detail: `${reminders + 1}/${MOST_REMINDERS}` },
    )
    const missing = turnout.kind === 'incomplete' ? turnout.missing.map(({ what }) => what).join('; ') : ''
    const agent = 'step' in turnout ? rowOf(turnout.step.stage).agent : ''
    return {
      going: {
        rank: 'stage',
        prompt: `Work ID: ${workId}\n\nThe stage ${rowOf(stage).title}${phase ? ` (Phase ${phase})` : ''} is not finished as far as its files show${missing ? `: ${missing}` : ''}. This work is in auto mode, so nobody answers questions here: take what you would recommend and write down why. Finish the stage${agent ? `, then call paw_call_agent with target_agent "${agent}" and work_id "${workId}"` : ''}. If only a person can help, add the line \`Blocked: <what is needed>\` to .paw/work/${workId}/WorkflowContext.md and end your turn.`,
        note: `Finish the stage ${rowOf(stage).title} of ${workId}.`,
      },
    }
  }

  async sessionEnded(event: EventOf<'SessionEnded'>, { session }: ReactionContext): Promise<void> {
    const binding = await this.#ports.memory.binding(event.session)
    if (!binding) return
    // What was called before the end is still to come, wherever it can begin.
    const pass = await this.#ports.memory.pass(binding.project, binding.workId)
    if (pass?.from === event.session && pass.state === 'called') await this.#goOn(pass, session, binding)
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

/** The phase that a stage is about when nobody said. */
function phaseFor(stage: StageName | undefined, { facts }: WorkItem): number | undefined {
  if (stage === 'implement') return openPhase(facts)?.number
  if (stage !== 'review') return undefined
  return facts.phases.findLast(({ state, reviewed }) => state === 'done' && !reviewed)?.number
}

/** So long after the answer to a stop the next stage begins. */
const BEFORE_MS = 300

/** `/baton:stage implement Phase 2` is the command behind it, wherever it is typed. */
function commandIn(prompt: string): { typed: string; explicit: boolean } {
  const slash = /^\s*\/(?:[A-Za-z0-9][\w.-]{0,63}:){0,3}stage\s+([\s\S]+)$/.exec(prompt.slice(0, 5000))
  return slash ? { typed: slash[1] ?? '', explicit: true } : { typed: prompt, explicit: false }
}

/** Commands that nobody types by chance, wherever they are typed. */
const PLAIN_ENOUGH =
  /^(?:implement phase \d|final pr\b|address comments|check pr\b|generate prompt for|where am i\b|(?:what|which|list)\b.{0,30}\bwork items?\b)/i

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
