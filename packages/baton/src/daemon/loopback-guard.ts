import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Allows programs with the token to use the loopback port, but never a web page of another origin. */
export function guardLoopback(
  request: Pick<IncomingMessage, 'headers'>,
  port: number,
  token: string,
): 'ok' | 'unauthorized' | 'forbidden' {
  if (!comesFromHere(request, port)) return 'forbidden'
  const given = /^Bearer ([0-9a-f]{64})$/.exec(request.headers.authorization ?? '')?.[1]
  return given !== undefined && sameSecret(given, token) ? 'ok' : 'unauthorized'
}

/** False for every request that a web page of another origin can send. */
export function comesFromHere({ headers }: Pick<IncomingMessage, 'headers'>, port: number): boolean {
  const { host, origin } = headers
  if (!isLoopback(host, port) && host !== CLIENT_HOST) return false
  if (origin !== undefined && !isLoopback(origin.replace(/^http:\/\//, ''), port)) return false
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}

/** Accepts only the address itself as Host: a rebound DNS name arrives with its own, and other names may reach other programs. */
export function isLoopback(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}`
}

/** Compares digests, so that the time it takes reveals neither content nor length. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

/** The Host header of hook clients, which may reach the port by another name (from a container) and send the token. */
const CLIENT_HOST = 'baton'
const digest = (text: string) => createHash('sha256').update(text).digest()
