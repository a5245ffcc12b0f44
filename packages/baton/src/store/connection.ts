import { chmodSync, closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'

export type Connection = Database.Database

export interface ConnectionOptions {
  /** How long a write waits for a write of another process. */
  busyTimeoutMs?: number
  /** The maximum file size in pages of 4 KB. Beyond it, writes fail as on a full disk. */
  maxPages?: number
}

/** Opens the file with access for its owner only, and with settings that make a write survive `kill -9`. */
export function connect(path: string, options: ConnectionOptions = {}): Connection {
  if (path !== ':memory:') makePrivate(path)
  const connection = new Database(path)
  try {
    // While opening, the caller waits without blocking the thread.
    connection.pragma('busy_timeout = 0')
    // Must come before the first table is created; later it has no effect.
    connection.pragma('auto_vacuum = INCREMENTAL')
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = NORMAL')
    connection.pragma('foreign_keys = ON')
    // Overwrites deleted data, so that a forgotten session leaves nothing in free pages.
    connection.pragma('secure_delete = ON')
    // With automatic checkpoints, a write would sometimes wait for the disk. `startCheckpoints` does them instead.
    connection.pragma('wal_autocheckpoint = 0')
    connection.pragma('cache_size = -2000')
    if (options.maxPages !== undefined) {
      connection.pragma(`max_page_count = ${Math.trunc(options.maxPages)}`)
    }
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** From now on, a write waits for a concurrent write of another process. */
export function waitForOthers(connection: Connection, { busyTimeoutMs = 5000 }: ConnectionOptions): void {
  connection.pragma(`busy_timeout = ${Math.trunc(busyTimeoutMs)}`)
}

function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // SQLite creates its -wal and -shm files with the mode of the main file.
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600))
  chmodSync(path, 0o600)
}

/** Bytes in use, without free pages, which the next writes fill. */
export function usedBytes(connection: Connection): number {
  const pages = Number(connection.pragma('page_count', { simple: true }))
  return (pages - freePages(connection)) * Number(connection.pragma('page_size', { simple: true }))
}

export function freePages(connection: Connection): number {
  return Number(connection.pragma('freelist_count', { simple: true }))
}
