import type { Ask, AskEntry, AskOption, AskRules, WithdrawnWhy } from '@batonpass/contract/ask'
import { AskId, EntryId } from '@batonpass/contract/ids'
import type { NewEntry } from '@batonpass/contract/journal'
import type { AskStore } from '../ports/ask-store.ts'
import type { Answered, AnswerHandler, Channel, Given, News } from '../ports/channel.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Timers } from '../ports/timers.ts'
import { type AskOutcome, outcomeOf } from './ask-outcome.ts'
import { Channels } from './channels.ts'
import { type AskEvent, type Step, step } from './machine.ts'
import { OpenAsk } from './open-ask.ts'
import { openedAsk, type Question } from './question.ts'
import { BY_POLICY, parkedNotice, policyReplies, type WhenUnanswered } from './unanswered.ts'

/** The journal entry for an ask's current state: that it was opened, or how it was settled. */
function askEntry(ask: Ask, id: EntryId): NewEntry {
  const { title, detail, fingerprint, key, expiresAt, answer, withdrawn, state } = ask
  const { agent, session, nativeSession, project } = ask.facts
  const parked = state === 'open' && ask.parkedAt
  const body: AskEntry = {
    kind: 'ask',
    what: parked ? 'parked' : state === 'open' ? 'opened' : state,
    ask: ask.id,
    title,
    fingerprint,
    key,
    ...(state === 'open' && !parked ? { detail, expiresAt } : {}),
    ...(answer ? { answer } : {}),
    ...(withdrawn ? { why: withdrawn } : {}),
  }
  return {
    id,
    at: ask.settledAt ?? ask.parkedAt ?? ask.createdAt,
    ...(agent ? { agent } : {}),
    ...(session ? { session } : {}),
    ...(nativeSession ? { nativeSession } : {}),
    ...(project ? { project } : {}),
    body,
  }
}

export interface AsksParts {
  store: AskStore
  channels: readonly Channel[]
  record(entries: readonly NewEntry[]): Promise<unknown>
  /** Adds the rule of an "always allow" to the user's own settings, and says where it is. */
  addRule?(ask: Ask, scope: keyof AskRules): Promise<{ file: string; rule: string }>
  /** What people call a session. */
  nameOf?(session: string): Promise<string | undefined>
  fault(during: string, cause: unknown): void
  clock: Clock
  timers: Timers
  ids: Ids
}

export interface AskingOptions {
  /** Aborts when the caller stops waiting for the answer. */
  signal: AbortSignal
  withinMs: number
  /** If no channel reaches a person: give up at once (the default), or wait because the person also sees the ask elsewhere. */
  unreached?: 'give-up' | 'wait'
  /** What to do if no one answers. */
  unanswered?: WhenUnanswered
  /** Called when the ask is stored, or was found. */
  opened?(): void
}

const SCOPES: Partial<Record<AskOption, keyof AskRules>> = {
  'allow-project': 'project',
  'allow-everywhere': 'everywhere',
}

/** How long a caller that disconnected may take to come back before its ask is withdrawn. */
const GRACE_MS = 2000
/** The same after a restart of the daemon: the hook client has to notice, start the daemon and ask again. */
const RESTART_GRACE_MS = 30_000
/** How often Baton looks again whether an unanswered ask still waits. */
const LOOK_AGAIN_MS = 60_000

/** All asks: each is shown on all channels at once, and the first answer settles it. */
export class Asks implements AnswerHandler {
  readonly #parts: AsksParts
  readonly #open = new Map<string, OpenAsk>()
  /** Asks that are being stored, so that two concurrent equal questions become one ask. */
  readonly #opening = new Map<string, Promise<OpenAsk | Ask>>()
  readonly #channels: Channels
  #stopping = false

  constructor(parts: AsksParts) {
    this.#parts = parts
    this.#channels = new Channels(parts.channels, (during, cause) => parts.fault(during, cause))
  }

