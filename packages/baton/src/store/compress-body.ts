import * as zlib from 'node:zlib'

/** Below this size, compression costs more than it saves. */
const COMPRESS_FROM = 4096

/** Encodes JSON for storage: short text as it is, long text compressed if that makes it shorter. */
export function pack(json: string, from = COMPRESS_FROM): string | Uint8Array {
  if (json.length < from) return json
  const plain = Buffer.from(json)
  // Node 22 supports zstd since 22.15.
  const packed = 'zstdCompressSync' in zlib ? zlib.zstdCompressSync(plain) : gzip(plain)
  return packed.length < plain.length ? packed : json
}

/** Decodes what any version of `pack` wrote; the first bytes identify the format. */
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
