import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { isIP } from 'node:net'

/** Signs certificates for the hosts that a proxy speaks for. */
export interface CertificateAuthority {
  /** What programs have to trust, in PEM. */
  readonly certificate: string
  /** Its own key, in PEM. Stays in memory, except for an agent that outlives the daemon. */
  readonly key: string
  /** A key and a certificate for one host name or address. */
  issue(host: string): { key: string; cert: string }
}

/** Long enough for any session; a clock that is a day off still accepts it. */
const BEFORE_MS = 24 * 3_600_000
const VALID_MS = 365 * 24 * 3_600_000

/** A new authority, or the one that a previous daemon made. */
export function createAuthority(
  name: string,
  now: number,
  kept?: Pick<CertificateAuthority, 'certificate' | 'key'>,
): CertificateAuthority {
  const own = kept ? keysOf(kept.key) : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const validity = { from: now - BEFORE_MS, to: now + VALID_MS }
  const ownId = keyId(own.publicKey)
  const certificate =
    kept?.certificate ??
    pem(
      signed(own.privateKey, {
        issuer: name,
        subject: name,
        ...validity,
        publicKey: own.publicKey,
        extensions: [
          extension('2.5.29.19', sequence(BOOLEAN_TRUE, integer(Buffer.from([0]))), true),
          // Signs certificates, nothing else.
          extension('2.5.29.15', tagged(0x03, Buffer.from([2, 0b00000100])), true),
          extension('2.5.29.14', tagged(0x04, ownId)),
        ],
      }),
    )
  const issued = new Map<string, { key: string; cert: string }>()
  const host = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateText(host.privateKey)
  return {
    certificate,
    key: privateText(own.privateKey),
    issue(hostName) {
      const known = issued.get(hostName)
      if (known) return known
      const cert = pem(
        signed(own.privateKey, {
          issuer: name,
          subject: 'Baton',
          ...validity,
          publicKey: host.publicKey,
          extensions: [
            extension('2.5.29.17', sequence(alternativeName(hostName)), true),
            extension('2.5.29.15', tagged(0x03, Buffer.from([7, 0b10000000])), true),
            extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))),
            extension('2.5.29.14', tagged(0x04, keyId(host.publicKey))),
            extension('2.5.29.35', sequence(tagged(0x80, ownId))),
          ],
        }),
      )
      const made = { key, cert }
      issued.set(hostName, made)
      return made
    },
  }
}

const privateText = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

function keysOf(text: string): { privateKey: KeyObject; publicKey: KeyObject } {
  const privateKey = createPrivateKey(text)
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

interface Contents {
  issuer: string
  subject: string
  from: number
  to: number
  publicKey: KeyObject
  extensions: readonly Buffer[]
}

/** X.509 version 3, signed with ECDSA and SHA-256. */
function signed(key: KeyObject, { issuer, subject, from, to, publicKey, extensions }: Contents): Buffer {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'))
  const serial = randomBytes(16)
  // Positive, and without a leading zero byte.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    distinguishedName(issuer),
    sequence(time(from), time(to)),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  )
  const signature = createSign('sha256').update(body).sign(key)
  return sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
}

const keyId = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()

function alternativeName(host: string): Buffer {
  const family = isIP(host)
  if (family === 0) return tagged(0x82, Buffer.from(host, 'ascii'))
  return tagged(0x87, family === 4 ? Buffer.from(host.split('.').map(Number)) : ipv6Bytes(host))
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser writes it in its shortest form, with any IPv4 part in hexadecimal digits.
  const [head = '', tail] = new URL(`http://[${address.split('%')[0]}]/`).hostname.slice(1, -1).split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map(part => Number.parseInt(part, 16)))
  const [before, after] = [groups(head), groups(tail ?? '')]
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
  return Buffer.from(all.flatMap(group => [group >> 8, group & 0xff]))
}

// The parts of DER that a certificate needs.
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts))
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes)
const BOOLEAN_TRUE = Buffer.from([0x01, 0x01, 0xff])

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = rest.flatMap(number => {
    const groups = [number & 0x7f]
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128))
      groups.unshift((left & 0x7f) | 0x80)
    return groups
  })
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]))
}

const distinguishedName = (name: string): Buffer =>
  sequence(tagged(0x31, sequence(oid('2.5.4.3'), tagged(0x0c, Buffer.from(name, 'utf8')))))

/** UTCTime, which is required before 2050, or GeneralizedTime. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+/, '').replace(/[-:T]/g, '')
  return Number(digits.slice(0, 4)) < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2), 'ascii'))
    : tagged(0x18, Buffer.from(digits, 'ascii'))
}

const extension = (id: string, value: Buffer, isCritical = false): Buffer =>
  sequence(oid(id), ...(isCritical ? [BOOLEAN_TRUE] : []), tagged(0x04, value))

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${(der.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`
