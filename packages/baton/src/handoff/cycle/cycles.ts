import type { Config } from '@batonpass/contract/config'
import { type Cycle, Cycle as CycleSchema } from '@batonpass/contract/cycle'
import { BatonError } from '@batonpass/contract/errors'
import type { Session } from '@batonpass/contract/session'
import { KeyedQueue } from '../../session/keyed-queue.ts'
import { DUE_REASONS, dueCycle } from './due-cycle.ts'
import type { CycleEffect, CycleEvent } from './events.ts'
import { HeldEvents } from './held-events.ts'
import { AGENT_RESTARTED, advance, hasEnded } from './machine.ts'
import { EffectPerformer } from './perform-effects.ts'
import { acceptDocument, acceptSuccessor, type PollListener, pollCycle, REST_MS } from './poll-cycle.ts'
import type { CyclePorts } from './ports.ts'
import { CycleStartLimiter } from './start-limiter.ts'
import { describeGrowth, handoffReason, isSettled, lineage, thresholdRaise } from './trigger.ts'

/** How many recent cycles are searched for a session's earlier handoffs. */
const RECENT = 200
/** A longer gap between ticks means that the machine slept, not that the agent is slow. */
const MAX_TICK_MS = 15_000
const REST_MARGIN_MS = 100
/** Number of events in a session without messages: its start. */
const EVENTS_WITHOUT_MESSAGES = 1

/**
 * All running cycles. Every change is stored before its effects are performed, so that after a crash at any point the next
 * daemon resumes from there. Each cycle handles one event at a time.
 */
