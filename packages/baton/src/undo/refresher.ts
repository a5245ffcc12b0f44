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
 * check that nothing has changed since. Never a promise: whoever needs a snapshot checks for itself. One worktree at a
 * time, and not while commands follow each other.
 */
export class SnapshotRefresher {
  readonly #options: RefresherOptions
  readonly #due = new Map<string, NodeJS.Timeout>()
  readonly #waiting = new Set<string>()
  /** How long the last refresh took: a large worktree must not keep the machine busy. */
  readonly #tookMs = new Map<string, number>()
  #queue: Promise<void> = Promise.resolve()

  constructor(options: RefresherOptions) {
    this.#options = options
  }

  /** Something may have changed there. */
  request(worktree: string): void {
    this.cancel(worktree)
    const delay = this.#options.delayMs ?? DELAY_MS
    const rest = Math.min(REST_FACTOR * (this.#tookMs.get(worktree) ?? 0), MOST_REST_MS)
    const timer = setTimeout(() => this.#begin(worktree), Math.max(delay, rest))
    // The daemon may end without it.
    timer.unref()
    this.#due.set(worktree, timer)
  }

  /** A command takes a snapshot itself now. A refresh that is under way goes on: the command uses what it has read. */
  cancel(worktree: string): void {
    clearTimeout(this.#due.get(worktree))
    this.#due.delete(worktree)
    this.#waiting.delete(worktree)
  }

  #begin(worktree: string): void {
    this.#due.delete(worktree)
    if (this.#waiting.has(worktree)) return
    this.#waiting.add(worktree)
    this.#queue = this.#queue.then(() => (this.#waiting.delete(worktree) ? this.#run(worktree) : undefined))
  }

  async #run(worktree: string): Promise<void> {
    const { refresh, clock, fault } = this.#options
    const began = clock.elapsed()
    try {
      await refresh(worktree)
    } catch (cause) {
      fault(cause)
    }
    this.#tookMs.delete(worktree)
    const [oldest] = this.#tookMs.size >= MOST_WORKTREES ? this.#tookMs.keys() : []
    if (oldest !== undefined) this.#tookMs.delete(oldest)
    this.#tookMs.set(worktree, clock.elapsed() - began)
  }
}

/** By then a file that was just written shows every later change in its times, so it need not be read again. */
const DELAY_MS = 150
/** At most a tenth of the time is spent on it. */
const REST_FACTOR = 10
const MOST_REST_MS = 10_000
const MOST_WORKTREES = 100
