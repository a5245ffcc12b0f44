import type { Cycle } from '@batonpass/contract/cycle'

/** Stores cycles. Once its promise resolves, a write survives `kill -9`. */
export interface CycleStore {
  /** Stores the next version of a cycle. False: another caller changed it first, and nothing is written. */
  put(cycle: Cycle): Promise<boolean>
  /** Cycles that have not ended, oldest first. */
  open(): Promise<Cycle[]>
  /** Newest first, including ended cycles. */
  recent(limit: number): Promise<Cycle[]>
  /** Removes the cycles of a session, or ended cycles older than that time. */
  forget(which: { before: string } | { session: string }): Promise<number>
}
