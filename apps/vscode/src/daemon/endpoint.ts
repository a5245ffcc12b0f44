import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import type { RequestOptions } from 'node:http'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { type Environment, stateDir } from '../../../../packages/baton/src/config/places.ts'
import { stateFolder } from '../../../../packages/baton/src/config/state-folder.ts'

/** How the daemon is reached. */
export interface Endpoint {
  /** Tells it from other daemons, also of other machines: editors keep their secrets for all of them. */
  name: string
  options: Pick<RequestOptions, 'socketPath' | 'host' | 'port'>
  /** Opens the port, and proves no person. Read at each use: a daemon may have made a new one. */
  token(): string
}

/** Finds the daemon as hooks and commands do: BATON_ENDPOINT, else the socket in the state folder. */
export function findEndpoint(env: Environment, home: string, shortened: ShortPaths): Endpoint {
  const folder = stateFolder(stateDir(env, home))
  const elsewhere = env.BATON_ENDPOINT
  if (!elsewhere)
    return {
      name: `${hostname()} ${folder.socket}`,
      options: { socketPath: shortened.of(folder.socket) },
      token: () => tokenIn(folder.token),
    }
  const socket = /^unix:(\/.+)$/.exec(elsewhere)?.[1]
  const [, host, port] = /^http:\/\/([\w.-]+|\[[\da-f:]+\]):(\d{1,5})\/?$/.exec(elsewhere) ?? []
  if (socket === undefined && host === undefined)
    throw new BatonError('usage', 'BATON_ENDPOINT must be http://HOST:PORT or unix:/PATH')
  return {
    name: `${hostname()} ${elsewhere}`,
    options:
      socket === undefined
        ? { host: host?.replaceAll(/[[\]]/g, ''), port }
        : { socketPath: shortened.of(socket) },
    token: () => env.BATON_TOKEN || tokenIn(folder.token),
  }
}

function tokenIn(file: string): string {
  try {
    const token = readFileSync(file, 'utf8').trim()
    if (/^[0-9a-f]{64}$/.test(token)) return token
  } catch {
    // Said below.
  }
  throw new BatonError('not_allowed', 'The token of the Baton daemon cannot be read', {
    remedy: 'Answer in a terminal instead: baton asks',
  })
}

/** The kernel takes about 100 bytes for a socket's path; macOS 104, Linux 108. */
const MAX_LENGTH = 100

/**
 * A longer path is reached through a link in a private folder. Other programs move into the folder instead; the
 * extension host is shared with other extensions and must stay where it is.
 */
export class ShortPaths {
  readonly #links = new Map<string, string>()

  of(socket: string): string {
    if (Buffer.byteLength(socket) <= MAX_LENGTH) return socket
    const folder = dirname(socket)
    const known = this.#links.get(folder)
    const link = known ?? join(mkdtempSync(join(tmpdir(), 'baton-')), 's')
    if (known === undefined) {
      symlinkSync(folder, link)
      this.#links.set(folder, link)
    }
    return join(link, basename(socket))
  }

  dispose(): void {
    for (const link of this.#links.values()) rmSync(dirname(link), { recursive: true, force: true })
    this.#links.clear()
  }
}
