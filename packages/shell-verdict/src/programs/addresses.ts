import type { Word } from '../shell/word.ts'
import type { Kind } from './kinds.ts'

/** Addresses at which a cloud hands a machine its own credentials. */
const METADATA = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  'metadata.google.internal',
  'metadata',
  'instance-data',
  'metadata.tencentyun.com',
])

/** Why a request to this address does more than fetch a page, or undefined. */
export function findAddressHazard({
  value,
  choices,
  text,
}: Word): { kind: Kind; reason: string } | undefined {
  const addresses = value === undefined ? choices : [value]
  if (!addresses) return { kind: 'unlisted', reason: `uses an address only known when it runs: ${text}` }
  if (addresses.some(address => METADATA.has(canonicalHost(address))))
    return { kind: 'credential', reason: 'asks the cloud for the credentials of this machine' }
  if (addresses.some(address => address.includes('?')))
    return { kind: 'remote', reason: 'sends what its address carries after the question mark' }
  return undefined
}

/** `0xA9FEA9FE`, `169.254.43518` and `169.254.169.254.` are one address, also when they are mapped to IPv6. */
function canonicalHost(address: string): string {
  const plain = /^[a-z][\w+.-]*:\/\//i.test(address) ? address.replace(/^[^:]*/, 'http') : `http://${address}`
  try {
    const { hostname } = new URL(plain)
    const mapped = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(hostname)
    if (!mapped) return hostname.replace(/\.$/, '')
    const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)]
    return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  } catch {
    return ''
  }
}
