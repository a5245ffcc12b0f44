import { objectId } from './details.ts'
import type { Place } from './place.ts'

/** What git's index file says, read without starting git. */
export interface IndexFile {
  /** Names and kinds of the entries: they decide which files git lists. */
  readonly names: Buffer
  /** Entries with flags, in conflict, or only intended to be added, as `git ls-files --stage -v` prints them. */
  readonly flagged: readonly string[]
  /** The tree of all entries, if git has written it: after a commit it has, after `git add` it has not. */
  readonly tree: string | undefined
  /** The ids of all entries and cached trees. A submodule's commit is not one of them: it is in another repository. */
  ids(): Iterable<string>
  /** What the tree of all entries consists of: files, and folders whose tree git has written. Undefined in a conflict. */
  parts(): readonly IndexPart[] | undefined
  /** The index after a change, if it changed only contents and times: most of this one then still holds. */
  reread(bytes: Buffer): IndexFile | undefined
}

/** A file or a written folder, with its path in bytes. */
export interface IndexPart {
  readonly path: string
  /** As in a tree, such as `100644`. */
  readonly mode: string
  readonly id: string
}

/**
 * Undefined for what only git can read, such as an index in two files, or one that is damaged. `last`: the index of this
 * worktree as it was read before.
 */
export function parseIndex(
  bytes: Buffer,
  { format }: Pick<Place, 'format'>,
  last?: IndexFile,
): IndexFile | undefined {
  try {
    return last?.reread(bytes) ?? parse(bytes, format === 'sha256' ? 32 : 20)
  } catch {
    return undefined
  }
}

function parse(bytes: Buffer, idLength: number): IndexFile | undefined {
  const version = bytes.readUInt32BE(4)
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined
  const end = bytes.length - idLength
  const names = new Names(bytes.length)
  const flagged: string[] = []
  const rows: Row[] = []
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at
    const mode = bytes.readUInt32BE(start + MODE_AT)
    // A folder of a sparse index replaces entries that are not here.
    if (mode === 0o040000) return undefined
    at = start + 40 + idLength
    const flags = bytes.readUInt16BE(at)
    at += 2
    const isExtended = (flags & EXTENDED) !== 0
    const more = isExtended ? bytes.readUInt16BE(at) : 0
    if (isExtended) at += 2
    let kept = 0
    if (version === 4) {
      let cut = 0
      for (let first = true; ; first = false) {
        const byte = bytes.readUInt8(at++)
        cut = first ? byte & 0x7f : (cut + 1) * 128 + (byte & 0x7f)
        if ((byte & 0x80) === 0) break
      }
      kept = names.lastLength - cut
    }
    const stop = bytes.indexOf(0, at)
    if (stop < 0 || stop >= end || kept < 0) return undefined
    // In a hostile index, few bytes can expand to gigabytes of names.
    if (kept + stop - at > MOST_NAME || names.length > MOST_NAMES) return undefined
    names.add(mode >> 12, kept, bytes.subarray(at, stop))
    at = version === 4 ? stop + 1 : start + ((stop - start + 8) & ~7)
    const stage = (flags >> 12) & 3
    rows.push({
      mode,
      idAt: start + ID_AT,
      from: names.lastStart,
      stage,
      isPlanned: (more & INTENT_TO_ADD) !== 0,
    })
    const tag = stage > 0 ? 'M' : (more & SKIP_WORKTREE) !== 0 ? 'S' : 'H'
    const shownTag = (flags & ASSUME_VALID) !== 0 ? tag.toLowerCase() : tag
    if (shownTag === 'H' && (more & INTENT_TO_ADD) === 0) continue
    const id = bytes.toString('hex', start + 40, start + 40 + idLength)
    flagged.push(`${shownTag} ${mode.toString(8).padStart(6, '0')} ${id} ${stage}\t${names.last}`)
  }
  return indexOf({ bytes, idLength, version, rows, names, all: names.all, flagged, entriesEnd: at })
}

interface Entries {
  readonly bytes: Buffer
  readonly idLength: number
  readonly version: number
  readonly rows: readonly Row[]
  readonly names: Names
  readonly all: Buffer
  readonly flagged: readonly string[]
  /** Where the extensions begin. */
  readonly entriesEnd: number
}

function indexOf(entries: Entries): IndexFile | undefined {
  const { bytes, idLength, rows, names, flagged } = entries
  const trees = readTrees(bytes, entries.entriesEnd, bytes.length - idLength, idLength)
  if (!trees) return undefined
  const idAt = (start: number) => bytes.toString('hex', start, start + idLength)
  return {
    names: entries.all,
    flagged,
    tree: trees.root === undefined ? undefined : objectId(idAt(trees.root)),
    *ids() {
      for (const row of rows) if (row.mode >> 12 !== SUBMODULE) yield idAt(row.idAt)
      for (const { at } of trees.all.values()) yield idAt(at)
    },
    parts: () => partsOf(rows, trees.all, names, idAt),
    // Flagged entries contain their contents' ids, which may have changed.
    reread: now =>
      flagged.length === 0 && hasSameEntries(entries, now) ? indexOf({ ...entries, bytes: now }) : undefined,
  }
}

