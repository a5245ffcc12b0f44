import { chmodSync, closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'

export type Connection = Database.Database

export interface ConnectionOptions {
  /** How long a write waits for another process's write. */
  busyTimeoutMs?: number
  /** The file does not grow beyond this many pages of 4 KB: writing then fails as on a full disk. */
  maxPages?: number
}

/** Opens the file for its owner alone, with the settings that make a write survive `kill -9`. */
export function connect(path: string, options: ConnectionOptions = {}): Connection {
  if (path !== ':memory:') makePrivate(path)
  const connection = new Database(path)
  try {
    // While opening, the caller waits without blocking the thread.
    connection.pragma('busy_timeout = 0')
    // Before the first table, or it has no effect.
    connection.pragma('auto_vacuum = INCREMENTAL')
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = NORMAL')
    connection.pragma('foreign_keys = ON')
    // What is deleted is overwritten: a forgotten session leaves nothing in free pages.
    connection.pragma('secure_delete = ON')
    // A write would wait for the disk now and then: `startCheckpoints` does it instead.
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

/** From now on a write that meets another process's write waits for it. */
export function waitForOthers(connection: Connection, { busyTimeoutMs = 5000 }: ConnectionOptions): void {
  connection.pragma(`busy_timeout = ${Math.trunc(busyTimeoutMs)}`)
}

function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // SQLite gives its -wal and -shm files the mode of the main one.
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600))
  chmodSync(path, 0o600)
}

/** Bytes in use: free pages do not count, they are written next. */
export function usedBytes(connection: Connection): number {
  const pages = Number(connection.pragma('page_count', { simple: true }))
  return (pages - freePages(connection)) * Number(connection.pragma('page_size', { simple: true }))
}

export function freePages(connection: Connection): number {
  return Number(connection.pragma('freelist_count', { simple: true }))
}
