import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Who may use the loopback port: a program with the token, never a web page of another origin. */
export function guardLoopback(
  request: Pick<IncomingMessage, 'headers'>,
  port: number,
  token: string,
): 'ok' | 'unauthorized' | 'forbidden' {
  if (!comesFromHere(request, port)) return 'forbidden'
  const given = /^Bearer ([0-9a-f]{64})$/.exec(request.headers.authorization ?? '')?.[1]
  return given !== undefined && sameSecret(given, token) ? 'ok' : 'unauthorized'
}

/** False for what a web page of another origin can send. */
export function comesFromHere({ headers }: Pick<IncomingMessage, 'headers'>, port: number): boolean {
  const { host, origin } = headers
  if (!isLoopback(host, port) && host !== CLIENT_HOST) return false
  if (origin !== undefined && !isLoopback(origin.replace(/^http:\/\//, ''), port)) return false
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}

/** A rebound DNS name arrives with its own Host. Only the address itself is ours: other names may lead to other listeners. */
export function isLoopback(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}`
}

/** Compares digests, so that neither content nor length shows in the time it takes. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

/** What hook clients say, who may reach the port by another name (from a container) and bring the token. */
const CLIENT_HOST = 'baton'
const digest = (text: string) => createHash('sha256').update(text).digest()
