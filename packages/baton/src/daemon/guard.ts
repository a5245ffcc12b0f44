import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Who may use the loopback port: a program with the token, never a web page of another origin. */
export function guardLoopback(
  request: Pick<IncomingMessage, 'headers'>,
  port: number,
  token: string,
): 'ok' | 'unauthorized' | 'forbidden' {
  if (!hostIsOurs(request.headers.host, port)) return 'forbidden'
  const { origin } = request.headers
  if (origin !== undefined && !hostIsOurs(withoutScheme(origin), port)) return 'forbidden'
  const site = request.headers['sec-fetch-site']
  if (typeof site === 'string' && site !== 'same-origin' && site !== 'none') return 'forbidden'
  const given = /^Bearer ([0-9a-f]{64})$/.exec(request.headers.authorization ?? '')?.[1]
  return given !== undefined && sameSecret(given, token) ? 'ok' : 'unauthorized'
}

/** A rebound DNS name arrives with its own Host: only literal loopback names are ours. */
export function hostIsOurs(host: string | undefined, port: number): boolean {
  return host !== undefined && LOOPBACK.some(name => host === `${name}:${port}`)
}

/** Compares digests, so that neither content nor length shows in the time it takes. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']
const digest = (text: string) => createHash('sha256').update(text).digest()
const withoutScheme = (origin: string): string => origin.replace(/^http:\/\//, '')
