/** A repository as named by its remote address. */
export interface RepositoryRef {
  /** Lower case; with a port only if an http(s) address has one. */
  host: string
  /** The account; contains slashes if the service has nested groups. */
  owner: string
  name: string
}

/**
 * Parses a git remote address: https, http, ssh, git and scp forms (`git@host:owner/name.git`).
 * Undefined for local paths and for anything that does not clearly name a repository.
 * Ignores credentials in the address and never returns them.
 */
export function repositoryOf(remote: string): RepositoryRef | undefined {
  const address = remote.trim()
  if (address.length > 2048 || /[\s\p{Cc}]/u.test(address)) return undefined
  const place = schemeForm(address) ?? scpForm(address)
  if (!place || !/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?(:\d{1,5})?$/.test(place.host)) return undefined
  const path = place.path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '')
  const parts = path.split('/')
  const name = parts.pop()
  if (!name || parts.length === 0 || ![...parts, name].every(isName)) return undefined
  return { host: place.host, owner: parts.join('/'), name }
}

const isName = (part: string) => /^[A-Za-z0-9_.~-]{1,255}$/.test(part) && !/^\.+$/.test(part) && part !== '~'

interface Place {
  host: string
  path: string
}

function schemeForm(address: string): Place | undefined {
  const scheme = /^(https?|ssh|git|git\+ssh|git\+https):\/\//i.exec(address)?.[1]?.toLowerCase()
  if (!scheme) return undefined
  const url = URL.parse(address.replace(/^git\+/i, ''))
  if (!url) return undefined
  const isWeb = scheme.endsWith('https') || scheme === 'http'
  // ssh.github.com:443 is github.com for networks that block port 22.
  const host = url.hostname.toLowerCase() === 'ssh.github.com' ? 'github.com' : url.hostname.toLowerCase()
  if (url.search || url.hash) return undefined
  return { host: isWeb && url.port ? `${host}:${url.port}` : host, path: url.pathname }
}

function scpForm(address: string): Place | undefined {
  if (/^[a-z+]+:\/\//i.test(address)) return undefined
  const colon = address.indexOf(':')
  // As in git, a slash before the colon makes it a local path.
  if (colon < 1 || address.slice(0, colon).includes('/')) return undefined
  const who = address.slice(0, colon)
  const host = who.slice(who.lastIndexOf('@') + 1).toLowerCase()
  // One letter is a Windows drive; a leading dash would be an option to ssh.
  if (host.length < 2 || address.startsWith('-')) return undefined
  return { host: host === 'ssh.github.com' ? 'github.com' : host, path: address.slice(colon + 1) }
}
