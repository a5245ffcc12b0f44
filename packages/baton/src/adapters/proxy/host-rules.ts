import { type Blocked, type HostRule, isAmbiguousPath, type Target } from '../../ports/network.ts'
import { isClosedAddress } from './addresses.ts'

/** `http://host:port` as text, with the port only where it is not the usual one. */
export const describeTarget = ({ scheme, host, port }: Target): string => {
  const name = host.includes(':') ? `[${host}]` : host
  return port === (scheme === 'https' ? 443 : 80) ? name : `${name}:${port}`
}

/** The rule for a server; a host is compared as a whole, never by its end. */
export function ruleFor(rules: readonly HostRule[], { scheme, host, port }: Target): HostRule | undefined {
  return rules.find(rule => rule.scheme === scheme && rule.host === host && rule.port === port)
}

export const blockedHost = (target: Target): Blocked =>
  isClosedAddress(target.host)
    ? blockedAddress(target)
    : {
        what: describeTarget(target),
        message: `Baton's sandbox blocks ${describeTarget(target)}: it is not a package registry of the user and not in sandbox.hosts. Ask the user to add it to sandbox.hosts, or work without it.`,
        target,
      }

/** `isExtendable`: a person may be asked to allow this method. */
export const blockedMethod = (method: string, target: Target, isExtendable = false): Blocked => ({
  what: `${method} ${describeTarget(target)}`,
  message: `Baton's sandbox blocks ${method} to ${describeTarget(target)}: commands may only read there.`,
  ...(isExtendable ? { target, method } : {}),
})

export const blockedAddress = (target: Target): Blocked => ({
  what: describeTarget(target),
  message: `Baton's sandbox blocks ${describeTarget(target)}: its address is on this machine, in a private network or reserved.`,
})

/** The login for a path, if its rule has one. A path that a server might read as another one gets none. */
export function loginFor({ logins = [] }: HostRule, path: string): string | undefined {
  const [plain = ''] = path.split('?')
  if (isAmbiguousPath(plain)) return undefined
  const found = [...logins]
    .sort((a, b) => b.path.length - a.path.length)
    .find(login => plain.startsWith(login.path))
  // Accounts and tokens of an npm registry are below `-/`; packages are not.
  return found && !/^-(?:\/|%2f)/i.test(plain.slice(found.path.length)) ? found.authorization : undefined
}

/** A host and port from `CONNECT host:port` or a Host header; undefined if it is not exactly that. */
export function parseAuthority(
  text: string,
  usualPort: number | undefined,
): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?))(?::(\d{1,5}))?$/i.exec(text)
  const host = match?.[1] ?? match?.[2]
  const port = match?.[3] === undefined ? usualPort : Number(match[3])
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined
  return { host: host.toLowerCase(), port }
}
