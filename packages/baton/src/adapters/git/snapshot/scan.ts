import { createHash } from 'node:crypto'
import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { BatonError } from '@batonpass/contract/errors'
import type { BytePath, CaptureLimits, LeftOut } from '../../../ports/snapshots.ts'
import type { KnownFile, Stamp } from './cache.ts'
import { listWorktree, recallList } from './file-list.ts'
import { keepIgnored } from './ignored.ts'
import { isPlain, onDisk, parentOf } from './paths.ts'
import type { Place } from './place.ts'
import { readRegularFile } from './regular-file.ts'
import { LOOKUP_CHUNK, shareLookup } from './stat-helper.ts'

export interface ScanRequest {
  known: ReadonlyMap<BytePath, KnownFile>
  /** Identifies the names in the index. */
  names: string | undefined
  limits: CaptureLimits
  also: Iterable<BytePath>
  /** The file system's time at the start: files that changed just before are read again next time. */
  sinceMs: number
  /** Receives each content that was read. */
  store(bytes: Buffer): void | Promise<void>
}

export interface Scan {
  files: Map<BytePath, KnownFile>
  leftOut: LeftOut[]
  /** Content, permission bits or names differ from the cache. */
  changed: boolean
  /** A file time differs from the cache. */
  touched: boolean
}

/** Reads the worktree: every file that git tracks or would offer to track, and small ignored ones. Runs no filters. */
export async function scan(place: Place, request: ScanRequest): Promise<Scan> {
  const recalled = await recallList(place, request.names)
  const listed = recalled ?? listWorktree(place, request.names, request.sinceMs)
  const listing = Promise.resolve(listed).then(
    async ({ files, ignored }) => [files, await keepIgnored(place, ignored)] as const,
  )
  listing.catch(() => {})
  const looker = new Looker(place, request, recalled?.folders)
  // Check the files of the last snapshot while git prints its list; both take about the same time.
  await looker.expect()
  const [files, ignored] = await listing
  const names = new Set(files)
  for (const path of [...ignored.files, ...request.also]) names.add(path)
  if (names.size > request.limits.files)
    throw new BatonError('undo_unavailable', `${names.size} files are too many for a snapshot`, {
      remedy: `The limit is ${request.limits.files}: add generated files to .gitignore.`,
    })
  const found = await looker.look(names)
  found.leftOut.push(...ignored.leftOut)
  return found
}

class Looker {
  readonly #place: Place
  readonly #request: ScanRequest
  readonly #folders: Folders
  readonly #unchanged = new Set<BytePath>()
  readonly #scan: Scan = { files: new Map(), leftOut: [], changed: false, touched: false }
  #work = 0

  constructor(place: Place, request: ScanRequest, folders: ReadonlySet<BytePath> | undefined) {
    this.#place = place
    this.#request = request
    this.#folders = new Folders(place.root, folders)
  }

