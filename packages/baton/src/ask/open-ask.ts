import type { Ask } from '@batonpass/contract/ask'
import type { Timers } from '../ports/timers.ts'
import { type AskOutcome, outcomeOf } from './ask-outcome.ts'

type Unreached = 'give-up' | 'wait'

interface Waiter {
  unreached: Unreached
  resolve(outcome: AskOutcome): void
}

/** An unsettled ask: its waiting callers, the channels that show it, and its timers. */
export class OpenAsk {
  ask: Ask
  /** Names of the channels on which a person can see the ask. */
  readonly reached = new Set<string>()
  readonly showing = new Map<string, Promise<void>>()
  /** Every channel has been tried. */
  shown = false
  readonly #waiters = new Set<Waiter>()
  readonly #settled = new AbortController()
  readonly #timers: Timers
  readonly #rules: { graceMs: number; left(): void }
  #asleep = false
  #stopGrace = () => {}
  #stopClock = () => {}
  #stopPolicy = () => {}
  #tail: Promise<unknown> = Promise.resolve()

  constructor(ask: Ask, timers: Timers, rules: { graceMs: number; left(): void }) {
    this.ask = ask
    this.#timers = timers
    this.#rules = rules
  }

  get settled(): AbortSignal {
    return this.#settled.signal
  }

  /** Whether callers wait, and all of them give up if no person can be reached. */
  get givesUp(): boolean {
    return this.#waiters.size > 0 && [...this.#waiters].every(waiter => waiter.unreached === 'give-up')
  }

  /** Resolves with the outcome, or with `withdrawn` if the caller leaves. The ask itself stays open for the grace period. */
  wait(signal: AbortSignal, unreached: Unreached): Promise<AskOutcome> {
    if (this.ask.state !== 'open') return Promise.resolve(outcomeOf(this.ask))
    const gone = (): AskOutcome => ({ result: 'withdrawn', ask: this.ask })
    this.#stopGrace()
    if (signal.aborted) {
      this.#leave()
      return Promise.resolve(gone())
    }
    return new Promise(resolve => {
      const onAbort = () => {
        this.#waiters.delete(waiter)
        resolve(gone())
        this.#leave()
      }
      const waiter: Waiter = {
        unreached,
        resolve: outcome => {
          signal.removeEventListener('abort', onAbort)
          resolve(outcome)
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiters.add(waiter)
    })
  }

  /** Withdraws the ask after this time unless a caller waits again before. */
  leaveAfter(ms: number): void {
    this.#stopGrace()
    if (!this.#asleep) this.#stopGrace = this.#timers.after(ms, this.#rules.left)
  }

  timeOutAfter(ms: number, ring: () => void): void {
    this.#stopClock()
    this.#stopClock = this.#timers.after(ms, ring)
  }

  /** Calls `ring` when no one has answered for this time. */
  decideAfter(ms: number, ring: () => void): void {
    this.#stopPolicy()
    if (!this.#asleep) this.#stopPolicy = this.#timers.after(ms, ring)
  }

  /** Stops all timers. */
  sleep(): void {
    this.#asleep = true
    this.#stopGrace()
    this.#stopClock()
    this.#stopPolicy()
  }

  settle(outcome: AskOutcome): void {
    this.sleep()
    this.#settled.abort()
    for (const waiter of this.#waiters) waiter.resolve(outcome)
    this.#waiters.clear()
  }

  /** Runs changes one at a time, so that two concurrent answers are handled in order. */
  inOrder<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#tail.then(work)
    this.#tail = mine.catch(() => {})
    return mine
  }

  async idle(): Promise<void> {
    await this.#tail
  }

  #leave(): void {
    if (this.#waiters.size === 0 && !this.#settled.signal.aborted) this.leaveAfter(this.#rules.graceMs)
  }
}
