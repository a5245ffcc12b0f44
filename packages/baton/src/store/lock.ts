import { BatonError } from '@batonpass/contract/errors'
import Database from 'better-sqlite3'

/**
 * Held for the daemon's whole life. The operating system releases it when the process dies, even after
 * `kill -9`, so there are no stale locks.
 */
export interface DaemonLock {
  release(): void
}

export function takeLock(path: string, waitMs: number): DaemonLock | undefined {
  const database = open(path, waitMs)
  try {
    // Use a rollback journal: in WAL mode an exclusive lock would still admit readers and leave extra files.
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

/** The daemon's first use of SQLite. It fails here on a machine without a prebuilt better-sqlite3. */
function open(path: string, timeout: number): Database.Database {
  try {
    return new Database(path, { timeout })
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && String(cause.code).startsWith('SQLITE_')) throw cause
    const what = `${process.platform}-${process.arch}, Node ${process.version}`
    throw new BatonError('missing_tool', `better-sqlite3 cannot be loaded here (${what})`, {
      remedy:
        'Build it where Baton is installed: npm rebuild better-sqlite3 --build-from-source (needs a C++ compiler and Python).',
      cause,
    })
  }
}
