import type { IncomingMessage, ServerResponse } from 'node:http'
import { BatonError } from '@batonpass/contract/errors'
import { Envelope } from '@batonpass/contract/hook'
import { MAX_PAYLOAD_BYTES, OLDEST_PROTOCOL, PROTOCOL } from '@batonpass/contract/protocol'
import type { Intake } from '../engine/intake.ts'

/** The client's patience for a first byte is 3 s; a call that takes longer is told to wait long before that. */
const SAY_WAIT_AFTER_MS = 500
const LARGE_BYTES = 256 * 1024
/** While an answer is awaited, blanks this often tell the client that the daemon lives. */
const HEARTBEAT_MS = 1000
/** Several at once: curl ends a connection that brings less than a byte a second. */
const SIGN_OF_LIFE = '    '

/**
 * Answers one hook call. The answer is a single line of JSON that ends in a line break, after any number of
 * blanks: a client that does not see the line break knows that the answer was cut off.
 */
export async function answerHook(
  intake: Intake,
  request: IncomingMessage,
  response: ServerResponse,
  known: Record<string, unknown>,
): Promise<void> {
  const abort = new AbortController()
  // An answer that is out needs no abort, which would cost an error with its stack for each call.
  response.once('close', () => {
    if (!response.writableFinished) abort.abort()
  })
  let heartbeat: NodeJS.Timeout | undefined
  try {
    const envelope = readEnvelope(request, known)
    const body = await readBody(request)
    const sayWait = () => {
      response.writeHead(200, HEADERS)
      response.write(SIGN_OF_LIFE)
      heartbeat = setInterval(() => response.write(SIGN_OF_LIFE), HEARTBEAT_MS)
    }
    // Reading and keeping megabytes holds up everything, the timer too.
    if (body.length > LARGE_BYTES) sayWait()
    else heartbeat = setTimeout(sayWait, SAY_WAIT_AFTER_MS)
    const retry = request.headers['baton-retry'] === '1'
    const answer = `${await intake.handleHookCall({ envelope, body, retry, signal: abort.signal })}\n`
    clearInterval(heartbeat)
    if (!response.headersSent) {
      response.writeHead(200, { ...HEADERS, 'content-length': Buffer.byteLength(answer) })
    }
    response.end(answer)
  } catch (cause) {
    clearInterval(heartbeat)
    if (response.headersSent) response.destroy()
    else refuse(response, cause)
  }
}

/** The self-test of a hook client: its word comes back, and nothing is recorded. */
export function repeat(request: IncomingMessage, response: ServerResponse): void {
  const answer = `${JSON.stringify({ selftest: String(request.headers['baton-event'] ?? '') })}\n`
  request.resume()
  response.writeHead(200, { ...HEADERS, 'content-length': Buffer.byteLength(answer) })
  response.end(answer)
}

const HEADERS = { 'content-type': 'application/json', 'baton-protocol': String(PROTOCOL) }

function readEnvelope(request: IncomingMessage, known: Record<string, unknown>): Envelope {
  const said: Record<string, unknown> = {}
  for (const field of [
    'protocol',
    'event',
    'source',
    'request',
    'cwd',
    'home',
    'pane',
    'pid',
    'marker',
    'attended',
  ] as const) {
    const value = request.headers[`baton-${field}`]
    if (typeof value === 'string' && value !== '') said[field] = decodeHeader(value)
  }
  const pathMap = request.headers['baton-path-map']
  if (typeof pathMap === 'string' && pathMap !== '') said.pathMap = decodeHeader(pathMap)
  const version = Number(said.protocol ?? known.protocol)
  if (!Number.isInteger(version) || version < OLDEST_PROTOCOL || version > PROTOCOL) {
    throw new BatonError(
      'protocol_unsupported',
      `This daemon speaks protocol ${OLDEST_PROTOCOL} to ${PROTOCOL}`,
      {
        remedy: 'Run `baton init` and `baton up` so that hook client and daemon are of one version.',
      },
    )
  }
  const parsed = Envelope.safeParse({ ...said, ...known, protocol: version })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new BatonError('payload_invalid', `Bad hook envelope: ${issue?.path.join('.')}: ${issue?.message}`)
}

/** Node reads header bytes as latin1; a path in them is UTF-8. */
const decodeHeader = (value: string): string => Buffer.from(value, 'latin1').toString('utf8')

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_PAYLOAD_BYTES) chunks.push(chunk)
      else {
        // The rest is read and dropped: on a cut connection the client would not see the refusal, and ask again.
        chunks.length = 0
        reject(new BatonError('payload_too_large', `A hook payload may hold ${MAX_PAYLOAD_BYTES} bytes`))
      }
    })
    request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.once('error', reject)
    request.once('aborted', () => reject(new BatonError('payload_invalid', 'The hook payload was cut off')))
  })
}

/** Anything but 200 makes the client answer by itself with what is safe. */
function refuse(response: ServerResponse, cause: unknown): void {
  const error =
    cause instanceof BatonError ? cause : new BatonError('internal', 'Baton failed on this call', { cause })
  const status = STATUS[error.code] ?? 500
  const body = `${JSON.stringify({ error: error.toBody() })}\n`
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

const STATUS: Partial<Record<BatonError['code'], number>> = {
  usage: 400,
  payload_invalid: 400,
  protocol_unsupported: 426,
  payload_too_large: 413,
  agent_unknown: 404,
  not_found: 404,
  not_allowed: 403,
  daemon_busy: 503,
}
