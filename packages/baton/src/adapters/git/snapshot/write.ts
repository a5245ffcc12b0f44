import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { BytePath, Capture, ChangeReport, FileChange, SnapshotFile } from '../../../ports/snapshots.ts'
import type { Contents } from './contents.ts'
import { isPlain, onDisk, parentOf } from './paths.ts'
import type { Place } from './place.ts'
import { stampOf } from './scan.ts'

/**
 * Changes files of the worktree. It removes only what was captured before and is still unchanged, so nothing is lost.
 * Each file appears whole. Does not run the repository's filters.
 */
export async function changeFiles(
  place: Place,
  changes: readonly FileChange[],
  held: Capture,
  contents: Contents,
): Promise<ChangeReport> {
  const done: BytePath[] = []
  const failed: { path: BytePath; why: string }[] = []
  const writer = new Writer(place, held)
  for (const [i, change] of changes.entries()) {
    if (i % 64 === 63) await turn()
    try {
      if (!isPlain(change.path)) throw new Error('its name is not one of a file of the worktree')
      if (!change.to) {
        if (!writer.remove(change.path)) continue
      } else if (change.modeOnly) writer.setMode(change.path, change.to.mode)
      else writer.write(change.path, change.to, await contents.read(change.to.content))
      done.push(change.path)
    } catch (error) {
      failed.push({ path: change.path, why: error instanceof Error ? error.message : String(error) })
    }
  }
  return { done, failed }
}

class Writer {
  readonly #root: string
  readonly #gitDir: string
  readonly #held: Capture

  constructor(place: Place, held: Capture) {
    this.#root = place.root
    this.#gitDir = place.gitDir
    this.#held = held
  }

  /** False if there was nothing to remove. */
  remove(path: BytePath): boolean {
    if (!this.#hasRealParents(path)) return false
    const where = onDisk(this.#root, path)
    const found = lstatSync(where, { throwIfNoEntry: false })
    // If a folder has replaced the file, its files are listed separately.
    if (!found || found.isDirectory()) return false
    this.#mustBeHeld(path)
    unlinkSync(where)
    for (let folder = parentOf(path); folder !== undefined; folder = parentOf(folder)) {
      try {
        rmdirSync(onDisk(this.#root, folder))
      } catch {
        break
      }
    }
    return true
  }

  setMode(path: BytePath, mode: number): void {
    if (!this.#hasRealParents(path)) throw new Error('a link is in its way')
    this.#mustBeHeld(path)
    chmodSync(onDisk(this.#root, path), mode)
  }

  write(path: BytePath, file: SnapshotFile, bytes: Buffer): void {
    this.#makeFolder(parentOf(path))
    const where = onDisk(this.#root, path)
    const found = lstatSync(where, { throwIfNoEntry: false })
    if (found?.isDirectory()) {
      this.#clearFolder(path)
      // Remove folders with their last file.
      this.#makeFolder(parentOf(path))
    } else if (found) this.#mustBeHeld(path)
    const parent = parentOf(path)
    // In git's own folder, a temporary file left by a crash is harmless, and the next one replaces it.
    const drafts = [
      join(this.#gitDir, 'baton-undo.draft'),
      onDisk(this.#root, `${parent === undefined ? '' : `${parent}/`}.baton-undo.draft` as BytePath),
    ]
    for (const draft of drafts) {
      try {
        rmSync(draft, { force: true })
        if (file.kind === 'link') symlinkSync(bytes, draft)
        else {
          writeFileSync(draft, bytes, { flag: 'wx', mode: 0o600 })
          chmodSync(draft, file.mode)
        }
        renameSync(draft, where)
        return
      } catch (error) {
        rmSync(draft, { force: true })
        // If the worktree is on another file system, the temporary file has to be in the same folder.
        const elsewhere = error instanceof Error && 'code' in error && error.code === 'EXDEV'
        if (!elsewhere || draft !== drafts[0]) throw error
      }
    }
  }

  #makeFolder(folder: BytePath | undefined): void {
    if (folder === undefined) return
    this.#makeFolder(parentOf(folder))
    const where = onDisk(this.#root, folder)
    const found = lstatSync(where, { throwIfNoEntry: false })
    if (found?.isDirectory()) return
    if (found) {
      // A file or link has replaced the folder.
      this.#mustBeHeld(folder)
      unlinkSync(where)
    }
    mkdirSync(where)
  }

  /** A folder has replaced a file: everything in it came later. */
  #clearFolder(folder: BytePath): void {
    for (const path of this.#held.files.keys()) if (path.startsWith(`${folder}/`)) this.remove(path)
    const where = onDisk(this.#root, folder)
    if (lstatSync(where, { throwIfNoEntry: false })) {
      try {
        rmdirSync(where)
      } catch {
        throw new Error('a folder with files that are in no snapshot is in its way')
      }
    }
  }

  #hasRealParents(path: BytePath): boolean {
    for (let folder = parentOf(path); folder !== undefined; folder = parentOf(folder)) {
      if (!lstatSync(onDisk(this.#root, folder), { throwIfNoEntry: false })?.isDirectory()) return false
    }
    return true
  }

  #mustBeHeld(path: BytePath): void {
    const found = lstatSync(onDisk(this.#root, path), { throwIfNoEntry: false })
    const stamp = this.#held.stamp(path)
    if (!found || stamp === undefined) throw new Error('no snapshot contains the current file')
    if (stamp !== stampOf(found).join(':')) throw new Error('it changed just now')
  }
}
