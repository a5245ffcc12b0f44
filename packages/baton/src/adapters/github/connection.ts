import type { ThrottlingOptions } from '@octokit/plugin-throttling'
import type { z } from 'zod'
import type { Clock } from '../../ports/clock.ts'
import { asForgeError, unreadable } from './github-errors.ts'

/** One call as it was sent: tests and the daemon's log count these. */
export interface ApiCall {
  method: string
  /** Without the query, which may contain branch names. */
  path: string
  /** The GraphQL operation's name. */
  operation: string | undefined
  /** 0: no answer. 304: unchanged, and free of charge. */
  status: number
}

export interface ConnectionOptions {
  /** e.g. https://api.github.com or https://ghe.example.com/api/v3 */
  apiUrl: string
  token: string
  clock: Clock
  userAgent: string
  onCall?: (call: ApiCall) => void
  /** Called with how far GitHub's clock is ahead of ours, in milliseconds. */
  onTime?: (offset: number) => void
  fetch?: typeof fetch
  /** How long one answer may take, in milliseconds. */
  timeout?: number
  /** The first pause before a failed read is repeated, in milliseconds; 0 repeats at once. */
  retryPause?: number
  /** Whether writes keep the distance of one second that GitHub recommends. */
  paced?: boolean
}

/** How the adapter talks to GitHub. Checks every answer; every failure is a ForgeError that does not contain the token. */
export interface Connection {
  /** Reads with GET: repeated on temporary failures, and conditional if it was read before. */
  get<T>(route: string, parameters: Values, answer: z.ZodType<T>): Promise<T>
  /** Changes something: sent only once, because it may have succeeded even if its answer is lost. */
  send<T>(route: string, parameters: Values, answer: z.ZodType<T>): Promise<T>
  query<T>(document: string, variables: Values, answer: z.ZodType<T>, tolerate?: Tolerate): Promise<T>
  mutate<T>(document: string, variables: Values, answer: z.ZodType<T>): Promise<T>
  /** A plain GET that returns the response; the caller reads the body. Does not follow redirects. */
  raw(path: string): Promise<Response>
  /** The same for another host, always without the token. */
  download(url: string): Promise<Response>
}

type Values = Record<string, unknown>
/** Which parts of an answer may be missing, by the error's path. */
export type Tolerate = (path: readonly (string | number)[]) => boolean

export async function connect(options: ConnectionOptions): Promise<Connection> {
  // Loaded lazily, so that commands that never contact GitHub do not pay for it.
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
      // A refusal is final: another attempt would be refused as well.
      retry: {
        doNotRetry: [400, 401, 403, 404, 409, 410, 422, 429, 451],
        retries,
        retryAfterBaseValue: pause,
      },
      throttle: throttle(pause, paced),
    })
  // The throttling plugin treats every GraphQL query as a write, but reads need no pause.
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

/** Counts every call that is really sent, retries included, and adds a timeout to each. */
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

/** A slower answer is too imprecise to read the clock from. */
const SWIFT_MS = 10_000

/** How far GitHub's clock is ahead, from the Date header (whole seconds). Undefined for a cached answer, which has an Age. */
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

/** The data of an answer whose errors are only in parts that the caller can do without. */
function partial(error: unknown, tolerate: Tolerate): unknown {
  if (!(error instanceof Error) || error.name !== 'GraphqlResponseError') return undefined
  const { errors, data } = error as Error & { errors?: { path?: (string | number)[] }[]; data?: unknown }
  if (!data || !errors?.every(({ path }) => path && tolerate(path))) return undefined
  return data
}

const silence = { debug() {}, info() {}, warn() {}, error() {} }

/** Waits out short rate limits; reports a long one to the caller, who can do something else meanwhile. */
function throttle(pause: number, paced: boolean): ThrottlingOptions {
  const patience = (seconds: number, _: unknown, __: unknown, tried: number) => tried < 1 && seconds <= 3
  const limits = { onRateLimit: patience, onSecondaryRateLimit: patience, retryAfterBaseValue: pause }
  // The plugin paces calls with queues that the whole process shares; these queues let everything through.
  return (paced ? limits : { ...limits, ...freeQueues }) as unknown as ThrottlingOptions
}

type Job = (...args: unknown[]) => unknown
const free = { key: () => ({ schedule: (_: unknown, job: Job, ...args: unknown[]) => job(...args) }) }
const freeQueues = { search: free, write: free, notifications: free }

/** Removes the token, and anything that looks like one, from a text. */
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

/** Repeats a GET conditionally: an unchanged answer does not count against the hourly limit. */
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
      // Maps keep insertion order: the first key is the least recently used.
      const oldest = memory.keys().next().value
      if (memory.size > LIMIT && oldest !== undefined) memory.delete(oldest)
    }
    return new Response(body, { status: 200, headers: response.headers })
  }
}
