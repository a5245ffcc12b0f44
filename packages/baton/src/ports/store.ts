import type { SessionId } from '@batonpass/contract/ids'
import type { Entry, EntryQuery, NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'

/**
 * The durable state that is not a file a person edits: the journal and what is derived from it.
 * A write has survived `kill -9` when its promise resolves.
 */
export interface Store {
  readonly kind: 'sqlite' | 'postgres'
  /** Appends all or none, in order, together with the sessions they changed. */
  record(entries: readonly NewEntry[], sessions?: readonly Session[]): Promise<Entry[]>
  entries(query: Partial<EntryQuery>): Promise<Entry[]>
  /** The event entry of a hook call that was already recorded. */
  byRequest(request: string): Promise<Entry | undefined>
  /** Newest activity first. */
  sessions(query?: { live?: boolean; limit?: number }): Promise<Session[]>
  /** By our id, by the agent's own id, or by an unambiguous start of either. */
  findSession(idOrPrefix: string): Promise<Session | undefined>
  /** Removes what a session left in the journal; what remains is one `forgotten` entry, written by the caller. */
  forget(session: SessionId): Promise<number>
  /** Drops the oldest entries until both limits hold. */
  prune(limits: { olderThan?: string; maxBytes?: number }): Promise<{ removed: number; bytes: number }>
  stats(): Promise<{ entries: number; bytes: number; lastSeq: number }>
  close(): Promise<void>
}
