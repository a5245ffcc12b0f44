import type { HealthCheck, Spawn, WatchedSession } from '@batonpass/contract/watch'
import type { Generated } from 'kysely'

/** One journal entry: columns for queries, and the body as JSON, compressed if it is large. */
export interface EntryRow {
  seq: number
  id: string
  at: string
  kind: string
  /** The event's type, for an entry of kind `event`. */
  type: string | null
  agent: string | null
  session: string | null
  native_session: string | null
  prompt_id: string | null
  tool_use_id: string | null
  project: string | null
  request: string | null
  /** Size of `body` as stored. */
  bytes: number
  body: string | Uint8Array
}

/** The newest state of a session as JSON, with columns for queries. */
export interface SessionRow {
  id: string
  native_session: string
  started_at: string
  last_seen_at: string
  ended_at: string | null
  /** The journal's change number at the last write. A copy reads the rows that changed since its position. */
  changed: number
  data: string
}

/** A forgotten session, stored so that a copy of the journal forgets it, too. */
export interface ForgottenRow {
  changed: number
  session: string
  /** Entries up to this number are deleted. If the session continues, its later entries stay. */
  up_to: number
}

/** The counters of one machine's journal. SQLite has one such row, PostgreSQL one for each machine. */
export interface OriginRow {
  origin: string
  last_seq: number
  changed: number
  entries: number
  bytes: number
}

/** `origin` exists only in PostgreSQL, where several machines share the tables. */
type Shared<Row> = Row & { origin: Generated<string> }

/** Rows with a change number for the copy. */
type Watched<Row> = Shared<Row & { changed: number }>

/** `details` is JSON text in SQLite and JSON in PostgreSQL. */
type CheckRow = Omit<HealthCheck, 'details'> & { details: string }

export interface Tables {
  entries: Shared<EntryRow>
  sessions: Shared<SessionRow>
  forgotten: ForgottenRow
  origins: OriginTable
  leases: LeaseTable
  ps_sessions: Watched<WatchedSession>
  active_spawns: Watched<Spawn>
  health_checks: Watched<CheckRow>
  fleet_statements: { seq: Generated<number>; fleet: string; text: string; signature: string }
  fleet_asks: FleetAskTable
}

/** Asks that other machines may answer; only in PostgreSQL. */
interface FleetAskTable {
  /** The public key of the machine that asks. */
  machine: string
  ask: string
  fleet: string
  text: string
  signature: string
  is_open: boolean
  changed: Date
}

/** The holders of issues; only in PostgreSQL. Times come from the server. */
interface LeaseTable {
  repository: string
  issue: number
  token: number
  claim: string | null
  agent: string
  host: string
  details: string | null
  taken_at: Date
  until: Date
}

interface OriginTable {
  origin: string
  last_seq: Generated<number>
  changed: Generated<number>
  entries: Generated<number>
  bytes: Generated<number>
  copied_at: Generated<Date | null>
}
