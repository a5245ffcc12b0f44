import { BatonError } from '@batonpass/contract/errors'
import type { Clock } from '../ports/clock.ts'

export interface RefresherOptions {
  /** Reads what changed in a worktree since its last snapshot. */
  refresh(worktree: string): Promise<void>
  clock: Pick<Clock, 'elapsed'>
  fault(cause: unknown): void
  /** How long nothing has to happen in a worktree first. */
  delayMs?: number
}

/**
 * Brings the last snapshot of a worktree up to date while its agent thinks, so that the next command waits only for the
 * check that nothing has changed since. Never a promise: each snapshot checks for itself. One worktree at a time, and not
 * while commands follow each other. Where no snapshot is possible, it rests until a command has taken one.
 */
export class SnapshotRefresher {
  readonly #options: RefresherOptions
  readonly #due = new Map<string, NodeJS.Timeout>()
  readonly #waiting = new Set<string>()
  /** No refresh before: a large worktree must not keep the machine busy. */
  readonly #restUntil = new Map<string, number>()
  #queue: Promise<void> = Promise.resolve()

  constructor(options: RefresherOptions) {
    this.#options = options
  }

  /** Something may have changed there. */
  request(worktree: string): void {
    this.cancel(worktree)
    const rest = this.#restMs(worktree)
    if (rest === Number.POSITIVE_INFINITY) return
    const delay = Math.min(Math.max(this.#options.delayMs ?? DELAY_MS, rest), MOST_TIMER_MS)
    const timer = setTimeout(() => this.#begin(worktree), delay)
    // The daemon may end without it.
    timer.unref()
    this.#due.set(worktree, timer)
  }

  /** A command takes a snapshot itself now. A refresh that is under way continues: the command uses what it has read. */
  cancel(worktree: string): void {
    clearTimeout(this.#due.get(worktree))
    this.#due.delete(worktree)
    this.#waiting.delete(worktree)
  }

  /** A command has taken a snapshot, so refreshes are possible again. */
  taken(worktree: string): void {
    if (this.#restMs(worktree) === Number.POSITIVE_INFINITY) this.#restUntil.delete(worktree)
  }

  #restMs(worktree: string): number {
    return (this.#restUntil.get(worktree) ?? 0) - this.#options.clock.elapsed()
  }

  #begin(worktree: string): void {
    this.#due.delete(worktree)
    if (this.#waiting.has(worktree)) return
    this.#waiting.add(worktree)
    this.#queue = this.#queue.then(() => (this.#waiting.delete(worktree) ? this.#run(worktree) : undefined))
  }

  async #run(worktree: string): Promise<void> {
    const { refresh, clock, fault } = this.#options
    // It was requested while an earlier refresh was under way.
    if (this.#restMs(worktree) > 0) return this.request(worktree)
    const began = clock.elapsed()
    let isPossible = true
    try {
      await refresh(worktree)
    } catch (cause) {
      isPossible = !(cause instanceof BatonError && cause.code === 'undo_unavailable')
      fault(cause)
    }
    const ended = clock.elapsed()
    this.#restUntil.delete(worktree)
    const [oldest] = this.#restUntil.size >= MOST_WORKTREES ? this.#restUntil.keys() : []
    if (oldest !== undefined) this.#restUntil.delete(oldest)
    const until = isPossible ? ended + REST_FACTOR * (ended - began) : Number.POSITIVE_INFINITY
    this.#restUntil.set(worktree, until)
  }
}

/** By then a file that was just written shows every later change in its times, so it need not be read again. */
const DELAY_MS = 150
/** At most a tenth of the time is spent on one worktree. */
const REST_FACTOR = 10
/** A longer timer of Node fires at once. */
const MOST_TIMER_MS = 2 ** 31 - 1
const MOST_WORKTREES = 100
