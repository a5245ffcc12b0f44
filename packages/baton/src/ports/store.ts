import type { SessionId } from '@batonpass/contract/ids'
import type { Entry, EntryQuery, NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'

/**
 * The journal and the sessions derived from it. Once its promise resolves, a write survives `kill -9`.
 */
export interface Store {
  readonly kind: 'sqlite' | 'postgres'
  /** Appends all entries or none, in order, together with the sessions they changed. */
  record(entries: readonly NewEntry[], sessions?: readonly Session[]): Promise<Entry[]>
  entries(query: Partial<EntryQuery>): Promise<Entry[]>
  /** The event entry of a hook call that was already recorded. */
  byRequest(request: string): Promise<Entry | undefined>
  /** Newest activity first. */
  sessions(query?: { live?: boolean; limit?: number }): Promise<Session[]>
  /** By our id, by the agent's own id, or by an unambiguous start of either. */
  findSession(idOrPrefix: string): Promise<Session | undefined>
  /** Removes a session's entries. The caller then writes one `forgotten` entry. */
  forget(session: SessionId): Promise<number>
  /** Deletes the oldest entries until the journal is within both limits. */
  prune(limits: { olderThan?: string; maxBytes?: number }): Promise<{ removed: number; bytes: number }>
  stats(): Promise<{ entries: number; bytes: number; lastSeq: number; liveSessions: number }>
  close(): Promise<void>
}
