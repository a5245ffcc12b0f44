import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

export type AddressKind = 'public' | 'private' | 'loopback' | 'special'

function list(ranges: readonly string[]): BlockList {
  const made = new BlockList()
  for (const range of ranges) {
    const [address = '', bits = '0'] = range.split('/')
    made.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4')
  }
  return made
}

const LOOPBACK = list(['127.0.0.0/8', '::1/128'])
const PRIVATE = list(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'])
/** Of this host, link-local (metadata services of clouds), multicast, reserved, and forms that stand for an IPv4 address. */
const SPECIAL = list([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/128',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:db8::/32',
  '2002::/16',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
])

/** What kind of network an address belongs to. What is not an address is special. */
export function addressKind(address: string): AddressKind {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return addressKind(mapped)
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined
  if (!family || address.includes('%') || /^::ffff:/i.test(address)) return 'special'
  if (LOOPBACK.check(address, family)) return 'loopback'
  if (SPECIAL.check(address, family)) return 'special'
  return PRIVATE.check(address, family) ? 'private' : 'public'
}

/** Whether a name means this machine by its own words, not by what a name server says. */
export const namesLoopback = (host: string): boolean =>
  host === 'localhost' || addressKind(host) === 'loopback'

/** Whether a host is an address that no rule opens, such as that of a cloud's metadata. */
export const isClosedAddress = (host: string): boolean => isIP(host) !== 0 && addressKind(host) === 'special'

/** Whether the proxy may connect to what a host resolved to. */
export function mayConnect(address: string, rule: { host: string; isUsers: boolean }): boolean {
  const kind = addressKind(address)
  if (kind === 'public') return true
  if (!rule.isUsers) return false
  return kind === 'private' || (kind === 'loopback' && namesLoopback(rule.host))
}