/** Whether all entries are in the same place and differ in nothing but times, sizes and contents. */
function hasSameEntries({ bytes, idLength, version, rows, entriesEnd }: Entries, now: Buffer): boolean {
  // In version 4, a name depends on the one before it.
  if (version === 4 || now.length < entriesEnd + idLength || !isSamePart(bytes, now, 0, 12)) return false
  let row = 0
  for (let from = 12; from < entriesEnd; from += BLOCK) {
    const to = Math.min(from + BLOCK, entriesEnd)
    if (isSamePart(bytes, now, from, to)) continue
    // The rows that are partly in this block.
    while (row > 0 && (rows[row]?.idAt ?? 0) - ID_AT > from) row--
    while ((rows[row + 1]?.idAt ?? entriesEnd + ID_AT) - ID_AT <= from) row++
    for (; row < rows.length; row++) {
      const start = (rows[row]?.idAt ?? 0) - ID_AT
      if (start >= to) break
      const end = (rows[row + 1]?.idAt ?? entriesEnd + ID_AT) - ID_AT
      const isSame =
        isSamePart(bytes, now, start + MODE_AT, start + MODE_AT + 4) &&
        isSamePart(bytes, now, start + ID_AT + idLength, end)
      if (!isSame) return false
    }
  }
  return true
}

const isSamePart = (a: Buffer, b: Buffer, from: number, to: number): boolean =>
  a.compare(b, from, to, from, to) === 0

const BLOCK = 4096
const MODE_AT = 24
const ID_AT = 40

interface Row {
  readonly mode: number
  readonly idAt: number
  /** Where its name begins. */
  readonly from: number
  readonly stage: number
  /** Only intended to be added: not part of a tree. */
  readonly isPlanned: boolean
}

function partsOf(
  rows: readonly Row[],
  trees: CachedTrees['all'],
  names: Names,
  idAt: (start: number) => string,
): readonly IndexPart[] | undefined {
  const parts: IndexPart[] = []
  const pathOf = (i: number) => {
    const row = rows[i]
    return row && names.from(row.from, rows[i + 1]?.from)
  }
  for (let i = 0; i < rows.length; ) {
    const [row, path] = [rows[i], pathOf(i)]
    if (!row || path === undefined || row.stage > 0) return undefined
    let count = 1
    let part: IndexPart | undefined = { path, mode: row.mode.toString(8), id: idAt(row.idAt) }
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const folder = path.slice(0, slash)
      const tree = trees.get(folder)
      // The entries of a folder follow each other.
      if (!tree || tree.count < 1 || !pathOf(i + tree.count - 1)?.startsWith(`${folder}/`)) continue
      count = tree.count
      part = { path: folder, mode: '40000', id: idAt(tree.at) }
      break
    }
    if (count === 1 && row.isPlanned) part = undefined
    if (part) parts.push(part)
    i += count
  }
  return parts
}

/** Names one after another, each after its kind; a name may begin as the one before it. */
class Names {
  #bytes: Buffer
  #start = 0
  #end = 0

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size)
  }

  add(kind: number, kept: number, rest: Buffer): void {
    const start = this.#end + 2
    while (start + kept + rest.length > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes, Buffer.allocUnsafe(this.#bytes.length + 1024)])
    this.#bytes[this.#end] = 0
    this.#bytes[this.#end + 1] = kind
    if (kept > 0) this.#bytes.copyWithin(start, this.#start, this.#start + kept)
    rest.copy(this.#bytes, start + kept)
    this.#start = start
    this.#end = start + kept + rest.length
  }

  /** In bytes. */
  get length(): number {
    return this.#end
  }

  get lastStart(): number {
    return this.#start
  }

  /** The name that begins here, before the one that begins at `next`. */
  from(start: number, next: number | undefined): string {
    return this.#bytes.toString('latin1', start, next === undefined ? this.#end : next - 2)
  }

  get lastLength(): number {
    return this.#end - this.#start
  }

  get last(): string {
    return this.#bytes.toString('latin1', this.#start, this.#end)
  }

  get all(): Buffer {
    return this.#bytes.subarray(0, this.#end)
  }
}

/** The trees that git has written, by path: how many entries each covers, and where its id is. */
interface CachedTrees {
  readonly root: number | undefined
  readonly all: ReadonlyMap<string, { readonly count: number; readonly at: number }>
}

/** Undefined if the file has parts that only git can read. */
function readTrees(bytes: Buffer, from: number, end: number, idLength: number): CachedTrees | undefined {
  const all = new Map<string, { count: number; at: number }>()
  for (let at = from; at < end; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const start = at + 8
    at = start + bytes.readUInt32BE(at + 4)
    if (at > end) return undefined
    // An extension in small letters changes what the entries mean.
    if (/^[a-z]/.test(name)) return undefined
    if (name !== 'TREE') continue
    // A folder before its subfolders. Each: its name, the number of entries (-1: to be written again), of subfolders, the id.
    const above: { path: string; left: number }[] = []
    for (let row = start; row < at; ) {
      const line = bytes.indexOf(10, row)
      if (line < 0 || line >= at) return undefined
      const [, own, count, below] =
        /^([^\0]*)\0(-?\d+) (\d+)$/.exec(bytes.toString('latin1', row, line)) ?? []
      if (own === undefined || (own === '') !== (row === start)) return undefined
      while (above.at(-1)?.left === 0) above.pop()
      const parent = above.at(-1)
      if (row !== start && !parent) return undefined
      const path = parent?.path ? `${parent.path}/${own}` : own
      if (parent) parent.left--
      above.push({ path, left: Number(below) })
      const isValid = Number(count) >= 0
      if (isValid) all.set(path, { count: Number(count), at: line + 1 })
      row = line + 1 + (isValid ? idLength : 0)
    }
  }
  return { root: all.get('')?.at, all }
}

const SUBMODULE = 0o16
/** In bytes: the longest path that Linux opens, and more than the names of 500,000 files usually have. */
const MOST_NAME = 4096
const MOST_NAMES = 64_000_000
const ASSUME_VALID = 0x8000
const EXTENDED = 0x4000
const SKIP_WORKTREE = 0x4000
const INTENT_TO_ADD = 0x2000
