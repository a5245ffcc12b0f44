import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import type { RequestOptions } from 'node:http'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { type Environment, stateDir } from '../../../../packages/baton/src/config/places.ts'
import { stateFolder } from '../../../../packages/baton/src/config/state-folder.ts'

/** How to reach the daemon. */
export interface Endpoint {
  /** Distinguishes it from other daemons, even on other machines, because one editor stores secrets for all of them. */
  name: string
  options: Pick<RequestOptions, 'socketPath' | 'host' | 'port'>
  /** Grants access to the port but does not prove a person. Read at each use, because a new daemon may have a new one. */
  token(): string
}

/** Finds the daemon as hooks and commands do: BATON_ENDPOINT, else the socket in the state folder. */
export function findEndpoint(env: Environment, home: string, shortened: ShortPaths): Endpoint {
  const folder = stateFolder(stateDir(env, home))
  const override = env.BATON_ENDPOINT
  if (!override)
    return {
      name: `${hostname()} ${folder.socket}`,
      options: { socketPath: shortened.of(folder.socket) },
      token: () => tokenIn(folder.token),
    }
  const socket = /^unix:(\/.+)$/.exec(override)?.[1]
  const [, host, port] = /^http:\/\/([\w.-]+|\[[\da-f:]+\]):(\d{1,5})\/?$/.exec(override) ?? []
  if (socket === undefined && host === undefined)
    throw new BatonError('usage', 'BATON_ENDPOINT must be http://HOST:PORT or unix:/PATH')
  return {
    name: `${hostname()} ${override}`,
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
    // Reported below.
  }
  throw new BatonError('not_allowed', 'Cannot read the token of the Baton daemon', {
    remedy: 'Answer in a terminal instead: run `baton asks`.',
  })
}

/** The kernel limits a socket's path: 104 bytes on macOS, 108 on Linux. */
const MAX_LENGTH = 100

/**
 * Reaches a longer path through a symbolic link in a private folder. Baton's other programs change their working folder
 * instead; the extension host is shared with other extensions, so it must not.
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
