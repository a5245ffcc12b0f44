import { awaitAnswer } from './ask-to-close.ts'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'

type Settle = (record: ClaimRecord, answer: Awaited<ReturnType<typeof awaitAnswer>>) => Promise<void>

/** Asks people whether issues may be closed: at most one open question for each claim. */
export class CloseQuestions {
  readonly #ports: ClaimPorts
  readonly #settle: Settle
  readonly #open = new Map<string, AbortController>()
  readonly #stop = new AbortController()

  constructor(ports: ClaimPorts, settle: Settle) {
    this.#ports = ports
    this.#settle = settle
  }

  ask(record: ClaimRecord): void {
    if (this.#open.has(record.id) || this.#stop.signal.aborted) return
    const mine = new AbortController()
    this.#open.set(record.id, mine)
    const signal = AbortSignal.any([mine.signal, this.#stop.signal])
    void awaitAnswer(this.#ports, record, signal)
      .then(async answer => {
        this.#open.delete(record.id)
        // If the daemon is stopping or the claim has ended meanwhile, the answer does not count.
        if (!signal.aborted) await this.#settle(record, answer)
      })
      .catch(cause => {
        this.#open.delete(record.id)
        this.#ports.fault('asking whether to close an issue', cause)
      })
  }

  /** Withdraws the open question of a claim, if there is one. */
  withdraw(claim: string): void {
    this.#open.get(claim)?.abort()
  }

  stop(): void {
    this.#stop.abort()
  }
}
