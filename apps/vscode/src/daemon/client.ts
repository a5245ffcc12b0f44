import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Failure } from '@batonpass/contract/api'
import { BatonError } from '@batonpass/contract/errors'
import type { EditorLogin, LoginDoor } from './editor-login.ts'
import type { Endpoint } from './endpoint.ts'

/** Checks an answer: one of the contract's schemas. */
export interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: unknown }
}

/** The daemon's API, as this extension uses it. */
export interface Daemon {
  get<T>(path: string, schema: Schema<T>): Promise<T>
  post<T>(path: string, schema: Schema<T>, body: unknown, options?: PostOptions): Promise<T>
  /** Whether a person has let this editor answer. */
  isLetIn(): Promise<boolean>
  /** Lets this editor answer, with a link from `baton dashboard`. */
  enter(link: string): Promise<void>
  /** Reports the kind of each journal entry as it is written, until the stream or `signal` ends. */
  follow(window: WindowFacts, signal: AbortSignal, on: StreamHandler): Promise<void>
}

/** Which asks this window shows. While it is connected and may answer, the daemon counts it as a way to reach a person. */
export interface WindowFacts {
  notify: 'all' | 'workspace' | 'off'
  folders: readonly string[]
}

export interface StreamHandler {
  open(): void
  entry(kind: string): void
}

export interface PostOptions {
  /** Send the proof that a person let this editor in. Only for what the user has just clicked. */
  asPerson?: boolean
  timeoutMs?: number
}

const TIMEOUT_MS = 10_000
/** The daemon sends a heartbeat every 10 seconds; a stream that is silent for this long is dead. */
const SILENCE_MS = 30_000
const MAX_BYTES = 32 * 1024 * 1024

export function daemonClient(endpoint: () => Endpoint, login: EditorLogin): Daemon {
  /** Headers that prove that a person let this editor in, and that name the channel. */
  const personal = async (at: Endpoint) => ({
    'baton-channel': 'vscode',
    ...(await login.headers(doorOf(at))),
  })
  return {
    get: async (path, schema) => parseAnswer(schema, await send(endpoint(), 'GET', path)),
    post: async (path, schema, body, { asPerson = false, timeoutMs } = {}) => {
      const at = endpoint()
      const headers = asPerson ? await personal(at) : {}
      return parseAnswer(schema, await send(at, 'POST', path, { headers, body, timeoutMs }))
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
    nonce: async () => parseAnswer(Nonce, await send(endpoint, 'GET', '/login')).nonce,
    async enter(code, key) {
      const sent = await send(endpoint, 'POST', '/login', { body: { code, key } })
      parseAnswer(Anything, sent)
      const [cookie] = /^[^;]+/.exec(sent.cookie ?? '') ?? []
      if (cookie === undefined)
        throw new BatonError(
          'daemon_refused',
          'The daemon did not return a login. Run `baton dashboard` again and paste the new link',
        )
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

function parseAnswer<T>(schema: Schema<T>, { status, text }: { status: number; text: string }): T {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new BatonError('daemon_refused', 'Another program answers on the daemon socket')
  }
  if (status >= 400) {
    const failure = Failure.safeParse(body)
    if (!failure.success) throw new BatonError('daemon_refused', `The daemon answered with status ${status}`)
    const { code, message, remedy } = failure.data.error
    throw new BatonError(code, message, remedy === undefined ? {} : { remedy })
  }
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new BatonError('protocol_unsupported', 'The daemon and this extension have different versions', {
    remedy: 'Update Baton and its extension to the same version.',
    cause: parsed.error,
  })
}

interface RequestParts {
  headers?: Record<string, string>
  body?: unknown
  timeoutMs?: number | undefined
}

function send(
  endpoint: Endpoint,
  method: string,
  path: string,
  { headers = {}, body, timeoutMs = TIMEOUT_MS }: RequestParts = {},
): Promise<{ status: number; text: string; cookie: string | undefined }> {
  return new Promise((resolve, reject) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const req = openRequest(endpoint, method, path, { ...headers, ...json })
    const late = new BatonError('timed_out', 'The daemon does not answer', {
      remedy: 'Run `baton down --force`, then `baton up`.',
    })
    const timer = setTimeout(() => req.destroy(late), timeoutMs)
    req.once('error', cause => {
      clearTimeout(timer)
      reject(cause instanceof BatonError ? cause : absent(cause))
    })
    req.once('response', response => {
      readBody(response)
        .then(text => {
          const cookie = response.headers['set-cookie']?.[0]
          resolve({ status: response.statusCode ?? 500, text, cookie })
        }, reject)
        .finally(() => clearTimeout(timer))
    })
    req.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function readBody(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BYTES)
        response.destroy(new BatonError('payload_too_large', 'The answer of the daemon is too large'))
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
    const req = openRequest(endpoint, 'GET', `/api/editor/events?${query}`, headers)
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
        // Only the kinds are read, so an entry of many megabytes is never buffered.
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

function openRequest(
  endpoint: Endpoint,
  method: string,
  path: string,
  headers: Record<string, string>,
): ClientRequest {
  // Over a port, every request needs the token; only its owner can open the socket.
  const key = endpoint.options.socketPath === undefined ? { authorization: `Bearer ${endpoint.token()}` } : {}
  return request({ ...endpoint.options, method, path, headers: { host: 'baton', ...headers, ...key } })
}

const absent = (cause: unknown) =>
  new BatonError('daemon_absent', 'No Baton daemon is running', {
    remedy: 'Start it with `baton up`.',
    cause,
  })
