import type { SessionId, SpawnId } from '@batonpass/contract/ids'
import type { HealthCheck, Spawn, SpawnStatus, WatchedSession } from '@batonpass/contract/watch'

/** Sessions under watch, what Baton started, and what was found wrong: durable, and copied to a fleet's database. */
export interface WatchStore {
  putSession(row: WatchedSession): void
  session(id: SessionId): WatchedSession | undefined
  sessions(): WatchedSession[]
  putSpawn(spawn: Spawn): void
  spawn(id: SpawnId): Spawn | undefined
  /** Oldest first. */
  spawns(query?: { status?: readonly SpawnStatus[]; kinds?: readonly Spawn['kind'][] }): Spawn[]
  addCheck(check: HealthCheck): void
  /** Newest first. */
  checks(query?: { session?: SessionId; limit?: number }): HealthCheck[]
  /** The last finding of each kind for each session: what holds now. */
  currentChecks(): HealthCheck[]
  /** Removes checks and ended spawns that are older. */
  prune(before: string): void
}

/** Rows of these tables that changed, for a copy. */
export interface WatchRows {
  ps_sessions: readonly (WatchedSession & { changed: number })[]
  active_spawns: readonly (Spawn & { changed: number })[]
  health_checks: readonly (HealthCheck & { changed: number })[]
}