  /** Resumes the asks that were open when the previous daemon ended. */
  async start(): Promise<void> {
    for (const ask of await this.#parts.store.open()) {
      const open = this.#track(ask)
      open.leaveAfter(RESTART_GRACE_MS)
    }
    await this.#channels.start(this)
    for (const open of this.#open.values()) this.#show(open)
  }

  /** Open asks stay open: the next daemon resumes them, and their callers reconnect to it. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (const open of this.#open.values()) open.sleep()
    await this.#channels.stop()
    await Promise.all([...this.#open.values()].map(open => open.idle()))
  }

  /** Asks and waits for the outcome. Rejects only if the ask cannot be stored, not if no person answers. */
  async ask(question: Question, options: AskingOptions): Promise<AskOutcome> {
    const { signal, withinMs, unreached, unanswered } = options
    const open = await this.#find(question, withinMs)
    options.opened?.()
    if (!(open instanceof OpenAsk)) return outcomeOf(open)
    const outcome = open.wait(signal, unreached ?? 'give-up')
    this.#judgeReach(open)
    if (unanswered) this.#decideLater(open, unanswered)
    return outcome
  }

  async answer(id: string, given: Given): Promise<Answered> {
    const open = this.#open.get(id)
    if (!open) {
      const ask = await this.#parts.store.find(id)
      return { verdict: ask ? 'closed' : 'unknown', ask }
    }
    const { option, by, reason, replies, fingerprint } = given
    const answer = {
      option,
      by,
      at: this.#now(),
      ...(reason?.trim() ? { reason: reason.trim() } : {}),
      ...(replies ? { replies } : {}),
    }
    const { ask, verdict, problem } = await this.#happen(open, {
      type: 'answer',
      answer,
      fingerprint: fingerprint ?? open.ask.fingerprint,
    })
    return { verdict, ask, problem }
  }

  /** Withdraws every matching open ask, e.g. because its tool ran or its session ended. */
  async withdraw(fits: (ask: Ask) => boolean, why: WithdrawnWhy): Promise<void> {
    const event = { type: 'withdraw', why, at: this.#now() } as const
    const fitting = [...this.#open.values()].filter(open => fits(open.ask))
    await Promise.all(fitting.map(open => this.#happen(open, event)))
  }

  /** Shows the open asks on the channels that did not show them, e.g. because of quiet hours that no longer apply. */
  showAgain(): void {
    for (const open of this.#open.values()) this.#show(open)
  }

  /** Sends a notice through every channel. A failing channel does not affect the others. */
  async tell(news: News): Promise<void> {
    await this.reach(news)
  }

  /** The same, and returns the names of the channels that reached a person. */
  reach(news: News): Promise<string[]> {
    return this.#channels.reach(news)
  }

  open(): Ask[] {
    return [...this.#open.values()].map(open => open.ask)
  }

  recent(limit: number): Promise<Ask[]> {
    return this.#parts.store.recent(limit)
  }

  /** Finds an ask by its id or an unambiguous prefix of it. */
  find(id: string): Promise<Ask | undefined> {
    return this.#parts.store.find(id)
  }

  /** Whether a person allowed exactly this call for the rest of its session. */
  remembered(fingerprint: string): Promise<boolean> {
    return this.#parts.store.allowed(fingerprint)
  }

  lost(channel: string, asks: readonly AskId[]): void {
    for (const id of asks) {
      const open = this.#open.get(id)
      open?.reached.delete(channel)
      if (open) this.#judgeReach(open)
    }
  }

  #find(question: Question, withinMs: number): Promise<OpenAsk | Ask> {
    const name = `${question.fingerprint} ${question.key}`
    const known = this.#opening.get(name)
    if (known) return known
    const finding = this.#findOrOpen(question, withinMs).finally(() => this.#opening.delete(name))
    this.#opening.set(name, finding)
    return finding
  }

  async #findOrOpen(question: Question, withinMs: number): Promise<OpenAsk | Ask> {
    const { store, clock, ids } = this.#parts
    const known = await store.byKey(question.key, question.fingerprint)
    // A withdrawn ask has lost its caller. This is a new caller, so open a new ask.
    if (known && known.state !== 'withdrawn') return this.#open.get(known.id) ?? known
    const { session } = question.facts
    const sessionName = session && (await this.#parts.nameOf?.(session).catch(() => undefined))
    const asked = sessionName ? { ...question, facts: { ...question.facts, sessionName } } : question
    const ask = openedAsk(AskId.parse(`ask_${ids.id(20)}`), asked, clock.now(), withinMs)
    await store.add(ask)
    const open = this.#track(ask)
    await this.#record(ask)
    this.#show(open)
    return open
  }

  #track(ask: Ask): OpenAsk {
    const { clock, timers } = this.#parts
    const open = new OpenAsk(ask, timers, {
      graceMs: GRACE_MS,
      left: () => {
        if (!this.#stopping) this.#later(open, { type: 'withdraw', why: 'waiter-gone', at: this.#now() })
      },
    })
    this.#open.set(ask.id, open)
    const ring = () => {
      const left = Date.parse(ask.expiresAt) - clock.now()
      if (left > 0) open.timeOutAfter(left, ring)
      else this.#later(open, { type: 'time', at: this.#now() })
    }
    open.timeOutAfter(Math.max(0, Date.parse(ask.expiresAt) - clock.now()), ring)
    return open
  }

  #show(open: OpenAsk): void {
    void this.#channels.show(open).then(() => {
      open.shown = true
      this.#judgeReach(open)
    })
  }

  /** Withdraws the ask if all channels were tried, none reaches a person, and no caller wants to wait anyway. */
  #judgeReach(open: OpenAsk): void {
    if (!open.shown || open.reached.size > 0 || !open.givesUp) return
    this.#later(open, { type: 'withdraw', why: 'unreachable', at: this.#now() })
  }

  #decideLater(open: OpenAsk, unanswered: WhenUnanswered): void {
    const { clock } = this.#parts
    const ring = () => {
      this.#decideUnanswered(open, unanswered)
        .then(decided => {
          // The person may go away later, which changes the policy.
          if (!decided) open.decideAfter(LOOK_AGAIN_MS, ring)
        })
        .catch(cause => this.#parts.fault(`deciding ${open.ask.id}`, cause))
    }
    const due = Date.parse(open.ask.createdAt) + unanswered.afterMs
    open.decideAfter(Math.max(0, due - clock.now()), ring)
  }

  /** Answers as the agent recommends, or parks the ask. False: the ask keeps waiting. */
  async #decideUnanswered(open: OpenAsk, { policy, afterMs, park }: WhenUnanswered): Promise<boolean> {
    const way = await policy()
    const { ask } = open
    if (ask.state !== 'open') return true
    if (ask.parkedAt) {
      // The daemon may have ended between the two.
      await park?.(ask)
      return true
    }
    if (way === 'wait') return false
    const replies = way === 'recommended' ? policyReplies(ask) : undefined
    if (replies) {
      await this.answer(ask.id, { option: 'reply', replies, by: BY_POLICY })
      return true
    }
    await open.inOrder(async () => {
      if (open.ask.state !== 'open') return
      const parked = { ...open.ask, parkedAt: this.#now() }
      if (!(await this.#parts.store.update(parked))) return
      open.ask = parked
      await this.#record(parked)
    })
    if (!open.ask.parkedAt || open.ask.state !== 'open') return true
    if (!(await park?.(open.ask))) await this.tell(parkedNotice(open.ask, afterMs))
    return true
  }

  #later(open: OpenAsk, event: AskEvent): void {
    this.#happen(open, event).catch(cause => this.#parts.fault(`settling ${open.ask.id}`, cause))
  }

  #happen(open: OpenAsk, event: AskEvent): Promise<Omit<Step, 'effects'>> {
    return open.inOrder(async () => {
      const { effects, verdict, problem } = step(open.ask, await this.#withRule(open.ask, event))
      let kept = true
      for (const effect of effects) {
        if (effect.do === 'keep') kept = await this.#keep(open, event, effect.ask, effect.allowed)
        else if (effect.do === 'release') open.settle(outcomeOf(open.ask))
        else this.#channels.settle(open)
      }
      return { ask: open.ask, verdict: kept ? verdict : 'closed', ...(problem ? { problem } : {}) }
    })
  }

  /** Adds the rule before the answer counts: a daemon that is killed in between asks again, and adds nothing twice. */
  async #withRule(ask: Ask, event: AskEvent): Promise<AskEvent> {
    const scope = event.type === 'answer' ? SCOPES[event.answer.option] : undefined
    if (event.type !== 'answer' || !scope || step(ask, event).verdict !== 'taken') return event
    const { addRule, fault } = this.#parts
    const remembered = await addRule?.(ask, scope).catch(cause => {
      fault(`adding the rule of ${ask.id}`, cause)
      return { problem: cause instanceof Error ? cause.message : 'see `baton logs --kind fault`' }
    })
    return remembered ? { ...event, answer: { ...event.answer, remembered } } : event
  }

  async #keep(
    open: OpenAsk,
    event: AskEvent,
    ask: Ask,
    allowed: Parameters<AskStore['settle']>[1],
  ): Promise<boolean> {
    const { store, fault } = this.#parts
    let first = true
    try {
      first = await store.settle(ask, allowed)
    } catch (cause) {
      // An answer that cannot be stored does not count. But a timeout or withdrawal must end the wait even if the disk is full.
      if (event.type === 'answer') throw cause
      fault(`storing ${ask.id}`, cause)
    }
    open.ask = (first ? undefined : await store.find(ask.id)) ?? ask
    this.#open.delete(ask.id)
    if (first) await this.#record(ask)
    return first
  }

  async #record(ask: Ask): Promise<void> {
    const entry = askEntry(ask, EntryId.parse(`ent_${this.#parts.ids.id(20)}`))
    await this.#parts.record([entry]).catch(cause => this.#parts.fault(`recording ${ask.id}`, cause))
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString()
  }
}
