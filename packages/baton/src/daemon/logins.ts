import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ChannelMemory } from '../ports/ask-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'

/** Browsers and editors that a person let in. A printed link brings one in, once. */
export interface Logins {
  /** A code for one login within the next minutes. */
  code(): { code: string; expiresAt: string }
  /** This daemon's own word, which pages sign; every daemon has another. */
  readonly nonce: string
  /** Trades a code for a cookie, for a browser that has this public key; undefined when it is spent. */
  enter(code: string, key: string): Promise<{ cookie: string } | undefined>
  /**
   * Whether a request comes from a page that was let in. Cookies do not know ports, so another program's page on this
   * machine gets the cookie, too; the key stays with the origin that it was made in. What a page sends is its signature of
   * this daemon's word: who heard it in another daemon's time, or in none's, has nothing.
   */
  knows(headers: Pick<IncomingMessage, 'headers'>['headers']): boolean
  /** A stream that a login opened ends with it. */
  hold(headers: Pick<IncomingMessage, 'headers'>['headers'], response: Held): void
  /**
   * Ends the logins of another port than the daemon now has. Whoever listens there in its place, another user of the machine
   * perhaps, was sent cookie and key by every page that was still open.
   */
  moved(): Promise<void>
  /** Ends the logins whose time is over. */
  expire(): Promise<void>
  /** Ends this browser's login, or everybody's. */
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
  /** The cookie's name, and so the port, that it was given out under. */
  at: string
}

/** Opens the logins that were kept over a restart. Only digests are kept: who reads them gets in nowhere. */
export async function openLogins(
  memory: ChannelMemory,
  { clock, ids, cookieName }: { clock: Clock; ids: Ids; cookieName: () => string },
): Promise<Logins> {
  const nonce = ids.id(40)
  /** Signatures that were found good. */
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

  /** A login that is used stays; a browser's cookie ends after its time all the same. */
  function renew(name: string, login: Login): void {
    if (login.until - clock.now() > LOGIN_MS / 2) return
    login.until = clock.now() + LOGIN_MS
    // What could not be kept ends sooner, after a restart.
    memory.set(`${PREFIX}${name}`, JSON.stringify(login)).catch(() => {})
  }

  async function forget(name: string): Promise<void> {
    logins.delete(name)
    // Answers that have not begun yet still come: the one to the logout is among them.
    for (const response of held.get(name) ?? []) if (response.headersSent) response.destroy()
    await memory.delete(`${PREFIX}${name}`)
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A browser's public key, if it is one. */
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
