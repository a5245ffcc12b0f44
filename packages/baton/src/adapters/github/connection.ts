import type { ThrottlingOptions } from '@octokit/plugin-throttling'
import type { z } from 'zod'
import type { Clock } from '../../ports/clock.ts'
import { asForgeError, unreadable } from './github-errors.ts'

/** One call as it went over the wire: tests and the daemon's log count these. */
export interface ApiCall {
  method: string
  /** Without the query, which may hold names of branches. */
  path: string
  /** The GraphQL operation's name. */
  operation: string | undefined
  /** 0: no answer. 304: nothing new, and free of charge. */
  status: number
}

export interface ConnectionOptions {
  /** e.g. https://api.github.com or https://ghe.example.com/api/v3 */
  apiUrl: string
  token: string
  clock: Clock
  userAgent: string
  onCall?: (call: ApiCall) => void
  /** Told by how much GitHub's clock is ahead of ours, in milliseconds. */
  onTime?: (offset: number) => void
  fetch?: typeof fetch
  /** How long one answer may take, in milliseconds. */
  timeout?: number
  /** The first pause before a failed reading is repeated, in milliseconds; 0 repeats at once. */
  retryPause?: number
  /** Whether writing calls keep GitHub's advised distance of a second. */
  paced?: boolean
}

/** How the adapter talks to GitHub. Every answer is checked, every failure is a ForgeError without the token in it. */
export interface Connection {
  /** A reading GET: repeated on trouble, and conditional when asked before. */
  get<T>(route: string, parameters: Values, answer: z.ZodType<T>): Promise<T>
  /** Anything that changes something: sent once, because a lost answer may hide a success. */
  send<T>(route: string, parameters: Values, answer: z.ZodType<T>): Promise<T>
  query<T>(document: string, variables: Values, answer: z.ZodType<T>, tolerate?: Tolerate): Promise<T>
  mutate<T>(document: string, variables: Values, answer: z.ZodType<T>): Promise<T>
  /** A plain GET that gives the response itself; the caller reads the body. Redirects are not followed. */
  raw(path: string): Promise<Response>
  /** The same for another host: never with the token. */
  download(url: string): Promise<Response>
}

type Values = Record<string, unknown>
/** Which parts of an answer may be missing, by the error's path. */
export type Tolerate = (path: readonly (string | number)[]) => boolean

export async function connect(options: ConnectionOptions): Promise<Connection> {
  // Loaded here, so that commands which never speak with GitHub do not pay for it.
  const [{ Octokit }, { retry }, { throttling }] = await Promise.all([
    import('@octokit/core'),
    import('@octokit/plugin-retry'),
    import('@octokit/plugin-throttling'),
  ])
  const scrub = scrubber(options.token)
  const wire = cacheResponses(observed(options))
  const pause = options.retryPause ?? 1000
  const Kit = Octokit.plugin(retry, throttling)
  const kit = (paced: boolean, retries: number) =>
    new Kit({
      auth: options.token,
      baseUrl: options.apiUrl,
      userAgent: options.userAgent,
      request: { fetch: wire },
      log: silence,
      // Refusals are final: asked again they would be refused again.
      retry: {
        doNotRetry: [400, 401, 403, 404, 409, 410, 422, 429, 451],
        retries,
        retryAfterBaseValue: pause,
      },
      throttle: throttle(pause, paced),
    })
  // The throttling plugin takes every GraphQL query for a write; readings need no such distance.
  const reading = kit(false, 2)
  const writing = kit(options.paced ?? true, 0)
  const failed = (error: unknown) => asForgeError(error, { scrub, now: options.clock.now() })

  const rest = async <T>(
    route: string,
    parameters: Values,
    answer: z.ZodType<T>,
    octokit: typeof reading,
  ) => {
    let data: unknown
    try {
      data = (await octokit.request(route, parameters)).data
    } catch (error) {
      throw failed(error)
    }
    return checked(data, answer, route)
  }

  const graphql = async <T>(
    document: string,
    variables: Values,
    answer: z.ZodType<T>,
    octokit: typeof reading,
    tolerate: Tolerate = () => false,
  ) => {
    let data: unknown
    try {
      data = await octokit.graphql(document, variables)
    } catch (error) {
      data = partial(error, tolerate)
      if (data === undefined) throw failed(error)
    }
    return checked(data, answer, operationOf(document) ?? 'a query')
  }

  const headers = { 'user-agent': options.userAgent }
  return {
    get: (route, parameters, answer) => rest(route, parameters, answer, reading),
    send: (route, parameters, answer) => rest(route, parameters, answer, writing),
    query: (document, variables, answer, tolerate) => graphql(document, variables, answer, reading, tolerate),
    mutate: (document, variables, answer) => graphql(document, variables, answer, writing),
    async raw(path) {
      try {
        const authorization = `token ${options.token}`
        const init = { headers: { ...headers, authorization }, redirect: 'manual' } as const
        return await wire(`${options.apiUrl}${path}`, init)
      } catch (error) {
        throw failed(error)
      }
    },
    async download(url) {
      try {
        return await wire(url, { headers, redirect: 'error' })
      } catch (error) {
        throw failed(error)
      }
    },
  }
}

