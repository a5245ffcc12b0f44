/** The only source of delays, so that tests can control the passage of time. */
export interface Timers {
  /** Calls `run` once after at least `ms` milliseconds. The returned function cancels it. */
  after(ms: number, run: () => void): () => void
}
