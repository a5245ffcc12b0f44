import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
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
  /** The tree of the files in the store that this cache describes. */
  readonly filesTree: string
  /** The tree of the staged contents, if the store has it. */
  readonly stagedTree: string | undefined
  /** The commit of the last snapshot. */
  readonly commit: string
  readonly files: ReadonlyMap<BytePath, KnownFile>
  readonly index: string | undefined
  /** Identifies the names in the index. */
  readonly names: string | undefined
  /** Identifies the contents of the index. */
  readonly staged: string | undefined
  readonly state: string
  /** The commits that the last snapshot referred to, and whether the store has them. */
  readonly held: readonly string[]
  readonly isHeld: boolean
  /** An unfinished merge or rebase was part of it. */
  readonly inOperation: boolean
  /**
   * The snapshot, and its step if it was one. `around` identifies what is not in the files or the index. Undefined in a
   * cache of an earlier Baton.
   */
  readonly last:
    | { readonly step?: number | undefined; readonly commit: string; readonly around: string }
    | undefined
}

/**
 * The caches that this process read or wrote last, with the identity of their files: another process may have written
 * since. Without an identity, they are about to be written.
 */
const inMemory = new Map<string, { identity: string | undefined; known: Known }>()

export function readKnown(folder: string): Known | undefined {
  try {
    const remembered = inMemory.get(folder)
    if (remembered && remembered.identity === undefined) return remembered.known
    const identity = identityOf(folder)
    if (remembered?.identity === identity) return remembered.known
    const [version, rest, rows] = JSON.parse(readFileSync(join(folder, NAME), 'utf8'))
    if (version !== VERSION || !Array.isArray(rows)) return undefined
    const files = new Map<BytePath, KnownFile>()
    addRows(files, rows)
    const known = readChanges(folder, { ...rest, files }, files)
    remember(folder, known, identity)
    return known
  } catch {
    return undefined
  }
}

/** Remembers a snapshot at once, and writes it to disk when its command no longer waits. A lost write costs only time. */
export function saveKnown(folder: string, known: Known): void {
  const before = inMemory.get(folder)
  remember(folder, known, undefined)
  const { promise, resolve } = Promise.withResolvers<void>()
  writes.set(folder, promise)
  setImmediate(() => {
    try {
      // A later snapshot has taken its place, and writes itself.
      if (inMemory.get(folder)?.known !== known) return
      if (!writeChanges(folder, before, known)) writeKnown(folder, known)
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
  const text = JSON.stringify([VERSION, rest, Array.from(files, rowOf)])
  const draft = join(folder, `${NAME}.${process.pid}.tmp`)
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, join(folder, NAME))
  rmSync(join(folder, CHANGES), { force: true })
}

/**
 * Appends what changed since the last write, as one line: to write all files takes as long as to look at them. False if
 * the file has to be written as a whole.
 */
function writeChanges(
  folder: string,
  before: { identity: string | undefined; known: Known } | undefined,
  known: Known,
): boolean {
  if (!before?.identity || before.identity !== identityOf(folder)) return false
  const path = join(folder, CHANGES)
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_CHANGED_BYTES) return false
  const { files, ...rest } = known
  const was = before.known.files
  const gone = [...was.keys()].filter(name => !files.has(name))
  const rows = [...files].filter(([name, file]) => was.get(name) !== file).map(rowOf)
  if (gone.length + rows.length > MOST_CHANGES) return false
  const line = JSON.stringify([statSync(join(folder, NAME)).ino, rest, rows, gone])
  appendFileSync(path, `${line}\n`, { mode: 0o600 })
  return true
}

/** A line that was cut off, or that belongs to an earlier file, ends the list. */
function readChanges(folder: string, known: Known, files: Map<BytePath, KnownFile>): Known {
  const path = join(folder, CHANGES)
  const { ino } = statSync(join(folder, NAME))
  let now = known
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []) {
    const [of, rest, rows, gone] = JSON.parse(line)
    if (of !== ino) break
    addRows(files, rows)
    for (const name of gone) files.delete(name)
    now = { ...rest, files }
  }
  return now
}

export function forgetKnown(folder: string): void {
  inMemory.delete(folder)
  for (const name of [NAME, CHANGES]) rmSync(join(folder, name), { force: true })
}

function remember(folder: string, known: Known, identity: string | undefined): void {
  inMemory.delete(folder)
  // A few worktrees at a time.
  const [oldest] = inMemory.size >= MAX_REMEMBERED ? inMemory.keys() : []
  if (oldest !== undefined) inMemory.delete(oldest)
  inMemory.set(folder, { identity, known })
}

function identityOf(folder: string): string {
  const facts = [NAME, CHANGES].map(name => statSync(join(folder, name), { throwIfNoEntry: false }))
  return facts
    .map(found => found && [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(':'))
    .join(' ')
}

type Row = [path: string, content: string, mode: number, young: 0 | 1, ...stamp: Stamp]

const rowOf = ([path, file]: [BytePath, KnownFile]): Row => [
  path,
  file.content,
  file.mode,
  file.young ? 1 : 0,
  ...file.stamp,
]

function addRows(files: Map<BytePath, KnownFile>, rows: readonly Row[]): void {
  for (const [path, content, mode, young, ...stamp] of rows)
    files.set(path as BytePath, {
      content,
      kind: mode === 0 ? 'link' : 'file',
      mode,
      stamp,
      young: young === 1,
    })
}

const MAX_REMEMBERED = 8
const MOST_CHANGES = 500
const MOST_CHANGED_BYTES = 1_000_000
const NAME = 'known.json'
const CHANGES = 'known-changes.jsonl'
const VERSION = 5
