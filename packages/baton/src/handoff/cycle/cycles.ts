import type { Config } from '@batonpass/contract/config'
import { type Cycle, Cycle as CycleSchema } from '@batonpass/contract/cycle'
import { BatonError } from '@batonpass/contract/errors'
import type { Session } from '@batonpass/contract/session'
import { KeyedQueue } from '../../session/keyed-queue.ts'
import { dueCycle, WHY_DUE } from './due-cycle.ts'
import type { CycleEffect, CycleEvent } from './events.ts'
import { advance, hasEnded } from './machine.ts'
import { Performer } from './perform-effects.ts'
import { type PollListener, pollCycle, REST_MS, takeDocument } from './poll-cycle.ts'
import type { CyclePorts } from './ports.ts'
import { CycleStartLimiter } from './start-limiter.ts'
import { causeOf, dueFor, isSettled, lineage, raiseFor } from './trigger.ts'

/** So many ended cycles are looked at to know what became of a session. */
const RECENT = 200
/** A tick that comes later than this says more about a machine that slept than about an agent that is slow. */
const MAX_TICK_MS = 15_000
const LATER_MS = 100
/** Events of a session in which nothing was said yet. */
const NOTHING_SAID = 1

/**
 * All cycles that are under way. Every change is kept before anything is done about it, so that a daemon that is killed at any
 * point is followed by one that goes on from there. One thing at a time for each cycle.
 */
