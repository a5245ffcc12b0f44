/** The only source of time. Everything that waits or stamps takes one, so that tests can set it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Monotonic milliseconds, for measuring; unrelated to `now`. */
  elapsed(): number
}
