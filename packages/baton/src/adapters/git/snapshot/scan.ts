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
import { FACTS, findChanged } from './stat-helper.ts'
import { type FileClock, isYoung } from './timestamps.ts'

export interface ScanRequest {
  known: ReadonlyMap<BytePath, KnownFile>
  /** Identifies the names in the index. */
  names: string | undefined
  limits: CaptureLimits
  also: Iterable<BytePath>
  /** The file system's time at the start: files that changed just before are read again next time. */
  clock: FileClock
  /** Receives each content that was read. */
  store(bytes: Buffer): void | Promise<void>
}

export interface Scan {
  /** The known ones themselves if no file changed, not even its times. */
  files: ReadonlyMap<BytePath, KnownFile>
  leftOut: LeftOut[]
  /** Content, permission bits or names differ from the cache. */
  changed: boolean
  /** A file time differs from the cache. */
  touched: boolean
}

/** Reads the worktree: every file that git tracks or would offer to track, and small ignored ones. Runs no filters. */
export async function scan(place: Place, request: ScanRequest): Promise<Scan> {
  const recalled = await recallList(place, request.names, request.clock)
  const listed = recalled ?? listWorktree(place, request.names, request.clock)
  const listing = Promise.resolve(listed).then(
    async ({ files, ignored }) => [files, await keepIgnored(place, ignored)] as const,
  )
  listing.catch(() => {})
  const looker = new Looker(place, request, recalled?.folders)
  // Check the files of the last snapshot while git prints its list; both take about the same time.
  await looker.expect()
  const [files, ignored] = await listing
  const more = [...ignored.files, ...request.also]
  const names = recalled && more.length === 0 ? recalled.names : new Set([...files, ...more])
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
  readonly #checked: ReadonlySet<BytePath> | undefined
  /** Files of the last snapshot that have to be read again. */
  readonly #changed = new Set<BytePath>()
  readonly #scan: Scan = { files: new Map(), leftOut: [], changed: false, touched: false }
  #work = 0

  constructor(place: Place, request: ScanRequest, folders: ReadonlySet<BytePath> | undefined) {
    this.#place = place
    this.#request = request
    this.#checked = folders
    this.#folders = new Folders(place.root, folders)
  }

  /** Checks files ahead of time that git will most likely list: those of the last snapshot. */
  async expect(): Promise<void> {
    const { known } = this.#request
    const names = namesOf(this.#place.root, known)
    for (const i of await findChanged(names.onDisk, stampsOf(known), STAMP))
      this.#changed.add(names.paths[i] ?? ('' as BytePath))
    if (names.checkedIn !== undefined && names.checkedIn === this.#checked) return
    for (const path of names.paths) if (!this.#folders.holds(path)) this.#changed.add(path)
    const checked = this.#checked
    if (checked && names.paths.every(path => checked.has(parentOf(path) ?? ('' as BytePath))))
      names.checkedIn = checked
  }

  async look(names: ReadonlySet<BytePath>): Promise<Scan> {
    const { known } = this.#request
    const expected = namesOf(this.#place.root, known)
    if (this.#changed.size === 0 && expected.listed === names) return { ...this.#scan, files: known }
    const open: BytePath[] = []
    let same = 0
    for (const name of names) {
      if (known.has(name) && !this.#changed.has(name)) same++
      else open.push(name)
    }
    if (open.length === 0 && same === known.size) {
      expected.listed = names
      return { ...this.#scan, files: known }
    }
    // A copy keeps its order, so that the next scan need not make its list of names again.
    let copy: Map<BytePath, KnownFile> | undefined
    if (same + open.length < known.size || open.some(name => !known.has(name)))
      for (const name of known.keys()) {
        if (names.has(name)) continue
        copy ??= new Map(known)
        copy.delete(name)
      }
    for (const name of open) {
      if (++this.#work % BATCH === 0) await turn()
      const before = known.get(name)
      const file = await this.#lookAtEntry(name, before)
      if (file === before) continue
      copy ??= new Map(known)
      if (file) copy.set(name, file)
      else copy.delete(name)
    }
    const files = copy ?? known
    if (files.size !== known.size) this.#scan.changed = true
    return { ...this.#scan, files }
  }

  async #lookAtEntry(name: BytePath, file: KnownFile | undefined): Promise<KnownFile | undefined> {
    const { leftOut } = this.#scan
    const nested = name.endsWith('/')
    const path = (nested ? name.slice(0, -1) : name) as BytePath
    if (!isPlain(path) || !this.#folders.holds(path)) return undefined
    if (nested) {
      leftOut.push({ path, why: 'nested' })
      return undefined
    }
    try {
      return await this.#lookAt(path, file)
    } catch (error) {
      if (error instanceof BatonError) throw error
      leftOut.push({ path, why: 'unreadable' })
      return undefined
    }
  }

  async #lookAt(path: BytePath, file: KnownFile | undefined): Promise<KnownFile | undefined> {
    const { leftOut } = this.#scan
    const { limits, clock, store } = this.#request
    const found = lstatSync(onDisk(this.#place.root, path), { throwIfNoEntry: false })
    if (!found) return undefined
    if (found.isDirectory()) {
      // A submodule, unless untracked files replaced a tracked file: git lists those separately.
      if (holdsGit(this.#place.root, path)) leftOut.push({ path, why: 'nested' })
      return undefined
    }
    if (!found.isFile() && !found.isSymbolicLink()) return undefined
    const read =
      found.size > limits.fileBytes ? undefined : readFresh(this.#place, path, found, limits.fileBytes)
    if (!read) {
      leftOut.push({ path, why: found.size > limits.fileBytes ? 'large' : 'unreadable' })
      return undefined
    }
    const { bytes, facts } = read
    const young = isYoung(facts, clock)
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
    this.#work += bytes.length >> 14
    const isAsBefore = file && sameFile(file, next) && file.young === young
    return isAsBefore && file.stamp.every((value, i) => value === next.stamp[i]) ? file : next
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

/** The stamps of the last snapshot as one list. A young file has none: it is read again. */
function stampsOf(known: ReadonlyMap<BytePath, KnownFile>): Float64Array {
  const made = lastStamps.get(known)
  if (made) return made
  const stamps = new Float64Array(FACTS * known.size)
  let at = 0
  for (const { stamp, young } of known.values()) {
    if (young) stamps[at] = Number.NaN
    else stamps.set(stamp, at)
    at += FACTS
  }
  lastStamps.set(known, stamps)
  return stamps
}

const lastStamps = new WeakMap<ReadonlyMap<BytePath, KnownFile>, Float64Array>()
/** How many of a file's facts its stamp has. */
const STAMP = 5

/** The names of the last snapshot, and as the file system takes them. Made again only if a name changed. */
function namesOf(root: string, known: ReadonlyMap<BytePath, KnownFile>): Names {
  const made = knownNames.get(known)
  if (made?.root === root) return made
  const last = lastNames.get(root)
  const paths = [...known.keys()]
  const isSame =
    last && last.paths.length === paths.length && last.paths.every((path, i) => path === paths[i])
  const names = isSame ? last : { root, paths, onDisk: paths.map(path => onDisk(root, path)) }
  knownNames.set(known, names)
  lastNames.delete(root)
  const [oldest] = lastNames.size >= MOST_WORKTREES ? lastNames.keys() : []
  if (oldest !== undefined) lastNames.delete(oldest)
  lastNames.set(root, names)
  return names
}

interface Names {
  readonly root: string
  readonly paths: readonly BytePath[]
  readonly onDisk: readonly (string | Buffer)[]
  /** All of them are directly in one of these folders. */
  checkedIn?: ReadonlySet<BytePath>
  /** Git listed exactly these. */
  listed?: ReadonlySet<BytePath>
}

const knownNames = new WeakMap<ReadonlyMap<BytePath, KnownFile>, Names>()
const lastNames = new Map<string, Names>()
const MOST_WORKTREES = 8

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
