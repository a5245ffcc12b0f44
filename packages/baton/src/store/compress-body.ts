import * as zlib from 'node:zlib'

/** Below this size a compressor's fixed cost is larger than what it saves. */
const COMPRESS_FROM = 4096

/** JSON text as stored: as it is when short, compressed when long and when that makes it shorter. */
export function pack(json: string, from = COMPRESS_FROM): string | Uint8Array {
  if (json.length < from) return json
  const plain = Buffer.from(json)
  // Node 22 has zstd from 22.15 on.
  const packed = 'zstdCompressSync' in zlib ? zlib.zstdCompressSync(plain) : gzip(plain)
  return packed.length < plain.length ? packed : json
}

/** Reads what any version of `pack` wrote: the first bytes say how. */
export function unpack(stored: string | Uint8Array): string {
  if (typeof stored === 'string') return stored
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  const [first, second] = bytes
  if (first === 0x28 && second === 0xb5) return zlib.zstdDecompressSync(bytes).toString()
  if (first === 0x1f && second === 0x8b) return zlib.gunzipSync(bytes).toString()
  return bytes.toString()
}

export function gzip(plain: Uint8Array): Uint8Array {
  return zlib.gzipSync(plain, { level: 3 })
}

export function storedBytes(stored: string | Uint8Array): number {
  return typeof stored === 'string' ? Buffer.byteLength(stored) : stored.length
}
