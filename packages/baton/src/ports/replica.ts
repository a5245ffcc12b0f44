import type { SessionId } from '@batonpass/contract/ids'
import type { Entry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { WatchRows } from './watch-store.ts'

/** How much has been copied: the number of the last entry and of the last change. */
export interface CopyPosition {
  seq: number
  changed: number
}

/** The changes of a journal after a position, in the order in which they must be applied. */
export interface CopyBatch {
  entries: readonly Entry[]
  sessions: readonly { session: Session; changed: number }[]
  /** Forgotten sessions. The copy must delete their entries up to `upTo`, too. */
  forgotten: readonly { session: SessionId; upTo: number; changed: number }[]
  /** Watched sessions and their health. */
  watch?: WatchRows
  /** The copy's position after this batch. */
  position: CopyPosition
  /** The limits did not cut the batch short. */
  complete: boolean
}

/** The local journal, which can be copied. */
export interface CopySource {
  /** A random name for this machine's journal, created together with it. */
  origin(): Promise<string>
  /** At most `entries` entries of about `bytes` in total, so that a batch never fills the memory. */
  changesAfter(position: CopyPosition, limits: { entries: number; bytes: number }): Promise<CopyBatch>
  /** False if the copy has a different history under this name, after a machine was cloned or a backup restored. */
  continues(position: CopyPosition & { last?: Entry['id'] }): Promise<boolean>
  /** Gives the journal a new name, so that the copy starts from the beginning. */
  renameOrigin(): Promise<string>
}

/** The shared journal that receives copies from several machines. */
export interface CopyTarget {
  /** The position of this origin's copy. Only the target stores it. */
  position(origin: string): Promise<CopyPosition & { last?: Entry['id'] }>
  /** Atomically applies a batch and moves the position. Applying it again has no effect. */
  apply(origin: string, batch: CopyBatch): Promise<void>
}

/** A store that can be copied, and a store that receives copies. */
export interface Copied {
  readonly copy: CopySource
}
export interface Copies {
  readonly copies: CopyTarget
  close(): Promise<void>
}
