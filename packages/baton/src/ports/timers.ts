/** The only source of waiting: what must happen later is asked of it, so that tests can let time pass. */
export interface Timers {
  /** Runs once after at least so many milliseconds; the returned function calls it off. */
  after(ms: number, run: () => void): () => void
}
