import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ChannelMemory } from '../ports/ask-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'

/** Logins of browsers and editors. A printed link logs in one of them, once. */
export interface Logins {
  /** Creates a code for one login within the next minutes. */
  code(): { code: string; expiresAt: string }
  /** The random value that pages sign; different for every daemon process. */
  readonly nonce: string
  /** Exchanges a code for a cookie, for a browser with this public key; undefined if the code is used or expired. */
  enter(code: string, key: string): Promise<{ cookie: string } | undefined>
  /**
   * Whether a request comes from a logged-in page. Cookies ignore ports, so a page of another program on this machine gets
   * the cookie, too; but the key stays in the origin that created it. A page sends its signature of this daemon's nonce, so
   * a signature captured under another daemon is worthless.
   */
  knows(headers: Pick<IncomingMessage, 'headers'>['headers']): boolean
  /** Registers a stream that ends when its login ends. */
  hold(headers: Pick<IncomingMessage, 'headers'>['headers'], response: Held): void
  /**
   * Ends the logins of any port but the daemon's current one. Another user's program may listen on the old port by now, and
   * every page that was still open has sent it the cookie and the signature.
   */
  moved(): Promise<void>
  /** Ends expired logins. */
  expire(): Promise<void>
  /** Ends this browser's login or, without headers, every login. */
  leave(headers?: Pick<IncomingMessage, 'headers'>['headers']): Promise<void>
}

const CODE_MS = 10 * 60_000
export const LOGIN_MS = 30 * 24 * 3_600_000
const MAX_CODES = 20
const MAX_LOGINS = 50
const MAX_PROVEN = 1000
const MAX_PROOF_LENGTH = 200
const PREFIX = 'login:'

type Held = Pick<ServerResponse, 'headersSent' | 'destroy' | 'once'>

interface Login {
  /** The browser's public key. */
  key: string
  until: number
  /** The name of the cookie, which includes the port it was issued for. */
  at: string
}

/** Loads the stored logins. Only digests are stored, so reading them does not allow a login. */
export async function openLogins(
  memory: ChannelMemory,
  { clock, ids, cookieName }: { clock: Clock; ids: Ids; cookieName: () => string },
): Promise<Logins> {
  const nonce = ids.id(40)
  /** Signatures that were verified. */
  const proven = new Set<string>()
  const codes = new Map<string, number>()
  const logins = new Map<string, Login>()
  const held = new Map<string, Set<Held>>()
  for (const { key, value } of await memory.list(PREFIX)) {
    const login = readLogin(value)
    if (login && login.until > clock.now()) logins.set(key.slice(PREFIX.length), login)
    else await memory.delete(key)
  }
  const cookieOf = (headers: IncomingMessage['headers']): string | undefined =>
    (headers.cookie ?? '')
      .split(';')
      .map(pair => pair.trim())
      .find(pair => pair.startsWith(`${cookieName()}=`))
      ?.slice(cookieName().length + 1)

  return {
    nonce,
    code() {
      const now = clock.now()
      for (const [old, until] of codes) if (until <= now || codes.size >= MAX_CODES) codes.delete(old)
      const code = ids.id(32)
      codes.set(digest(code), now + CODE_MS)
      return { code, expiresAt: new Date(now + CODE_MS).toISOString() }
    },
    async enter(code, key) {
      if (!publicKey(key)) return undefined
      const until = codes.get(digest(code))
      codes.delete(digest(code))
      if (until === undefined || until <= clock.now()) return undefined
      const cookie = ids.id(40)
      const login = { key, until: clock.now() + LOGIN_MS, at: cookieName() }
      const [oldest] = logins.keys()
      if (logins.size >= MAX_LOGINS && oldest !== undefined) await forget(oldest)
      await memory.set(`${PREFIX}${digest(cookie)}`, JSON.stringify(login))
      logins.set(digest(cookie), login)
      return { cookie }
    },
    knows(headers) {
      const [cookie, proof] = [cookieOf(headers), headers['baton-page']]
      if (cookie === undefined || typeof proof !== 'string' || proof.length > MAX_PROOF_LENGTH) return false
      const login = logins.get(digest(cookie))
      if (login === undefined || login.until <= clock.now() || login.at !== cookieName()) return false
      const seen = digest(`${cookie} ${proof}`)
      if (!proven.has(seen)) {
        if (!isSigned(login.key, `${cookieName()} ${nonce}`, proof)) return false
        if (proven.size >= MAX_PROVEN) proven.clear()
        proven.add(seen)
      }
      renew(digest(cookie), login)
      return true
    },
    hold(headers, response) {
      const name = digest(cookieOf(headers) ?? '')
      const streams = held.get(name) ?? new Set()
      held.set(name, streams.add(response))
      response.once('close', () => {
        streams.delete(response)
        if (streams.size === 0 && held.get(name) === streams) held.delete(name)
      })
    },
    async moved() {
      for (const [name, { at }] of logins) if (at !== cookieName()) await forget(name)
    },
    async expire() {
      for (const [name, { until }] of logins) if (until <= clock.now()) await forget(name)
    },
    async leave(headers) {
      const cookie = headers && cookieOf(headers)
      const gone = headers ? (cookie === undefined ? [] : [digest(cookie)]) : [...logins.keys()]
      for (const each of gone) await forget(each)
    },
  }

  /** Extends a login that is used. The browser's cookie still ends at its own time. */
  function renew(name: string, login: Login): void {
    if (login.until - clock.now() > LOGIN_MS / 2) return
    login.until = clock.now() + LOGIN_MS
    // If storing fails, the login ends sooner, after a restart.
    memory.set(`${PREFIX}${name}`, JSON.stringify(login)).catch(() => {})
  }

  async function forget(name: string): Promise<void> {
    logins.delete(name)
    // Keep responses that have not started: the one to the logout is among them.
    for (const response of held.get(name) ?? []) if (response.headersSent) response.destroy()
    await memory.delete(`${PREFIX}${name}`)
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Parses a browser's public key; undefined if it is not valid. */
function publicKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64url'), format: 'der', type: 'spki' })
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}

function isSigned(key: string, words: string, proof: string): boolean {
  const known = publicKey(key)
  if (!known) return false
  const signature = Buffer.from(proof, 'base64url')
  return verify('sha256', Buffer.from(words), { key: known, dsaEncoding: 'ieee-p1363' }, signature)
}

function readLogin(text: string): Login | undefined {
  try {
    const { key, until, at }: Partial<Login> = JSON.parse(text)
    return typeof key === 'string' && typeof until === 'number' && typeof at === 'string'
      ? { key, until, at }
      : undefined
  } catch {
    return undefined
  }
}
