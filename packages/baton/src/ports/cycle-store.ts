import type { Cycle } from '@batonpass/contract/cycle'

/** Where cycles are kept. A write has survived `kill -9` when its promise resolves. */
export interface CycleStore {
  /** Keeps a cycle that is one version further than the one kept. False: somebody else changed it first, and nothing is written. */
  put(cycle: Cycle): Promise<boolean>
  /** Those that have not ended, oldest first. */
  open(): Promise<Cycle[]>
  /** Newest first, ended ones too. */
  recent(limit: number): Promise<Cycle[]>
  /** Removes what a session left, or ended ones from before that time. */
  forget(which: { before: string } | { session: string }): Promise<number>
}
