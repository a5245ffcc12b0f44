import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { PROTOCOL } from '@batonpass/contract/protocol'
import { shortSocketPath } from './socket-path.ts'
import type { StartClaim } from './start-mark.ts'

/** Not an agent: a call that the daemon answers by repeating its word. */
export const SELF_TEST = 'selftest'

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
  /** Seconds without a byte after which the daemon counts as hung. */
  silence: number
  /** Aborted when the call has taken as long as it may, or when no one waits for it any more. */
  signal: AbortSignal
  /** Asks for the right to start a daemon. */
  claim(): StartClaim
  start(): Promise<void>
}

export type ClientAnswer = { answer: string } | { failed: string }

const HEARTBEAT_MS = 5000
const START_MS = 30_000
const RETRY_MS = 30
const ATTEMPTS = 50
/** As long as the daemon takes one of these after the other, it does not hang. */
const SLICE_BYTES = 256 * 1024
/** No answer of ours is longer. */
const MAX_REPLY_LENGTH = 32 * 1024 * 1024

/** Asks the daemon, starting it where none runs, and never takes longer than it may. */
export async function askDaemon(call: ClientCall): Promise<ClientAnswer> {
  let startBy: number | undefined
  for (let attempt = 1; attempt <= ATTEMPTS && !call.signal.aborted; ) {
    const target = targetOf(call)
    if (!target) return { failed: 'BATON_ENDPOINT must be http://HOST:PORT or unix:/PATH' }
    const result = await attemptOnce(call, target, call.retry || attempt > 1)
    if ('answer' in result || result.reason === 'final') return result
    if (result.reason === 'lost') {
      if (++attempt > ATTEMPTS) return result
      startBy = undefined
      continue
    }
    if (call.endpoint) return { failed: 'BATON_ENDPOINT cannot be reached' }
    startBy ??= performance.now() + (result.reason === 'busy' ? call.silence * 1000 : START_MS)
    if (performance.now() > startBy) return { failed: result.failed }
    const claim = result.reason === 'absent' ? call.claim() : 'theirs'
    if (claim === 'mine') await call.start()
    else if (claim !== 'theirs') return { failed: `no daemon could be started: ${claim.failed}` }
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
  }
  return { failed: reasonOf(call.signal) }
}

/**
 * `absent`: no process listens. `busy`: too many wait already. `lost`: it died midway, so asking again is right.
 * `final`: asking again is no use.
 */
type Attempt = { answer: string } | { failed: string; reason: 'absent' | 'busy' | 'lost' | 'final' }

// Not by node:http: loading that costs more than everything else a hook call does.
function attemptOnce(call: ClientCall, target: NetConnectOpts, retry: boolean): Promise<Attempt> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let size = 0
    let connected = false
    let patience: NodeJS.Timeout | undefined
    let grace: NodeJS.Immediate | undefined
    const end = (result: Attempt) => {
      clearTimeout(patience)
      clearImmediate(grace)
      call.signal.removeEventListener('abort', onAbort)
      socket.destroy()
      resolve(result)
    }
    const onAbort = () => end({ failed: reasonOf(call.signal), reason: 'final' })
    const wait = (ms: number) => {
      clearTimeout(patience)
      clearImmediate(grace)
      patience = setTimeout(() => {
        // On a busy machine the answer may lie in the socket already: it is read before the verdict falls.
        grace = setImmediate(() => end({ failed: 'the daemon did not answer', reason: 'final' }))
      }, ms)
    }
    const finish = () => {
      const reply = readReply(Buffer.concat(chunks).toString('latin1'))
      if ('answer' in reply) end({ answer: Buffer.from(reply.answer, 'latin1').toString('utf8') })
      else end(reply)
    }

    const socket: Socket = connect(target)
    call.signal.addEventListener('abort', onAbort, { once: true })
    wait(call.silence * 1000)
    // Not ended: a half-closed connection looks like a client that has gone.
    const send = (from: number) => {
      wait(call.silence * 1000)
      if (from < call.body.length)
        socket.write(call.body.subarray(from, from + SLICE_BYTES), () => send(from + SLICE_BYTES))
    }
    socket.once('connect', () => {
      connected = true
      socket.write(headOf(call, retry), 'latin1')
      send(0)
    })
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      wait(Math.max(HEARTBEAT_MS, call.silence * 1000))
      if (chunk.toString('latin1').endsWith('}\n') || size > MAX_REPLY_LENGTH) finish()
    })
    socket.once('error', cause => {
      if (connected) finish()
      else if (codeOf(cause) === 'EAGAIN') end({ failed: 'the daemon did not answer', reason: 'busy' })
      else end({ failed: `no daemon runs and none could be started (${codeOf(cause)})`, reason: 'absent' })
    })
    socket.once('close', finish)
  })
}