export class Cycles {
  readonly #ports: CyclePorts
  readonly #open = new Map<string, Cycle>()
  readonly #turns = new KeyedQueue()
  readonly #performer: Performer
  #tickedAt: number
  readonly #room: CycleStartLimiter
  readonly #looker: PollListener = {
    happen: (id, event) => this.happen(id, event),
    written: (session, document) => this.written(session, document),
    succeeded: session => this.succeeded(session),
    rests: async cycle => this.#moment(cycle, 'idle', await this.#ports.config(cycle.project)),
  }
  #loaded: Promise<void> | undefined

  constructor(ports: CyclePorts) {
    this.#ports = ports
    this.#room = new CycleStartLimiter(ports.clock)
    this.#tickedAt = ports.clock.elapsed()
    this.#performer = new Performer(ports, (cycle, event) => void this.#later(cycle.id, event, cycle.step))
  }

  /** Takes up what the last daemon left. */
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
      else this.#ports.fault(`reading cycle ${kept.id}`, read.error)
    }
    for (const cycle of [...this.#open.values()]) {
      await takeDocument(cycle, this.#ports, this.#looker).catch(cause =>
        this.#ports.fault('looking for a document', cause),
      )
      const cut = this.#ports.driverAt(cycle.place)?.kind === 'acp'
      await this.#later(cycle.id, { type: 'restart', cut })
    }
  }

  /** The cycle that a session hands off in, or that it is the successor of. */
  of(session: string): Cycle | undefined {
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

  /** Whether a session's stops are the cycle's. */
  busy(session: string): boolean {
    const step = this.of(session)?.step
    return step !== undefined && step !== 'due' && step !== 'person'
  }

  /** Looks whether a session is full, and begins a cycle that waits for a good moment. */
  async consider(session: Session, config: Config, now: number): Promise<Cycle | undefined> {
    const known = this.of(session.id)
    if (known) return known.session === session.id ? known : undefined
    const figure = session.context
    if (!figure || dueFor(figure, config, 0) === undefined) return undefined
    const recent = await this.#ports.store.recent(RECENT)
    const before = lineage(session.id, recent, now)
    const reason = dueFor(figure, config, raiseFor(before.length))
    if (!reason || isSettled(session.id, recent)) return undefined
    const cycle = await this.#begin(session, reason, now)
    if (cycle && before.length > 0) {
      const minutes = Math.round(Math.abs(now - Date.parse(before[0]?.changedAt ?? '')) / 60_000)
      const why = `the last handoff was only ${minutes} minutes ago: ${causeOf(figure)}; the next session may get ${raiseFor(before.length + 1)} points fuller`
      await this.#performer.tell(cycle, 'warned', why)
      await this.#performer.news(cycle, `🔔 Handoffs follow each other quickly: ${why}`)
    }
    return cycle
  }

  /** Hands a session off because somebody asks for it. */
  async now(session: Session, now: number): Promise<Cycle> {
    const known = this.of(session.id)
    if (known && known.session === session.id) return known
    if (session.endedAt)
      throw new BatonError('not_found', `Session ${session.nativeSession} has ended`, {
        remedy: 'Hand its work on from outside: `baton handoff`.',
      })
    const cycle = await this.#begin(session, 'asked', now)
    if (cycle) return cycle
    throw new BatonError('not_allowed', `Baton cannot reach session ${session.nativeSession} from outside`, {
      remedy:
        'Run the agent in tmux or with `baton run`. By hand: /handoff, then /clear; or `baton handoff --print`.',
    })
  }

  async cancel(session: string, why: string): Promise<Cycle> {
    const cycle = this.of(session)
    if (!cycle)
      throw new BatonError('not_found', 'No handoff is under way in that session', {
        remedy: 'See `baton cycle`.',
      })
    await this.happen(cycle.id, { type: 'cancel', why })
    return this.#open.get(cycle.id) ?? { ...cycle, step: 'cancelled', why }
  }

  /** A turn has ended in a session that is due; true when the document is to be asked for now. */
  async atStop(cycle: Cycle, config: Config): Promise<boolean> {
    if (cycle.step !== 'due' || cycle.pauseMs > 0) return false
    const effects = await this.#moment(cycle, 'stop', config)
    return effects.some(effect => effect.do === 'tell' && effect.what === 'asked')
  }

  /** The context is so full that a running turn cannot be waited for. */
  async force(cycle: Cycle): Promise<void> {
    if (cycle.step === 'due') await this.#later(cycle.id, { type: 'moment', by: 'force' })
  }

  /** Lets an event happen to a cycle; resolves when its change is kept. What is to be done is given back and under way. */
  happen(id: string, event: CycleEvent, during?: Cycle['step']): Promise<CycleEffect[]> {
    return this.#turns.run(id, async () => {
      const before = this.#open.get(id)
      // What comes of something that was done in an earlier step says nothing about this one.
      if (!before || (during !== undefined && before.step !== during)) return []
      const { cycle: wanted } = await this.#ports.config(before.project)
      const limits = { documentMs: wanted.document_sec * 1000, answerMs: wanted.answer_sec * 1000 }
      const { cycle, effects } = advance(before, event, limits)
      if (cycle.version === before.version) {
        this.#open.set(id, cycle)
        return []
      }
      const changed: Cycle = { ...cycle, changedAt: this.#stamp() }
      // Told before it is kept: a daemon killed in between says it twice, and never leaves a gap in the story.
      for (const effect of effects)
        if (effect.do === 'tell') await this.#performer.tell(changed, effect.what, effect.reason)
      if (!(await this.#ports.store.put(changed))) {
        // Another daemon has it now.
        this.#open.delete(id)
        return []
      }
      if (hasEnded(changed)) this.#open.delete(id)
      else this.#open.set(id, changed)
      this.#performer.perform(changed, effects)
      return effects
    })
  }

  /** What is due every few seconds: time passes, and places are looked at. */
  async tick(): Promise<void> {
    await this.start()
    const now = this.#ports.clock.elapsed()
    const ms = Math.min(Math.max(0, now - this.#tickedAt), MAX_TICK_MS)
    this.#tickedAt = now
    await Promise.all([...this.#open.keys()].map(id => this.#later(id, { type: 'time', ms })))
    await this.#lookAtAll()
  }

  /** Waits for everything that is under way. */
  idle(): Promise<void> {
    return this.#performer.idle()
  }

  /** The fullest first: it gets the room there is. */
  async #lookAtAll(): Promise<void> {
    const fullest = this.list().sort((a, b) => (b.percent ?? 0) - (a.percent ?? 0))
    await Promise.all(
      fullest.map(cycle =>
        pollCycle(cycle, this.#ports, this.#looker).catch(cause =>
          this.#ports.fault('looking after a cycle', cause),
        ),
      ),
    )
  }

  /** A document of a session that hands off stands ready. */
  async written(session: string, document: string): Promise<void> {
    const cycle = this.of(session)
    if (!cycle || cycle.session !== session) return
    const essentials = await this.#performer.essentials(cycle.project, document)
    const writtenBy = (await this.#ports.documents.settled(cycle))?.writtenBy ?? 'baton'
    await this.happen(cycle.id, { type: 'written', document, writtenBy, essentials })
  }

  /** A fresh session began at the place of a cycle; `anew`: the agent itself was started anew. */
  async succeeded({ id, nativeSession, pane }: Session, anew = false): Promise<void> {
    const hosted = anew && pane !== undefined && this.#ports.driverAt(pane)?.kind === 'acp'
    const known = [...this.#open.values()].find(each => each.place === pane && each.session !== id)
    const cycle = known ?? (hosted ? await this.#afterLoss(pane, id) : undefined)
    if (!cycle) return
    if (hosted) return void (await this.happen(cycle.id, { type: 'replaced', session: id, nativeSession }))
    if (cycle.successor) return
    const early = cycle.step === 'due' || cycle.step === 'writing'
    const event: CycleEvent =
      anew && early
        ? { type: 'lost', why: 'the agent was started anew' }
        : { type: 'successor', session: id, nativeSession }
    await this.happen(cycle.id, event)
  }

  /** Baton began a fresh session where another was: that one's work is handed off, though it cannot be asked. */
  async #afterLoss(place: string, fresh: string): Promise<Cycle | undefined> {
    const { sessionsAt, clock } = this.#ports
    const [before] = (await sessionsAt(place))
      .filter(({ id, events }) => id !== fresh && events > NOTHING_SAID)
      .sort((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1))
    return before && this.#begin(before, 'restart', clock.now())
  }

  /** What was at a place cannot be had back. */
  async lost(place: string, why: string): Promise<void> {
    await this.start()
    for (const cycle of this.list().filter(each => each.place === place))
      await this.happen(cycle.id, { type: 'lost', why })
  }

  async #begin(session: Session, reason: Cycle['reason'], now: number): Promise<Cycle | undefined> {
    const { store, documents, timers } = this.#ports
    const cycle = dueCycle(session, reason, now, this.#ports)
    if (!cycle) return undefined
    return this.#turns.run(session.id, async () => {
      const known = this.of(session.id)
      if (known) return known
      // What an earlier handoff of this session left is out of date.
      await documents.drop(cycle)
      await this.#performer.tell(cycle, 'due', WHY_DUE[reason])
      if (!(await store.put(cycle))) return undefined
      this.#open.set(cycle.id, cycle)
      // A session that is at rest already need not wait for the next tick.
      timers.after(REST_MS + LATER_MS, () => void this.#lookAtAll())
      return cycle
    })
  }

  /** Begins a cycle that is due, if there is room. */
  #moment({ id }: Cycle, by: 'stop' | 'idle', config: Config): Promise<CycleEffect[]> {
    const acting = this.list().filter(({ step }) => step !== 'due' && step !== 'person').length
    return this.#room.tryStart(id, acting, config.cycle, () => this.happen(id, { type: 'moment', by }))
  }

  #later(id: string, event: CycleEvent, during?: Cycle['step']): Promise<unknown> {
    return this.happen(id, event, during).catch(cause => this.#ports.fault(`a cycle on ${event.type}`, cause))
  }

  #stamp(): string {
    return new Date(this.#ports.clock.now()).toISOString()
  }
}
