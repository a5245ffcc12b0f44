import { request as httpRequest, type RequestOptions } from 'node:http'
import { PROTOCOL } from '@batonpass/contract/protocol'
import { shortSocketPath } from './socket-path.ts'

/** One hook call to make, as the Node client makes it; the launchers follow the same steps. */
export interface ClientCall {
  agent: string
  event: string
  source: string
  body: Buffer
  request: string
  retry: boolean
  /** Where the daemon listens. */
  socket: string
  /** `http://host:port` or `unix:/path`, instead of the socket. */
  endpoint?: string | undefined
  token?: string | undefined
  headers: Record<string, string | undefined>
  /** The whole call may take this long. */
  withinMs: number
  /** Starts a daemon; called once, when none can be reached. */
  start(): void
}

export type ClientAnswer = { answer: string } | { failed: string }

const FIRST_BYTE_MS = 1000
const HEARTBEAT_MS = 5000
const START_MS = 5000
const ATTEMPTS = 50

/** Asks the daemon, starting it where none runs, and never takes longer than it may. */
export async function askDaemon(call: ClientCall): Promise<ClientAnswer> {
  const deadline = AbortSignal.timeout(call.withinMs)
  let failed = 'the daemon did not answer'
  let started = false
  let startBy = Number.POSITIVE_INFINITY
  for (let attempt = 1; attempt <= ATTEMPTS && !deadline.aborted; ) {
    const result = await attemptOnce(call, call.retry || attempt > 1, deadline)
    if ('answer' in result) return result
    failed = result.failed
    if (result.reason === 'absent') {
      if (call.endpoint || performance.now() > startBy) break
      if (!started) {
        started = true
        startBy = performance.now() + START_MS
        call.start()
      }
      await new Promise(resolve => setTimeout(resolve, 20))
    } else if (result.reason === 'lost') {
      attempt++
      started = false
      startBy = Number.POSITIVE_INFINITY
    } else break
  }
  return { failed: deadline.aborted ? 'time is up' : failed }
}

type Attempt = { answer: string } | { failed: string; reason: 'absent' | 'lost' | 'hung' | 'refused' }

function attemptOnce(call: ClientCall, retry: boolean, deadline: AbortSignal): Promise<Attempt> {
  return new Promise(resolve => {
    let patience: NodeJS.Timeout | undefined
    const end = (result: Attempt) => {
      clearTimeout(patience)
      deadline.removeEventListener('abort', onDeadline)
      resolve(result)
      request.destroy()
    }
    const onDeadline = () => end({ failed: 'time is up', reason: 'hung' })
    const wait = (ms: number) => {
      clearTimeout(patience)
      patience = setTimeout(() => end({ failed: 'the daemon did not answer', reason: 'hung' }), ms)
    }
    const request = httpRequest({
      ...target(call),
      method: 'POST',
      path: `/hook/${call.agent}`,
      headers: headersOf(call, retry),
    })
    deadline.addEventListener('abort', onDeadline, { once: true })
    wait(FIRST_BYTE_MS)
    let connected = false
    request.on('socket', socket =>
      socket.once('connect', () => {
        connected = true
      }),
    )
    request.on('error', cause =>
      end(
        connected
          ? { failed: 'the daemon died before it answered', reason: 'lost' }
          : { failed: `no daemon could be reached (${cause.message})`, reason: 'absent' },
      ),
    )
    request.on('response', response => {
      const chunks: Buffer[] = []
      wait(HEARTBEAT_MS)
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        wait(HEARTBEAT_MS)
      })
      const finish = () => {
        const text = Buffer.concat(chunks).toString('utf8')
        if (response.statusCode !== 200)
          end({ failed: `the daemon refused (${response.statusCode}) ${messageOf(text)}`, reason: 'refused' })
        else if (!response.headers['baton-protocol'])
          end({ failed: 'something else answered on the socket', reason: 'refused' })
        else if (/^ *\{[^\n]*\}\n$/.test(text)) end({ answer: text.trim() })
        else end({ failed: 'the daemon died before it answered', reason: 'lost' })
      }
      response.once('end', finish)
      response.once('error', finish)
      response.once('aborted', finish)
    })
    request.end(call.body)
  })
}

function target({ endpoint, socket }: ClientCall): RequestOptions {
  if (endpoint?.startsWith('unix:')) return { socketPath: shortSocketPath(endpoint.slice(5)) }
  if (!endpoint) return { socketPath: shortSocketPath(socket) }
  const url = new URL(endpoint)
  return { host: url.hostname, port: url.port || 80 }
}

function headersOf(call: ClientCall, retry: boolean): Record<string, string | number> {
  const headers: Record<string, string | number> = {
    'content-type': 'application/json',
    'content-length': call.body.length,
    'baton-protocol': PROTOCOL,
    'baton-request': call.request,
    'baton-source': call.source,
    connection: 'close',
  }
  for (const [name, value] of Object.entries({ event: call.event, ...call.headers })) {
    if (value) headers[`baton-${name}`] = headerText(value)
  }
  if (retry) headers['baton-retry'] = '1'
  if (call.token && call.endpoint) headers.authorization = `Bearer ${headerText(call.token)}`
  return headers
}

/** UTF-8 bytes in a header, and no control character that could end it. */
const headerText = (value: string): string =>
  Buffer.from(value.replace(/[\x00-\x1f\x7f]/g, '?'), 'utf8').toString('latin1')

const messageOf = (text: string): string => /"message":"([^"]{0,200})/.exec(text)?.[1] ?? ''
