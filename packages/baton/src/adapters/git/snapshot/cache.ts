import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BytePath, SnapshotFile } from '../../../ports/snapshots.ts'

/** A file as it was last hashed. */
export interface KnownFile extends SnapshotFile {
  readonly stamp: Stamp
  /** Changed so shortly before it was read that a later change might not change the stamp. */
  readonly young: boolean
}

/** Identity, size, times and kind. Changes when the file changes, as far as the file system shows. */
export type Stamp = readonly [ino: number, size: number, modifiedMs: number, changedMs: number, mode: number]

/** The contents of the last snapshot, so that the next one reads only what changed. */
export interface Known {
  /** The tree in the store that this cache describes. */
  readonly tree: string
  readonly files: ReadonlyMap<BytePath, KnownFile>
  readonly index: string | undefined
  /** Identifies the contents of the index. */
  readonly staged: string | undefined
  readonly state: string
  /** The commits that the last snapshot referred to, and whether the store has them. */
  readonly held: readonly string[]
  readonly isHeld: boolean
  /** An unfinished merge or rebase was part of it. */
  readonly inOperation: boolean
  /** The newest step, if the snapshot was one. `around` identifies what is not in the files or the index. */
  readonly last: { readonly step: number; readonly commit: string; readonly around: string } | undefined
}

/**
 * The caches that this process read or wrote last, with the identity of their file: another process may have written
 * since. Without an identity, the file is about to be written.
 */
const inMemory = new Map<string, { identity: string | undefined; known: Known }>()

export function readKnown(folder: string): Known | undefined {
  try {
    const remembered = inMemory.get(folder)
    if (remembered && remembered.identity === undefined) return remembered.known
    if (remembered?.identity === identityOf(folder)) return remembered.known
    const [version, rest, rows] = JSON.parse(readFileSync(join(folder, NAME), 'utf8'))
    if (version !== VERSION || !Array.isArray(rows)) return undefined
    const files = new Map<BytePath, KnownFile>()
    for (const [path, content, mode, young, ...stamp] of rows as Row[])
      files.set(path as BytePath, {
        content,
        kind: mode === 0 ? 'link' : 'file',
        mode,
        stamp,
        young: young === 1,
      })
    const known = { ...rest, files }
    remember(folder, known, identityOf(folder))
    return known
  } catch {
    return undefined
  }
}

/** Remembers a snapshot at once, and writes it to disk when its command no longer waits. A lost write costs only time. */
export function saveKnown(folder: string, known: Known): void {
  remember(folder, known, undefined)
  const { promise, resolve } = Promise.withResolvers<void>()
  writes.set(folder, promise)
  setImmediate(() => {
    try {
      // A later snapshot has taken its place, and writes itself.
      if (inMemory.get(folder)?.known !== known) return
      writeKnown(folder, known)
      remember(folder, known, identityOf(folder))
    } catch {
      inMemory.delete(folder)
    } finally {
      if (writes.get(folder) === promise) writes.delete(folder)
      resolve()
    }
  })
}

/** The write that `saveKnown` has still to do. Keep the lock until then: another process would not see the last snapshot. */
export const pendingWrite = (folder: string): Promise<void> | undefined => writes.get(folder)

const writes = new Map<string, Promise<void>>()

function writeKnown(folder: string, known: Known): void {
  const { files, ...rest } = known
  const rows = Array.from(
    files,
    ([path, file]): Row => [path, file.content, file.mode, file.young ? 1 : 0, ...file.stamp],
  )
  const text = JSON.stringify([VERSION, rest, rows])
  const draft = join(folder, `${NAME}.${process.pid}.tmp`)
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, join(folder, NAME))
}

export function forgetKnown(folder: string): void {
  inMemory.delete(folder)
  rmSync(join(folder, NAME), { force: true })
}

function remember(folder: string, known: Known, identity: string | undefined): void {
  inMemory.delete(folder)
  // A few worktrees at a time.
  const [oldest] = inMemory.size >= MAX_REMEMBERED ? inMemory.keys() : []
  if (oldest !== undefined) inMemory.delete(oldest)
  inMemory.set(folder, { identity, known })
}

function identityOf(folder: string): string {
  const { ino, size, mtimeMs, ctimeMs } = statSync(join(folder, NAME))
  return [ino, size, mtimeMs, ctimeMs].join(':')
}

const MAX_REMEMBERED = 8

type Row = [path: string, content: string, mode: number, young: 0 | 1, ...stamp: Stamp]
const NAME = 'known.json'
const VERSION = 3
