import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
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
  /** The tree that this cache describes. If git has another tree, the cache is void. */
  readonly tree: string
  readonly files: ReadonlyMap<BytePath, KnownFile>
  readonly index: string | undefined
  /** Identifies the contents of the index. */
  readonly staged: string | undefined
  readonly state: string
}

export function readKnown(folder: string): Known | undefined {
  try {
    const [version, tree, index, staged, state, rows] = JSON.parse(readFileSync(join(folder, NAME), 'utf8'))
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
    return { tree, files, index: index ?? undefined, staged: staged ?? undefined, state }
  } catch {
    return undefined
  }
}

export function writeKnown(folder: string, known: Known): void {
  const rows = Array.from(
    known.files,
    ([path, file]): Row => [path, file.content, file.mode, file.young ? 1 : 0, ...file.stamp],
  )
  const { tree, index, staged, state } = known
  const text = JSON.stringify([VERSION, tree, index ?? null, staged ?? null, state, rows])
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `${NAME}.${process.pid}.tmp`)
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, join(folder, NAME))
}

type Row = [path: string, content: string, mode: number, young: 0 | 1, ...stamp: Stamp]
const NAME = 'known.json'
const VERSION = 2
