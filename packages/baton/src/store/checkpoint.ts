import { fsync as fsyncThen, openSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import type { Connection } from './connection.ts'

const fsync = promisify(fsyncThen)

/** How often the write-ahead file is copied into the database, if there is anything in it. */
const EVERY_MS = 1000
/** 64 MB. A longer write-ahead file is emptied even if this thread has to wait for the disk. */
const MAX_WAL_PAGES = 16_384

export interface Checkpoints {
  /** Empties the write-ahead file: what was deleted is in neither file afterwards. */
  now(): Promise<void>
  /** Copies what is in the write-ahead file. If it cannot, a later checkpoint does. */
  soon(): Promise<void>
  stop(): void
}

/**
 * Copies the write-ahead file into the database, without waiting for the disk on the thread that answers hooks.
 *
 * SQLite calls fsync on the write-ahead file before it copies, on the database afterwards, and on the write-ahead file
 * again when it reuses it. Here Node's thread pool does the first two, and the third is not needed: the file is truncated
 * and never reused. So `synchronous` is OFF, except where SQLite itself might have to sync.
 *
 * The order is SQLite's own, and a power cut at any moment leaves a sound database: a page is copied after its frame is on
 * the disk, and a frame is dropped after its page is. Meanwhile a second connection reads: it keeps newer frames from being
 * copied, and the file from being reused.
 */
export function startCheckpoints(connection: Connection, path: string): Checkpoints {
  if (path === ':memory:') return { async now() {}, soon: () => turn(), stop() {} }
  const log = `${path}-wal`
  let running: Promise<void> | undefined
  let reader: Connection | undefined
  let database: number | undefined
  connection.pragma('synchronous = OFF')
  const timer = setInterval(() => {
    if (sizeOf(log) > 0) void start()
  }, EVERY_MS).unref()

  function start(): Promise<void> {
    running ??= checkpoint()
      // The next write fails in the same way and reports it.
      .catch(() => {})
      .finally(() => {
        running = undefined
      })
    return running
  }

  async function checkpoint(): Promise<void> {
    reader ??= new Database(path, { readonly: true })
    if (!reader.inTransaction) {
      reader.exec('BEGIN')
      reader.prepare('select 1 from sqlite_schema').get()
    }
    await syncFile(log)
    if (!connection.open) return
    const copied = copy('PASSIVE')
    const size = sizeOf(log)
    // Never closed: closing any descriptor of the database drops the locks that SQLite holds in this process.
    database ??= openSync(path, 'r')
    // If this fails, the reader's transaction stays open: the frames are still needed, and the next checkpoint tries again.
    await fsync(database)
    if (!connection.open) return
    reader.exec('COMMIT')
    // New frames made the file longer in the meantime; the next checkpoint copies them.
    const isAll = copied.checkpointed === copied.log && sizeOf(log) === size
    if (isAll || copied.log > MAX_WAL_PAGES) truncate()
  }

  /** Waits for the disk only if some frames are not copied yet. */
  function truncate(): void {
    connection.pragma('synchronous = NORMAL')
    // If another process reads, the file is not truncated but reused: then SQLite must sync.
    if (copy('TRUNCATE').busy === 0) connection.pragma('synchronous = OFF')
  }

  function copy(mode: 'PASSIVE' | 'TRUNCATE'): { busy: number; log: number; checkpointed: number } {
    const [result] = connection.pragma(`wal_checkpoint(${mode})`) as ReturnType<typeof copy>[]
    return result ?? { busy: 1, log: 0, checkpointed: 0 }
  }

  return {
    async now() {
      // A running checkpoint may have started before the last write.
      await running
      await start()
      if (connection.open) truncate()
    },
    soon: start,
    stop() {
      clearInterval(timer)
      reader?.close()
      // The last connection that closes copies everything and removes the write-ahead file.
      if (connection.open) connection.pragma('synchronous = NORMAL')
    },
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