/** Counts what really goes over the wire, retries included, and lets nothing hang. */
function observed(options: ConnectionOptions): typeof fetch {
  const send = options.fetch ?? fetch
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const call = { method: init?.method ?? 'GET', path: url.pathname, operation: operationIn(init?.body) }
    const limit = AbortSignal.timeout(options.timeout ?? 30_000)
    const signal = init?.signal ? AbortSignal.any([init.signal, limit]) : limit
    const { clock } = options
    const sent = clock.elapsed()
    try {
      const response = await send(input, { ...init, signal })
      const took = clock.elapsed() - sent
      const offset = offsetOf(response.headers, clock.now() - took / 2)
      if (offset !== undefined && took < SWIFT_MS) options.onTime?.(offset)
      options.onCall?.({ ...call, status: response.status })
      return response
    } catch (error) {
      options.onCall?.({ ...call, status: 0 })
      throw error
    }
  }
}

/** An answer that took longer says too little about the time. */
const SWIFT_MS = 10_000

/** By the Date header, which tells whole seconds; one out of a store on the way (it has an Age) tells nothing. */
function offsetOf(headers: Headers, now: number): number | undefined {
  const date = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(date) || headers.has('age') ? undefined : date + 500 - now
}

function operationIn(body: unknown): string | undefined {
  if (typeof body !== 'string' || !body.startsWith('{"query"')) return undefined
  return operationOf(body.slice(0, 200))
}

function operationOf(document: string): string | undefined {
  return /\b(?:query|mutation) (\w+)/.exec(document)?.[1]
}

function checked<T>(data: unknown, answer: z.ZodType<T>, what: string): T {
  const parsed = answer.safeParse(data)
  if (!parsed.success) throw unreadable(what, parsed.error)
  return parsed.data
}

/** The data of an answer whose only errors lie in parts the caller can do without. */
function partial(error: unknown, tolerate: Tolerate): unknown {
  if (!(error instanceof Error) || error.name !== 'GraphqlResponseError') return undefined
  const { errors, data } = error as Error & { errors?: { path?: (string | number)[] }[]; data?: unknown }
  if (!data || !errors?.every(({ path }) => path && tolerate(path))) return undefined
  return data
}

const silence = { debug() {}, info() {}, warn() {}, error() {} }

/** Short waits are sat out; a long one is the caller's, who can do something else meanwhile. */
function throttle(pause: number, paced: boolean): ThrottlingOptions {
  const patience = (seconds: number, _: unknown, __: unknown, tried: number) => tried < 1 && seconds <= 3
  const limits = { onRateLimit: patience, onSecondaryRateLimit: patience, retryAfterBaseValue: pause }
  // The plugin keeps the distance by queues that it shares in the whole process; these let everything through.
  return (paced ? limits : { ...limits, ...freeQueues }) as unknown as ThrottlingOptions
}

type Job = (...args: unknown[]) => unknown
const free = { key: () => ({ schedule: (_: unknown, job: Job, ...args: unknown[]) => job(...args) }) }
const freeQueues = { search: free, write: free, notifications: free }

/** Takes the token, and anything that looks like one, out of a text. */
export function scrubber(token: string): (text: string) => string {
  return text => {
    const own = token.length >= 4 ? text.replaceAll(token, '[token]') : text
    return own
      .replace(/\b(gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})/g, '[token]')
      .replace(/\b(bearer|token|basic)\s+[A-Za-z0-9._~+/=-]{16,}/gi, '$1 [token]')
  }
}

interface Remembered {
  etag: string
  body: string
  headers: Headers
}

const LIMIT = 200
const MAX_BYTES = 2_000_000

/** Repeats a GET conditionally: an unchanged answer costs nothing of the hourly allowance. */
export function cacheResponses(send: typeof fetch): typeof fetch {
  const memory = new Map<string, Remembered>()
  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if ((init?.method ?? 'GET') !== 'GET') return send(input, init)
    const known = memory.get(url)
    const headers = new Headers(init?.headers)
    if (known) headers.set('if-none-match', known.etag)
    const response = await send(input, { ...init, headers })
    if (response.status === 304 && known) {
      return new Response(known.body, { status: 200, headers: known.headers })
    }
    memory.delete(url)
    const etag = response.headers.get('etag')
    if (response.status !== 200 || !etag || !response.headers.get('content-type')?.includes('json'))
      return response
    const body = await response.text()
    if (body.length <= MAX_BYTES) {
      memory.set(url, { etag, body, headers: response.headers })
      // Maps keep the order of insertion: the first key is the one unused for longest.
      const oldest = memory.keys().next().value
      if (memory.size > LIMIT && oldest !== undefined) memory.delete(oldest)
    }
    return new Response(body, { status: 200, headers: response.headers })
  }
}
