import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ChannelMemory } from '../ports/ask-store.ts'
import type { Chance } from '../ports/chance.ts'
import type { Clock } from '../ports/clock.ts'
import { sameSecret } from './guard.ts'

/** Browsers that a person let in. A printed link brings one in, once. */
export interface Logins {
  /** A code for one login within the next minutes. */
  code(): { code: string; expiresAt: string }
  /** Trades a code for what the browser keeps (a cookie) and what the page keeps (its key); undefined when it is spent. */
  enter(code: string): Promise<{ cookie: string; key: string } | undefined>
  /**
   * Whether a request comes from a page that was let in. Cookies do not know ports, so another program's page on this
   * machine gets the cookie, too; the key stays with the origin that it was given to.
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
const MOST_CODES = 20
const MOST_LOGINS = 50
const PREFIX = 'login:'

type Held = Pick<ServerResponse, 'headersSent' | 'destroy' | 'once'>

interface Login {
  key: string
  until: number
  /** The cookie's name, and so the port, that it was given out under. */
  at: string
}

/** Opens the logins that were kept over a restart. Only digests are kept: who reads them gets in nowhere. */
export async function openLogins(
  memory: ChannelMemory,
  { clock, chance, cookieName }: { clock: Clock; chance: Chance; cookieName: () => string },
): Promise<Logins> {
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
    code() {
      const now = clock.now()
      for (const [old, until] of codes) if (until <= now || codes.size >= MOST_CODES) codes.delete(old)
      const code = chance.id(32)
      codes.set(digest(code), now + CODE_MS)
      return { code, expiresAt: new Date(now + CODE_MS).toISOString() }
    },
    async enter(code) {
      const until = codes.get(digest(code))
      codes.delete(digest(code))
      if (until === undefined || until <= clock.now()) return undefined
      const [cookie, key] = [chance.id(40), chance.id(40)]
      const login = { key: digest(key), until: clock.now() + LOGIN_MS, at: cookieName() }
      const [oldest] = logins.keys()
      if (logins.size >= MOST_LOGINS && oldest !== undefined) await forget(oldest)
      await memory.set(`${PREFIX}${digest(cookie)}`, JSON.stringify(login))
      logins.set(digest(cookie), login)
      return { cookie, key }
    },
    knows(headers) {
      const [cookie, key] = [cookieOf(headers), headers['baton-page']]
      if (cookie === undefined || typeof key !== 'string') return false
      const login = logins.get(digest(cookie))
      if (login === undefined || login.until <= clock.now() || login.at !== cookieName()) return false
      return sameSecret(digest(key), login.key)
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

  async function forget(name: string): Promise<void> {
    logins.delete(name)
    // Answers that have not begun yet still come: the one to the logout is among them.
    for (const response of held.get(name) ?? []) if (response.headersSent) response.destroy()
    await memory.delete(`${PREFIX}${name}`)
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

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