export class Cycles {
  readonly #ports: CyclePorts
  readonly #open = new Map<string, Cycle>()
  readonly #queue = new KeyedQueue()
  readonly #performer: EffectPerformer
  readonly #held = new HeldEvents()
  #tickedAt: number
  readonly #startLimiter: CycleStartLimiter
  readonly #pollListener: PollListener = {
    applyEvent: (id, event) => this.applyEvent(id, event),
    documentWritten: (session, document) => this.documentWritten(session, document),
    successorStarted: session => this.successorStarted(session),
    sessionIdle: async cycle => this.#tryStart(cycle, 'idle', await this.#ports.config(cycle.project)),
  }
  #loaded: Promise<void> | undefined

  constructor(ports: CyclePorts) {
    this.#ports = ports
    this.#startLimiter = new CycleStartLimiter(ports.clock)
    this.#tickedAt = ports.clock.elapsed()
    this.#performer = new EffectPerformer(
      ports,
      (cycle, event) => void this.#applyInBackground(cycle.id, event, cycle.step),
    )
  }

  /** Resumes the cycles of the previous daemon. */
  start(): Promise<void> {
    this.#loaded ??= this.#load().catch(cause => {
      this.#loaded = undefined
      throw cause
    })
    return this.#loaded
  }

  async #load(): Promise<void> {
    for (const kept of await this.#ports.store.open()) {
      const read = CycleSchema.safeParse(kept)
      if (read.success) this.#open.set(kept.id, read.data)
      else this.#ports.fault(`reading the stored cycle ${kept.id}`, read.error)
    }
    for (const cycle of [...this.#open.values()]) {
      await acceptDocument(cycle, this.#ports, this.#pollListener).catch(cause =>
        this.#ports.fault('looking for a handoff document', cause),
      )
      // It found the document, so this daemon already does what follows; to clear twice would lose the new session.
      if (this.#open.get(cycle.id)?.version !== cycle.version) continue
      const cut = this.#ports.driverAt(cycle.place)?.kind === 'acp'
      await this.#applyInBackground(cycle.id, { type: 'restart', cut })
    }
  }

  /** The cycle that hands this session off, or whose successor it is. */
  findCycle(session: string): Cycle | undefined {
    return [...this.#open.values()].find(
      cycle => cycle.session === session || cycle.successor?.session === session,
    )
  }

  list(): Cycle[] {
    return [...this.#open.values()]
  }

  recent(limit: number): Promise<Cycle[]> {
    return this.#ports.store.recent(limit)
  }

  /** Whether a cycle decides what happens at this session's stops. */
  isBusy(session: string): boolean {
    const step = this.findCycle(session)?.step
    return step !== undefined && step !== 'due' && step !== 'person'
  }

  /** Starts a cycle if the session's context is full; the cycle then waits for a good moment. */
  async considerSession(session: Session, config: Config, now: number): Promise<Cycle | undefined> {
    const known = this.findCycle(session.id)
    if (known) return known.session === session.id ? known : undefined
    const figure = session.context
    if (!figure || handoffReason(figure, config, 0) === undefined) return undefined
    const recent = await this.#ports.store.recent(RECENT)
    const before = lineage(session.id, recent, now)
    const reason = handoffReason(figure, config, thresholdRaise(before.length))
    if (!reason || isSettled(session.id, recent)) return undefined
    const cycle = await this.#createCycle(session, reason, now)
    if (cycle && before.length > 0) {
      const minutes = Math.round(Math.abs(now - Date.parse(before[0]?.changedAt ?? '')) / 60_000)
      const why = `the last handoff was only ${minutes} minutes ago: ${describeGrowth(figure)}. The next session may use ${thresholdRaise(before.length + 1)} more percent of its context before it is handed off`
      await this.#performer.journalCycle(cycle, 'warned', why)
      await this.#performer.notifyUser(cycle, `🔔 Handoffs are too frequent: ${why}`)
    }
    return cycle
  }

  /** Hands a session off on request. */
  async handOffNow(session: Session, now: number): Promise<Cycle> {
    const known = this.findCycle(session.id)
    if (known && known.session === session.id) return known
    if (session.endedAt)
      throw new BatonError('not_found', `Session ${session.nativeSession} has ended`, {
        remedy: 'Run `baton handoff` to write its handoff document without the session.',
      })
    const cycle = await this.#createCycle(session, 'asked', now)
    if (cycle) return cycle
    throw new BatonError('not_allowed', `Baton cannot type into session ${session.nativeSession}`, {
      remedy:
        'Run the agent in tmux or with `baton run`. To hand off by hand, type /handoff and then /clear, or run `baton handoff --print`.',
    })
  }

  /** Hands off a session that no longer answers: Baton writes the document and interrupts the turn. */
  async handOffHung(session: Session, now: number): Promise<void> {
    const cycle = await this.#createCycle(session, 'hung', now)
    if (!cycle) throw new BatonError('not_allowed', `Baton cannot type into session ${session.nativeSession}`)
    await this.forceStart(cycle)
  }

  async cancelCycle(session: string, why: string): Promise<Cycle> {
    const cycle = this.findCycle(session)
    if (!cycle)
      throw new BatonError('not_found', 'No handoff is running in that session', {
        remedy: 'Run `baton handoff cycles` to list the running handoffs.',
      })
    await this.applyEvent(cycle.id, { type: 'cancel', why })
    return this.#open.get(cycle.id) ?? { ...cycle, step: 'cancelled', why }
  }

  /** Handles the end of a turn in a session that is due. Returns true if the document has to be requested now. */
  async startAtStop(cycle: Cycle, config: Config): Promise<boolean> {
    if (cycle.step !== 'due' || cycle.pauseMs > 0) return false
    const effects = await this.#tryStart(cycle, 'stop', config)
    return effects.some(effect => effect.do === 'journal' && effect.what === 'asked')
  }

  /** Starts the handoff without waiting for the turn to end, because the context is nearly full. */
  async forceStart(cycle: Cycle): Promise<void> {
    if (cycle.step === 'due') await this.#applyInBackground(cycle.id, { type: 'moment', by: 'force' })
  }

  /** Applies an event to a cycle. Resolves when the change is stored; the returned effects are already being performed. */
  applyEvent(id: string, event: CycleEvent, during?: Cycle['step']): Promise<CycleEffect[]> {
    return this.#queue.run(id, async () => {
      const before = this.#open.get(id)
      if (before && this.#ports.paused?.(before) && this.#held.hold(id, { event, during })) return []
      // The outcome of an action from an earlier step says nothing about this one.
      if (!before || (during !== undefined && before.step !== during)) return []
      const { cycle: wanted } = await this.#ports.config(before.project)
      const limits = { documentMs: wanted.document_sec * 1000, answerMs: wanted.answer_sec * 1000 }
      const { cycle, effects } = advance(before, event, limits)
      if (cycle.version === before.version) {
        this.#open.set(id, cycle)
        return []
      }
      const changed: Cycle = { ...cycle, changedAt: this.#timestamp() }
      // Journal first, then store: a daemon killed in between journals the change twice, but never leaves a gap.
      for (const effect of effects)
        if (effect.do === 'journal') await this.#performer.journalCycle(changed, effect.what, effect.reason)
      if (!(await this.#ports.store.put(changed))) {
        // Another daemon has taken over this cycle.
        this.#open.delete(id)
        return []
      }
      if (hasEnded(changed)) this.#open.delete(id)
      else this.#open.set(id, changed)
      this.#performer.performEffects(changed, effects)
      return effects
    })
  }

  /** Called every few seconds: advances the cycles' timers and looks at their terminals. */
  async tick(): Promise<void> {
    await this.start()
    const now = this.#ports.clock.elapsed()
    const ms = Math.min(Math.max(0, now - this.#tickedAt), MAX_TICK_MS)
    this.#tickedAt = now
    await Promise.all(
      this.list().map(cycle =>
        this.#ports.paused?.(cycle) ? this.#held.note(cycle.id) : this.#continue(cycle, ms),
      ),
    )
    await this.#pollAll()
  }

  /** Applies what a pause held back, then lets time pass. */
  async #continue(cycle: Cycle, ms: number): Promise<void> {
    const held = this.#held.release(cycle.id)
    // Hooks were not handled: a session may have started there, after Baton's /clear or a person's.
    if (held)
      await acceptSuccessor(cycle, this.#ports, this.#pollListener).catch(cause =>
        this.#ports.fault('looking for a new session after a pause', cause),
      )
    for (const { event, during } of held ?? []) await this.#applyInBackground(cycle.id, event, during)
    await this.#applyInBackground(cycle.id, { type: 'time', ms })
  }

  /** Waits until no effect is being performed. */
  idle(): Promise<void> {
    return this.#performer.idle()
  }

  /** The fullest session comes first, so that it gets a free slot first. */
  async #pollAll(): Promise<void> {
    const awake = this.list().filter(cycle => !this.#ports.paused?.(cycle))
    const fullest = awake.sort((a, b) => (b.percent ?? 0) - (a.percent ?? 0))
    await Promise.all(
      fullest.map(cycle =>
        pollCycle(cycle, this.#ports, this.#pollListener).catch(cause =>
          this.#ports.fault('polling a cycle', cause),
        ),
      ),
    )
  }

  /** The handoff document of a session is ready. */
  async documentWritten(session: string, document: string): Promise<void> {
    const cycle = this.findCycle(session)
    if (!cycle || cycle.session !== session) return
    const essentials = await this.#performer.readEssentials(cycle.project, document)
    const writtenBy = (await this.#ports.documents.settled(cycle))?.writtenBy ?? 'baton'
    await this.applyEvent(cycle.id, { type: 'written', document, writtenBy, essentials })
  }

  /** A new session started at the place of a cycle; `restarted`: the agent process itself was restarted. */
  async successorStarted({ id, nativeSession, pane }: Session, restarted = false): Promise<void> {
    const hosted = restarted && pane !== undefined && this.#ports.driverAt(pane)?.kind === 'acp'
    const known = [...this.#open.values()].find(each => each.place === pane && each.session !== id)
    const cycle = known ?? (hosted ? await this.#replaceLostSession(pane, id) : undefined)
    if (!cycle) return
    if (hosted)
      return void (await this.applyEvent(cycle.id, { type: 'replaced', session: id, nativeSession }))
    if (cycle.successor) return
    const early = cycle.step === 'due' || cycle.step === 'writing'
    const event: CycleEvent =
      restarted && early
        ? { type: 'lost', why: AGENT_RESTARTED }
        : { type: 'successor', session: id, nativeSession }
    await this.applyEvent(cycle.id, event)
  }

  /** Baton started a new session in place of a lost one: hands off the lost session's work without asking it. */
  async #replaceLostSession(place: string, fresh: string): Promise<Cycle | undefined> {
    const { sessionsAt, clock } = this.#ports
    const [before] = (await sessionsAt(place))
      .filter(({ id, events }) => id !== fresh && events > EVENTS_WITHOUT_MESSAGES)
      .sort((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1))
    return before && this.#createCycle(before, 'restart', clock.now())
  }

  /** The agent at a place is gone and cannot be resumed. */
  async placeLost(place: string, why: string): Promise<void> {
    await this.start()
    for (const cycle of this.list().filter(each => each.place === place))
      await this.applyEvent(cycle.id, { type: 'lost', why })
  }

  async #createCycle(session: Session, reason: Cycle['reason'], now: number): Promise<Cycle | undefined> {
    const { store, documents, timers } = this.#ports
    const cycle = dueCycle(session, reason, now, this.#ports)
    if (!cycle) return undefined
    return this.#queue.run(session.id, async () => {
      const known = this.findCycle(session.id)
      if (known) return known
      // A request or document of an earlier handoff of this session is out of date.
      await documents.drop(cycle)
      await this.#performer.journalCycle(cycle, 'due', DUE_REASONS[reason])
      if (!(await store.put(cycle))) return undefined
      this.#open.set(cycle.id, cycle)
      // An idle session does not have to wait for the next tick.
      timers.after(REST_MS + REST_MARGIN_MS, () => void this.#pollAll())
      return cycle
    })
  }

  /** Starts a due cycle if a slot is free. */
  #tryStart({ id }: Cycle, by: 'stop' | 'idle', config: Config): Promise<CycleEffect[]> {
    const acting = this.list().filter(({ step }) => step !== 'due' && step !== 'person').length
    return this.#startLimiter.tryStart(id, acting, config.cycle, () =>
      this.applyEvent(id, { type: 'moment', by }),
    )
  }

  #applyInBackground(id: string, event: CycleEvent, during?: Cycle['step']): Promise<unknown> {
    return this.applyEvent(id, event, during).catch(cause =>
      this.#ports.fault(`handling the cycle event ${event.type}`, cause),
    )
  }

  #timestamp(): string {
    return new Date(this.#ports.clock.now()).toISOString()
  }
}
