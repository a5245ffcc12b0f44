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
}

/** Undefined for what only git can read, such as an index in two files, or one that is damaged. */
export function parseIndex(bytes: Buffer, { format }: Pick<Place, 'format'>): IndexFile | undefined {
  try {
    return parse(bytes, format === 'sha256' ? 32 : 20)
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
  const idsAt: number[] = []
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at
    const mode = bytes.readUInt32BE(start + 24)
    // A folder of a sparse index replaces entries that are not here.
    if (mode === 0o040000) return undefined
    if (mode >> 12 !== SUBMODULE) idsAt.push(start + 40)
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
    names.add(mode >> 12, kept, bytes.subarray(at, stop))
    at = version === 4 ? stop + 1 : start + ((stop - start + 8) & ~7)
    const stage = (flags >> 12) & 3
    const tag = stage > 0 ? 'M' : (more & SKIP_WORKTREE) !== 0 ? 'S' : 'H'
    const shownTag = (flags & ASSUME_VALID) !== 0 ? tag.toLowerCase() : tag
    if (shownTag === 'H' && (more & INTENT_TO_ADD) === 0) continue
    const id = bytes.toString('hex', start + 40, start + 40 + idLength)
    flagged.push(`${shownTag} ${mode.toString(8).padStart(6, '0')} ${id} ${stage}\t${names.last}`)
  }
  const trees = readTrees(bytes, at, end, idLength)
  if (!trees) return undefined
  const idAt = (start: number) => bytes.toString('hex', start, start + idLength)
  return {
    names: names.all,
    flagged,
    tree: trees.root === undefined ? undefined : objectId(idAt(trees.root)),
    *ids() {
      for (const start of idsAt) yield idAt(start)
      for (const start of trees.all) yield idAt(start)
    },
  }
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

/** Where the ids of git's cached trees are. Undefined if the file has parts that only git can read. */
function readTrees(
  bytes: Buffer,
  from: number,
  end: number,
  idLength: number,
): { root: number | undefined; all: readonly number[] } | undefined {
  const all: number[] = []
  let root: number | undefined
  for (let at = from; at < end; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const start = at + 8
    at = start + bytes.readUInt32BE(at + 4)
    if (at > end) return undefined
    // An extension in small letters changes what the entries mean.
    if (/^[a-z]/.test(name)) return undefined
    if (name !== 'TREE') continue
    // The root comes first. Each: a name, the number of entries (-1: to be written again), of subtrees, then the id.
    for (let row = start; row < at; ) {
      const line = bytes.indexOf(10, row)
      if (line < 0 || line >= at) return undefined
      const [, path, count] = /^([^\0]*)\0(-?\d+) \d+$/.exec(bytes.toString('latin1', row, line)) ?? []
      if (count === undefined || (path === '') !== (row === start)) return undefined
      const isValid = Number(count) >= 0
      if (isValid) all.push(line + 1)
      if (isValid && row === start) root = line + 1
      row = line + 1 + (isValid ? idLength : 0)
    }
  }
  return { root, all }
}

const SUBMODULE = 0o16
const ASSUME_VALID = 0x8000
const EXTENDED = 0x4000
const SKIP_WORKTREE = 0x4000
const INTENT_TO_ADD = 0x2000
