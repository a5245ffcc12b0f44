import type { SessionId, SpawnId } from '@batonpass/contract/ids'
import type { HealthCheck, Spawn, SpawnStatus, WatchedSession } from '@batonpass/contract/watch'

/** Watched sessions, spawns and health checks. Durable, and copied to a shared database. */
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
  /** The latest check of each kind for each session. */
  currentChecks(): HealthCheck[]
  /** Removes older checks and ended spawns. */
  prune(before: string): void
}

/** Changed rows of these tables, for a copy. */
export interface WatchRows {
  ps_sessions: readonly (WatchedSession & { changed: number })[]
  active_spawns: readonly (Spawn & { changed: number })[]
  health_checks: readonly (HealthCheck & { changed: number })[]
}
