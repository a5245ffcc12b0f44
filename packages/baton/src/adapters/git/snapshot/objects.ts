import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, deflate, deflateSync, inflateSync } from 'node:zlib'
import type { Repo } from './place.ts'
import { readRegularFile } from './regular-file.ts'

export type ObjectType = 'blob' | 'tree' | 'commit'

/**
 * Writes git objects into Baton's own repository. To start git would take longer than the whole snapshot. The first ones
 * become files of their own, which appear whole; many become one pack. No ref points to them yet, so a crash leaves at
 * most files that `git prune` removes.
 */
export class ObjectWriter {
  readonly #store: Repo
  readonly #objects: string
  readonly #written = new Set<string>()
  #pack: PackWriter | undefined

  constructor(store: Repo) {
    this.#store = store
    this.#objects = join(store.gitDir, 'objects')
  }

  /** Writes an object and returns its id. */
  write(type: ObjectType, body: Buffer): string {
    const id = idOf(this.#store, type, body)
    // Trees and commits consist of ids, which do not get smaller.
    const pack = type === 'blob' ? compressSmall : storeBytes
    if (this.#isNew(id)) this.#put(id, type, body, pack)
    return id
  }

  /** As `write`, for a content of any size: a large one is compressed while the daemon does something else. */
  async writeContent(body: Buffer): Promise<string> {
    if (body.length < LARGE_BYTES) return this.write('blob', body)
    const id = idOf(this.#store, 'blob', body)
    if (!this.#isNew(id)) return id
    const isPacked = this.#packOnceMany() !== undefined
    const packed = await compress(isPacked ? body : looseBytes('blob', body), LEVEL)
    if (isPacked) this.#pack?.add(id, 'blob', body.length, packed)
    else this.#writeLoose(id, packed)
    return id
  }

  /** As `write`, for a content that hardly gets smaller. `id`: its id, if the caller knows it. */
  writePlain(body: Buffer, id: string = idOf(this.#store, 'blob', body)): string {
    if (this.#isNew(id)) this.#put(id, 'blob', body, storeBytes)
    return id
  }

  /** Adds an object as another repository stores it. The caller has checked that the bytes match the id. */
  copyLoose(id: string, compressed: Buffer): void {
    if (this.#isNew(id)) this.#writeLoose(id, compressed)
  }

  /** After this, git finds all objects. */
  finish(): void {
    this.#pack?.finish()
    this.#pack = undefined
  }

  abandon(): void {
    this.#pack?.abandon()
    this.#pack = undefined
  }

  #isNew(id: string): boolean {
    if (this.#written.has(id)) return false
    this.#written.add(id)
    return true
  }

  #packOnceMany(): PackWriter | undefined {
    if (this.#written.size > MOST_LOOSE) this.#pack ??= new PackWriter(this.#store)
    return this.#pack
  }

  #put(id: string, type: ObjectType, body: Buffer, pack: (bytes: Buffer) => Buffer): void {
    const many = this.#packOnceMany()
    if (many) many.add(id, type, body.length, pack(body))
    else this.#writeLoose(id, pack(looseBytes(type, body)))
  }

  #writeLoose(id: string, compressed: Buffer): void {
    const folder = join(this.#objects, id.slice(0, 2))
    const path = join(folder, id.slice(2))
    if (existsSync(path)) return
    const draft = draftIn(this.#objects, 'obj')
    writeFileSync(draft, compressed, { flag: 'wx', mode: 0o444 })
    try {
      renameSync(draft, path)
    } catch {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      renameSync(draft, path)
    }
  }
}

/** Git's id of an object. */
export const idOf = ({ format }: Pick<Repo, 'format'>, type: ObjectType, body: Buffer): string =>
  createHash(format).update(`${type} ${body.length}\0`).update(body).digest('hex')

/**
 * An object that is a file of its own. Undefined if it is not, or if git would refuse it: an agent can write any file there,
 * such as one with another content, a wrong length or more bytes after its end.
 */
export function readLoose(
  objectDir: string,
  { format }: Pick<Repo, 'format'>,
  id: string,
  maxBytes: number,
): { type: ObjectType; body: Buffer; compressed: Buffer } | undefined {
  try {
    const compressed = readRegularFile(join(objectDir, id.slice(0, 2), id.slice(2)), maxBytes)?.bytes
    if (!compressed) return undefined
    const { bytes, readTo } = inflate(compressed, maxBytes)
    if (readTo !== compressed.length) return undefined
    if (createHash(format).update(bytes).digest('hex') !== id) return undefined
    const end = bytes.indexOf(0)
    const head = bytes.toString('latin1', 0, Math.min(end, MOST_HEAD))
    const body = bytes.subarray(end + 1)
    const type = TYPES.find(type => head === `${type} ${body.length}`)
    return end < 0 || type === undefined ? undefined : { type, body, compressed }
  } catch {
    return undefined
  }
}

/** Throws if the result is larger than `maxBytes`. `readTo`: where the compressed bytes end. */
function inflate(compressed: Buffer, maxBytes: number): { bytes: Buffer; readTo: number } {
  const options = { maxOutputLength: maxBytes, info: true }
  const { buffer, engine } = inflateSync(compressed, options) as unknown as {
    buffer: Buffer
    engine: { bytesWritten: number }
  }
  return { bytes: buffer, readTo: engine.bytesWritten }
}

/** Git's pack format, version 2: whole objects one after another, and an index that finds them by id. */
class PackWriter {
  readonly #folder: string
  readonly #draft: string
  readonly #file: number
  readonly #format: Repo['format']
  readonly #entries: { id: Buffer; crc: number; offset: number }[] = []
  #size = 0

  constructor(store: Repo) {
    this.#format = store.format
    this.#folder = join(store.gitDir, 'objects/pack')
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    this.#draft = draftIn(this.#folder, 'pack')
    this.#file = openSync(this.#draft, 'wx+', 0o444)
    this.#append(Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1'))
  }

  add(id: string, type: ObjectType, length: number, compressed: Buffer): void {
    const head = entryHead(type, length)
    const crc = crc32(compressed, crc32(head))
    this.#entries.push({ id: Buffer.from(id, 'hex'), crc, offset: this.#size })
    this.#append(head)
    this.#append(compressed)
  }

  finish(): void {
    writeSync(this.#file, uint32(this.#entries.length), 0, 4, 8)
    const checksum = this.#hashFile()
    this.#append(checksum)
    closeSync(this.#file)
    const name = join(this.#folder, `pack-${checksum.toString('hex')}`)
    const index = draftIn(this.#folder, 'idx')
    writeFileSync(index, this.#index(checksum), { flag: 'wx', mode: 0o444 })
    // The index must not appear before its pack.
    renameSync(this.#draft, `${name}.pack`)
    renameSync(index, `${name}.idx`)
  }

  abandon(): void {
    closeSync(this.#file)
    rmSync(this.#draft, { force: true })
  }

  #append(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#size + done)
    this.#size += bytes.length
  }

  #hashFile(): Buffer {
    const hash: Hash = createHash(this.#format)
    const chunk = Buffer.allocUnsafe(1 << 20)
    for (let at = 0; at < this.#size; ) {
      const count = readSync(this.#file, chunk, 0, chunk.length, at)
      hash.update(chunk.subarray(0, count))
      at += count
    }
    return hash.digest()
  }

  #index(checksum: Buffer): Buffer {
    const entries = this.#entries.sort((a, b) => a.id.compare(b.id))
    const fanout = new Array<number>(256).fill(0)
    for (const { id } of entries) fanout[id[0] ?? 0] = (fanout[id[0] ?? 0] ?? 0) + 1
    for (let i = 1; i < 256; i++) fanout[i] = (fanout[i] ?? 0) + (fanout[i - 1] ?? 0)
    const far = entries.filter(({ offset }) => offset >= FAR)
    const farAt = new Map(far.map(({ offset }, i) => [offset, i]))
    const parts = [
      Buffer.from('\xfftOc\0\0\0\x02', 'latin1'),
      ...fanout.map(uint32),
      ...entries.map(({ id }) => id),
      ...entries.map(({ crc }) => uint32(crc)),
      ...entries.map(({ offset }) => uint32(offset < FAR ? offset : FAR + (farAt.get(offset) ?? 0))),
      ...far.map(({ offset }) =>
        Buffer.concat([uint32(Math.floor(offset / 2 ** 32)), uint32(offset % 2 ** 32)]),
      ),
      checksum,
    ]
    const index = Buffer.concat(parts)
    return Buffer.concat([index, createHash(this.#format).update(index).digest()])
  }
}

/** Type and length, seven bits at a time after the first four. */
function entryHead(type: ObjectType, length: number): Buffer {
  const bytes: number[] = []
  let byte = (PACK_TYPES[type] << 4) | (length & 15)
  for (let rest = Math.floor(length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80)
    byte = rest & 0x7f
  }
  return Buffer.from([...bytes, byte])
}

const PACK_TYPES = { commit: 1, tree: 2, blob: 3 } as const
const TYPES = ['commit', 'tree', 'blob'] as const
/** Longer than any type with a length. */
const MOST_HEAD = 32

const looseBytes = (type: ObjectType, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])

/**
 * zlib's own tables take 270 kB, and its first piece of a result 16 kB, however small the content is. A first snapshot
 * compresses every file, and Node frees most of this only later: with 5,000 files that took 100 MB.
 */
function compressSmall(bytes: Buffer): Buffer {
  const bits = Math.min(15, Math.max(9, 32 - Math.clz32(bytes.length)))
  const options = { ...LEVEL, windowBits: bits, memLevel: bits - 7, chunkSize: bytes.length + MOST_ADDED }
  return deflateSync(bytes, options)
}

/** The format of zlib without compression. For few bytes it starts faster than zlib itself. */
function storeBytes(bytes: Buffer): Buffer {
  if (bytes.length > MOST_STORED) return deflateSync(bytes, { level: 0 })
  const head = Buffer.from([0x78, 0x01, 1, 0, 0, 0, 0])
  head.writeUInt16LE(bytes.length, 3)
  head.writeUInt16LE(bytes.length ^ 0xffff, 5)
  return Buffer.concat([head, bytes, uint32(adler32(bytes))])
}

function adler32(bytes: Buffer): number {
  let [low, high] = [1, 0]
  for (let at = 0; at < bytes.length; ) {
    // As many as fit before the sums have to be reduced.
    for (const stop = Math.min(at + 3800, bytes.length); at < stop; at++) {
      low += bytes[at] ?? 0
      high += low
    }
    low %= 65521
    high %= 65521
  }
  return high * 65536 + low
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Git removes files with such names when it tidies. */
const draftIn = (folder: string, kind: string): string =>
  join(folder, `tmp_${kind}_${process.pid}_${process.hrtime.bigint()}`)

const compress = promisify(deflate) as (bytes: Buffer, options: { level: number }) => Promise<Buffer>
/** Time matters more than space here. */
const LEVEL = { level: 1 }
const LARGE_BYTES = 32_000
/** What zlib adds to a short content that does not get smaller, and more. */
const MOST_ADDED = 100
const MOST_LOOSE = 100
const MOST_STORED = 65535
/** Offsets from here on are in a table of their own. */
const FAR = 2 ** 31