function targetOf({ endpoint, socket }: ClientCall): NetConnectOpts | undefined {
  if (!endpoint) return { path: shortSocketPath(socket) }
  if (endpoint.startsWith('unix:/')) return { path: shortSocketPath(endpoint.slice(5)) }
  const [, six, host = six, port] = /^http:\/\/(?:\[([^\]/]+)\]|([^/:]+)):(\d{1,5})\/?$/.exec(endpoint) ?? []
  return host && Number(port) < 65536 ? { host, port: Number(port) } : undefined
}

/** HTTP/1.0: the answer ends with the connection and comes in one piece. */
function headOf(call: ClientCall, retry: boolean): string {
  const lines = [
    `POST /hook/${call.agent} HTTP/1.0`,
    'Host: baton',
    'Content-Type: application/json',
    `Content-Length: ${call.body.length}`,
    `Baton-Protocol: ${PROTOCOL}`,
  ]
  const said = { event: call.event, source: call.source, request: call.request, ...call.headers }
  for (const [name, value] of Object.entries(said))
    if (value) lines.push(`Baton-${name}: ${headerText(value)}`)
  if (retry) lines.push('Baton-Retry: 1')
  if (call.token && call.endpoint) lines.push(`Authorization: Bearer ${headerText(call.token)}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** UTF-8 bytes in a header, and no control character that could end it. */
const headerText = (value: string): string =>
  Buffer.from(value.replace(/[\x00-\x1f\x7f]/g, '?'), 'utf8').toString('latin1')

const reasonOf = (signal: AbortSignal): string =>
  signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
    ? 'time is up'
    : 'ended by a signal'

const codeOf = (cause: Error): string => ('code' in cause ? String(cause.code) : cause.message)

/** What the bytes that came back mean. */
type Reply = { answer: string } | { failed: string; reason: 'lost' | 'final' }

/**
 * Reads a whole reply of the daemon: an HTTP head that names our protocol, then blanks, then one line of JSON.
 * A reply without its line break was cut off; asking again is right then, and only then.
 */
export function readReply(text: string): Reply {
  const end = text.indexOf('\r\n\r\n')
  const head = end < 0 ? text : text.slice(0, end)
  const body = end < 0 ? '' : text.slice(end + 4)
  const status = /^HTTP\/1\.[01] (\d{3})(?: |\r\n|$)/.exec(head)?.[1]
  if (text === '' || (end < 0 && 'HTTP/1.'.startsWith(text.slice(0, 7)))) return LOST
  if (status === undefined) return STRANGER
  if (status !== '200')
    return { failed: `the daemon refused (${status}) ${messageIn(body)}`.trimEnd(), reason: 'final' }
  if (end < 0) return LOST
  if (!/\r\nbaton-protocol:/i.test(head)) return STRANGER
  const answer = /^ *(\{[^\n]*\})\n$/.exec(body)?.[1]
  if (answer !== undefined && isJson(answer)) return { answer }
  return body.includes('\n') || !/^ *(?:\{|$)/.test(body) ? STRANGER : LOST
}

const LOST: Reply = { failed: 'the daemon died before it answered', reason: 'lost' }
const STRANGER: Reply = { failed: 'something else answered on the socket', reason: 'final' }

const messageIn = (body: string): string => /"message":"([^"]{0,200})/.exec(body)?.[1] ?? ''

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
