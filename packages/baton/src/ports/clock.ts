/** The only source of time, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Monotonic milliseconds for measuring durations; unrelated to `now`. */
  elapsed(): number
}
