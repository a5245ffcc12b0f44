import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Failure } from '@batonpass/contract/api'
import { BatonError } from '@batonpass/contract/errors'
import type { EditorLogin, LoginDoor } from './editor-login.ts'
import type { Endpoint } from './endpoint.ts'

/** What an answer is checked by: one of the contract's schemas. */
export interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: unknown }
}

/** The daemon's API, as this extension uses it. */
export interface Daemon {
  get<T>(path: string, schema: Schema<T>): Promise<T>
  post<T>(path: string, schema: Schema<T>, body: unknown, options?: PostOptions): Promise<T>
  /** Whether a person let this editor answer, and how they do: by a link of `baton dashboard`. */
  isLetIn(): Promise<boolean>
  enter(link: string): Promise<void>
  /** Tells of each journal entry's kind as it is written, until the stream or `signal` ends. */
  follow(window: WindowFacts, signal: AbortSignal, on: StreamHandler): Promise<void>
}

/** Which asks this window shows: while it listens and may answer, the daemon counts on it to reach a person. */
export interface WindowFacts {
  notify: 'all' | 'workspace' | 'off'
  folders: readonly string[]
}

export interface StreamHandler {
  open(): void
  entry(kind: string): void
}

export interface PostOptions {
  /** Shows that a person let this editor in. Only for what a person has just clicked. */
  asPerson?: boolean
  timeoutMs?: number
}

const TIMEOUT_MS = 10_000
/** The daemon gives a sign of life every 10 seconds; a stream that is silent for longer is dead. */
const SILENCE_MS = 30_000
const MAX_BYTES = 32 * 1024 * 1024

export function daemonClient(endpoint: () => Endpoint, login: EditorLogin): Daemon {
  /** What shows that a person let this editor in, and by which way an answer came. */
  const personal = async (at: Endpoint) => ({
    'baton-channel': 'vscode',
    ...(await login.headers(doorOf(at))),
  })
  return {
    get: async (path, schema) => read(schema, await send(endpoint(), 'GET', path)),
    post: async (path, schema, body, { asPerson = false, timeoutMs } = {}) => {
      const at = endpoint()
      const headers = asPerson ? await personal(at) : {}
      return read(schema, await send(at, 'POST', path, { headers, body, timeoutMs }))
    },
    isLetIn: () => login.isLetIn(doorOf(endpoint())),
    enter: link => login.enter(link, doorOf(endpoint())),
    follow: async (window, signal, on) => {
      const at = endpoint()
      await follow(at, window, await personal(at), signal, on)
    },
  }
}

function doorOf(endpoint: Endpoint): LoginDoor {
  return {
    name: endpoint.name,
    nonce: async () => read(Nonce, await send(endpoint, 'GET', '/login')).nonce,
    async enter(code, key) {
      const sent = await send(endpoint, 'POST', '/login', { body: { code, key } })
      read(Anything, sent)
      const [cookie] = /^[^;]+/.exec(sent.cookie ?? '') ?? []
      if (cookie === undefined) throw new BatonError('daemon_refused', 'The daemon gave no login')
      return cookie
    },
  }
}

const Nonce: Schema<{ nonce: string }> = {
  safeParse: value =>
    typeof value === 'object' && value !== null && 'nonce' in value && typeof value.nonce === 'string'
      ? { success: true, data: { nonce: value.nonce } }
      : { success: false, error: 'no nonce' },
}
const Anything: Schema<unknown> = { safeParse: value => ({ success: true, data: value }) }

function read<T>(schema: Schema<T>, { status, text }: { status: number; text: string }): T {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new BatonError('daemon_refused', 'What listens on the daemon socket does not answer as Baton does')
  }
  if (status >= 400) {
    const failure = Failure.safeParse(body)
    if (!failure.success) throw new BatonError('daemon_refused', `The daemon answered ${status}`)
    const { code, message, remedy } = failure.data.error
    throw new BatonError(code, message, remedy === undefined ? {} : { remedy })
  }
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new BatonError('protocol_unsupported', 'The daemon speaks another version than this extension', {
    remedy: 'Update Baton and its extension to the same version.',
    cause: parsed.error,
  })
}

interface Sent {
  headers?: Record<string, string>
  body?: unknown
  timeoutMs?: number | undefined
}

function send(
  endpoint: Endpoint,
  method: string,
  path: string,
  { headers = {}, body, timeoutMs = TIMEOUT_MS }: Sent = {},
): Promise<{ status: number; text: string; cookie: string | undefined }> {
  return new Promise((resolve, reject) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const req = open(endpoint, method, path, { ...headers, ...json })
    const late = new BatonError('timed_out', 'The daemon does not answer', {
      remedy: 'Run `baton down --force`, then `baton up`.',
    })
    const timer = setTimeout(() => req.destroy(late), timeoutMs)
    req.once('error', cause => {
      clearTimeout(timer)
      reject(cause instanceof BatonError ? cause : absent(cause))
    })
    req.once('response', response => {
      collect(response)
        .then(text => {
          const cookie = response.headers['set-cookie']?.[0]
          resolve({ status: response.statusCode ?? 500, text, cookie })
        }, reject)
        .finally(() => clearTimeout(timer))
    })
    req.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function collect(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BYTES) response.destroy(new BatonError('payload_too_large', 'The answer is too large'))
      else chunks.push(chunk)
    })
    response.once('error', cause => reject(cause instanceof BatonError ? cause : absent(cause)))
    response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
}

function follow(
  endpoint: Endpoint,
  { notify, folders }: WindowFacts,
  headers: Record<string, string>,
  signal: AbortSignal,
  on: StreamHandler,
): Promise<void> {
  const query = new URLSearchParams({ notify })
  for (const folder of folders) query.append('folder', folder)
  return new Promise((resolve, reject) => {
    const req = open(endpoint, 'GET', `/api/editor/events?${query}`, headers)
    const stop = () => req.destroy()
    const finish = (cause?: unknown) => {
      signal.removeEventListener('abort', stop)
      if (cause === undefined || signal.aborted) resolve()
      else reject(absent(cause))
    }
    signal.addEventListener('abort', stop, { once: true })
    req.setTimeout(SILENCE_MS, () => req.destroy(new Error('silent')))
    req.once('error', finish)
    req.once('response', response => {
      if (response.statusCode !== 200) {
        req.destroy(new Error(`status ${response.statusCode}`))
        return
      }
      on.open()
      response.setEncoding('utf8')
      let rest = ''
      response.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n')
        // Only the kinds are read here; a body of many megabytes is not kept while its end is awaited.
        rest = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH)
        for (const line of lines) if (line.startsWith('event: ')) on.entry(line.slice(7).trim())
      })
      response.once('error', finish)
      response.once('close', () => finish())
    })
    req.end()
  })
}

const MAX_LINE_LENGTH = 100

function open(
  endpoint: Endpoint,
  method: string,
  path: string,
  headers: Record<string, string>,
): ClientRequest {
  // Over a port every request needs the token; the socket can be opened by its owner only.
  const key = endpoint.options.socketPath === undefined ? { authorization: `Bearer ${endpoint.token()}` } : {}
  return request({ ...endpoint.options, method, path, headers: { host: 'baton', ...headers, ...key } })
}

const absent = (cause: unknown) =>
  new BatonError('daemon_absent', 'No Baton daemon is running', { remedy: 'Start it: baton up', cause })
