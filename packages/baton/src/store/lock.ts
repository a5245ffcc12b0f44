import Database from 'better-sqlite3'

/**
 * Held for the daemon's whole life. The operating system lets go of it when the process dies, `kill -9`
 * included, so there is no stale lock to recognise and no PID to guess about.
 */
export interface DaemonLock {
  release(): void
}

export function takeLock(path: string, waitMs: number): DaemonLock | undefined {
  const database = new Database(path, { timeout: waitMs })
  try {
    // Rollback journal: in WAL mode an exclusive lock would still let readers in and leave extra files.
    database.pragma('journal_mode = DELETE')
    database.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    if (cause instanceof Error && 'code' in cause && String(cause.code).startsWith('SQLITE_BUSY'))
      return undefined
    throw cause
  }
  return { release: () => database.close() }
}