  /** Checks files ahead of time that git will most likely list: those of the last snapshot. */
  async expect(): Promise<void> {
    const { known } = this.#request
    const names = namesOf(this.#place.root, known)
    const files = [...known.values()]
    const lookup = shareLookup(names.onDisk)
    const theirs: [from: number, to: number][] = []
    const check = (i: number, hasStamp: (stamp: Stamp) => boolean) => {
      const [path, file] = [names.paths[i], files[i]]
      if (path === undefined || !file || file.young || !this.#folders.holds(path)) return
      if (hasStamp(file.stamp)) this.#unchanged.add(path)
    }
    const checkHere = (i: number) =>
      check(i, stamp => {
        const found = statOf(names.onDisk[i] ?? '')
        return found !== undefined && isStamp(stamp, found)
      })
    let next = 0
    for (let part = lookup.take(); part; part = lookup.take()) {
      const [from, to] = part
      if (from > next) theirs.push([next, from])
      next = to
      for (let i = from; i < to; i++) checkHere(i)
      this.#work += to - from
      if (this.#work >= BATCH) {
        this.#work = 0
        await turn()
      }
    }
    if (next < files.length) theirs.push([next, files.length])
    for (const [from, to] of theirs)
      for (let i = from; i < to; i++) {
        const found = lookup.found(i - (i % LOOKUP_CHUNK))
        if (found) check(i, stamp => stamp.every((value, at) => value === found[5 * i + at]))
        else checkHere(i)
      }
  }

  async look(names: Iterable<BytePath>): Promise<Scan> {
    const { files, leftOut } = this.#scan
    for (const name of names) {
      const file = this.#request.known.get(name)
      if (file && this.#unchanged.has(name)) {
        files.set(name, file)
        continue
      }
      if (++this.#work % BATCH === 0) await turn()
      const nested = name.endsWith('/')
      const path = (nested ? name.slice(0, -1) : name) as BytePath
      if (!isPlain(path) || !this.#folders.holds(path)) continue
      if (nested) leftOut.push({ path, why: 'nested' })
      else {
        try {
          await this.#lookAt(path, file)
        } catch (error) {
          if (error instanceof BatonError) throw error
          leftOut.push({ path, why: 'unreadable' })
        }
      }
    }
    if (files.size !== this.#request.known.size) this.#scan.changed = true
    return this.#scan
  }

  async #lookAt(path: BytePath, file: KnownFile | undefined): Promise<void> {
    const { files, leftOut } = this.#scan
    const { limits, sinceMs, store } = this.#request
    const found = lstatSync(onDisk(this.#place.root, path), { throwIfNoEntry: false })
    if (!found) return
    if (found.isDirectory()) {
      // A submodule, unless untracked files replaced a tracked file: git lists those separately.
      if (holdsGit(this.#place.root, path)) leftOut.push({ path, why: 'nested' })
      return
    }
    if (!found.isFile() && !found.isSymbolicLink()) return
    const read =
      found.size > limits.fileBytes ? undefined : readFresh(this.#place, path, found, limits.fileBytes)
    if (!read) {
      leftOut.push({ path, why: found.size > limits.fileBytes ? 'large' : 'unreadable' })
      return
    }
    const { bytes, facts } = read
    const young = Math.max(facts.mtimeMs, facts.ctimeMs) > sinceMs - YOUNG_MS
    const next: KnownFile = {
      content: contentId(this.#place, bytes),
      kind: facts.isSymbolicLink() ? 'link' : 'file',
      mode: facts.isSymbolicLink() ? 0 : facts.mode & 0o777,
      stamp: stampOf(facts),
      young,
    }
    if (file?.content !== next.content) await store(bytes)
    if (!file || !sameFile(file, next)) this.#scan.changed = true
    if (!young || !file?.young) this.#scan.touched = true
    files.set(path, next)
    this.#work += bytes.length >> 14
  }
}

export const sameFile = (a: KnownFile, b: KnownFile): boolean =>
  a.content === b.content && a.kind === b.kind && a.mode === b.mode

export const stampOf = (found: Stats): Stamp => [
  found.ino,
  found.size,
  found.mtimeMs,
  found.ctimeMs,
  found.mode,
]

/** Undefined if it cannot be looked up: it is checked again later. */
function statOf(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** The names of the last snapshot, and as the file system takes them. Made again only if a name changed. */
function namesOf(root: string, known: ReadonlyMap<BytePath, KnownFile>): Names {
  const last = lastNames.get(root)
  const paths = [...known.keys()]
  if (last && last.paths.length === paths.length && last.paths.every((path, i) => path === paths[i]))
    return last
  const names = { paths, onDisk: paths.map(path => onDisk(root, path)) }
  lastNames.delete(root)
  const [oldest] = lastNames.size >= MOST_WORKTREES ? lastNames.keys() : []
  if (oldest !== undefined) lastNames.delete(oldest)
  lastNames.set(root, names)
  return names
}

interface Names {
  readonly paths: readonly BytePath[]
  readonly onDisk: readonly (string | Buffer)[]
}

const lastNames = new Map<string, Names>()
const MOST_WORKTREES = 8

const isStamp = ([ino, size, modified, changed, mode]: Stamp, found: Stats): boolean =>
  found.ctimeMs === changed &&
  found.mtimeMs === modified &&
  found.ino === ino &&
  found.size === size &&
  found.mode === mode

/** Git's id of some bytes. */
export const contentId = (place: Pick<Place, 'format'>, bytes: Buffer): string =>
  createHash(place.format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

/** Caches which folders are real: behind a link to a folder are files from elsewhere. */
class Folders {
  readonly #root: string
  readonly #known = new Map<BytePath, boolean>()
  readonly #checked: ReadonlySet<BytePath> | undefined
  #last: { folder: BytePath; real: boolean } = { folder: '' as BytePath, real: true }

  constructor(root: string, checked: ReadonlySet<BytePath> | undefined) {
    this.#root = root
    this.#checked = checked
  }

  /** Whether a path's folder is real. */
  holds(path: BytePath): boolean {
    const { folder, real } = this.#last
    // Most often it is the folder of the path before.
    if (path.lastIndexOf('/') === folder.length && path.startsWith(folder)) return real
    const parent = parentOf(path)
    if (parent === undefined) return true
    this.#last = { folder: parent, real: this.isReal(parent) }
    return this.#last.real
  }

  isReal(folder: BytePath | undefined): boolean {
    if (folder === undefined || this.#checked?.has(folder)) return true
    let real = this.#known.get(folder)
    if (real === undefined) {
      real =
        this.isReal(parentOf(folder)) &&
        lstatSync(onDisk(this.#root, folder), { throwIfNoEntry: false })?.isDirectory() === true
      this.#known.set(folder, real)
    }
    return real
  }
}

/** After this many files, let the daemon serve other requests. */
const BATCH = 256

/** Some file systems store times in steps of one or two seconds. */
const YOUNG_MS = 2000

function holdsGit(root: string, path: BytePath): boolean {
  return lstatSync(onDisk(root, `${path}/.git` as BytePath), { throwIfNoEntry: false }) !== undefined
}

/** The bytes of exactly the file that was checked. Undefined if another file has replaced it. */
function readFresh(
  place: Place,
  path: BytePath,
  found: Stats,
  limit: number,
): { bytes: Buffer; facts: Stats } | undefined {
  const where = onDisk(place.root, path)
  if (found.isSymbolicLink()) return { bytes: readlinkSync(where, { encoding: 'buffer' }), facts: found }
  return readRegularFile(where, limit)
}
