import type { SessionId } from '@batonpass/contract/ids'
import type { Entry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { WatchRows } from './watch-store.ts'

/** How far a copy has come: the last entry's number and the last change's number. */
export interface CopyPosition {
  seq: number
  changed: number
}

/** What happened in a journal after a position, in the order it must be applied. */
export interface CopyBatch {
  entries: readonly Entry[]
  sessions: readonly { session: Session; changed: number }[]
  /** Sessions that were forgotten: their entries up to `upTo` go from the copy too. */
  forgotten: readonly { session: SessionId; upTo: number; changed: number }[]
  /** Sessions under watch and their health. */
  watch?: WatchRows
  /** Where the copy stands once this is applied. */
  position: CopyPosition
  /** Nothing was left behind by the limits. */
  complete: boolean
}

/** A journal that can be copied: the local one. */
export interface CopySource {
  /** A random name for this machine's journal, made with it. */
  origin(): Promise<string>
  /** At most `entries` entries of about `bytes` together, so that a batch never fills memory. */
  changesAfter(position: CopyPosition, limits: { entries: number; bytes: number }): Promise<CopyBatch>
  /** False when the copy holds another history under this name: a machine was cloned, or an old backup restored. */
  continues(position: CopyPosition & { last?: Entry['id'] }): Promise<boolean>
  /** Gives the journal a new name; the copy then starts from the beginning. */
  renameOrigin(): Promise<string>
}

/** Where several machines' journals are copied to. */
export interface CopyTarget {
  /** How far this origin's copy has come; the target is the only one to remember it. */
  position(origin: string): Promise<CopyPosition & { last?: Entry['id'] }>
  /** Applies a batch and moves the position, both or neither. Applying it again changes nothing. */
  apply(origin: string, batch: CopyBatch): Promise<void>
}

/** A store that can be copied, and a store that takes copies. */
export interface Copied {
  readonly copy: CopySource
}
export interface Copies {
  readonly copies: CopyTarget
  close(): Promise<void>
}
