import { setTimeout as pause } from 'node:timers/promises'

/** A call that waits for a person no longer works, so it does not hold the others up. */
const MAX_HOLD_MS = 1000
/** Enough for calls that arrived meanwhile to be read and answered. */
const REST_MS = 10

/**
 * Runs hook calls with large payloads one after the other. Parsing, redacting and storing 26 MB blocks the event loop for
 * half a second: several of them at once would make every small call wait for all of them.
 */
export class LargeCalls {
  #previous: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#previous.then(work)
    this.#previous = Promise.race([mine.then(nothing, nothing), this.#previous.then(hold)]).then(rest)
    return mine
  }
}

const nothing = () => {}
const hold = () => pause(MAX_HOLD_MS)
const rest = () => pause(REST_MS)
