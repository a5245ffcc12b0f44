import { X509Certificate } from 'node:crypto'

/** A certificate that Java programs are to trust, as a key store of the type JKS. Java reads it without a password. */
export function javaTruststore(certificate: string, nowMs: number): Buffer {
  const der = new X509Certificate(certificate).raw
  const date = Buffer.alloc(8)
  date.writeBigInt64BE(BigInt(nowMs))
  return Buffer.concat([
    // The file's type, its version, and one entry.
    int32(0xfeedfeed, 2, 1),
    // The entry is a trusted certificate.
    int32(2),
    text('baton'),
    date,
    text('X.509'),
    int32(der.length),
    der,
    // Java skips this digest where it has no password.
    Buffer.alloc(20),
  ])
}

function int32(...values: number[]): Buffer {
  const made = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) made.writeUInt32BE(value, at * 4)
  return made
}

function text(value: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(value.length)
  return Buffer.concat([length, Buffer.from(value, 'ascii')])
}
