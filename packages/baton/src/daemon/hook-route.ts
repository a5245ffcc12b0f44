import type { IncomingMessage, ServerResponse } from 'node:http'
import { BatonError } from '@batonpass/contract/errors'
import { Envelope } from '@batonpass/contract/hook'
import { MAX_PAYLOAD_BYTES, OLDEST_PROTOCOL, PROTOCOL } from '@batonpass/contract/protocol'
import type { Intake } from '../engine/intake.ts'
import { SELF_TEST } from '../hook/client.ts'
import { LargeCalls } from './large-calls.ts'

/** Clients wait 3 s for the first byte. A call that takes longer is told to wait well before that. */
const SAY_WAIT_AFTER_MS = 500
const LARGE_BYTES = 256 * 1024
const largeCalls = new LargeCalls()
/** How often blanks are sent while a client waits, to show that the daemon is alive. */
const HEARTBEAT_MS = 1000
/** Several blanks at once: curl ends a connection that receives less than one byte a second. */
const SIGN_OF_LIFE = '    '

/** One hook call, however it came here. */
export interface HookCall {
  readonly agent: string
  /** A header as it was sent: bytes as latin1. */
  header(name: string): string | undefined
  readBody(): Promise<Buffer>
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** Tells the client to keep waiting. */
  wait(blanks: string): void
  answer(status: number, text: string): void
  destroy(): void
  once(event: 'close', listener: () => void): void
}

/**
 * Answers one hook call. The answer is a single line of JSON that ends in a line break, after any number of
 * blanks: a client that does not see the line break knows that the answer was cut off.
 */
export async function answerHook(intake: Pick<Intake, 'handleHookCall'>, call: HookCall): Promise<void> {
  if (call.agent === SELF_TEST) return repeat(call)
  const abort = new AbortController()
  // Do not abort after the answer was sent: each abort would create an error with a stack.
  call.once('close', () => {
    if (!call.writableEnded) abort.abort()
  })
  let heartbeat: NodeJS.Timeout | undefined
  try {
    const envelope = readEnvelope(call)
    const body = await call.readBody()
    const sayWait = () => {
      call.wait(SIGN_OF_LIFE)
      heartbeat = setInterval(() => call.wait(SIGN_OF_LIFE), HEARTBEAT_MS)
    }
    // Parsing and storing megabytes blocks the event loop, this timer included.
    if (body.length > LARGE_BYTES) sayWait()
    else heartbeat = setTimeout(sayWait, SAY_WAIT_AFTER_MS)
    const retry = call.header('baton-retry') === '1'
    const handle = () => intake.handleHookCall({ envelope, body, retry, signal: abort.signal })
    const answer = `${await (body.length > LARGE_BYTES ? largeCalls.run(handle) : handle())}\n`
    clearInterval(heartbeat)
    call.answer(200, answer)
  } catch (cause) {
    clearInterval(heartbeat)
    if (call.headersSent) call.destroy()
    else refuse(call, cause)
  }
}

/** The self-test of a hook client: its word comes back, and nothing is recorded. */
function repeat(call: HookCall): void {
  call.answer(200, `${JSON.stringify({ selftest: call.header('baton-event') ?? '' })}\n`)
}

/** A hook call that node:http has read. */
export function httpCall(agent: string, request: IncomingMessage, response: ServerResponse): HookCall {
  return {
    agent,
    header(name) {
      const value = request.headers[name]
      return typeof value === 'string' ? value : undefined
    },
    readBody: () => readBody(request),
    get headersSent() {
      return response.headersSent
    },
    get writableEnded() {
      return response.writableFinished
    },
    wait(blanks) {
      if (!response.headersSent) response.writeHead(200, ANSWER_HEAD)
      response.write(blanks)
    },
    answer(status, text) {
      // Of an agent that only repeats its word, nothing is read.
      request.resume()
      if (!response.headersSent)
        response.writeHead(status, { ...ANSWER_HEAD, 'content-length': Buffer.byteLength(text) })
      response.end(text)
    },
    destroy: () => void response.destroy(),
    once: (event, listener) => void response.once(event, listener),
  }
}

export const ANSWER_HEAD = { 'content-type': 'application/json', 'baton-protocol': String(PROTOCOL) }

function readEnvelope(call: HookCall): Envelope {
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
    const value = call.header(`baton-${field}`)
    if (value) said[field] = decodeHeader(value)
  }
  const pathMap = call.header('baton-path-map')
  if (pathMap) said.pathMap = decodeHeader(pathMap)
  const version = Number(said.protocol)
  if (!Number.isInteger(version) || version < OLDEST_PROTOCOL || version > PROTOCOL) {
    throw new BatonError(
      'protocol_unsupported',
      `This daemon speaks protocol ${OLDEST_PROTOCOL} to ${PROTOCOL}`,
      {
        remedy: 'Run `baton init` and `baton up` so that hook client and daemon have the same version.',
      },
    )
  }
  const parsed = Envelope.safeParse({ ...said, agent: call.agent, protocol: version })
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
        // Read and drop the rest: if the connection were closed, the client would not see the refusal and would retry.
        chunks.length = 0
        reject(
          new BatonError('payload_too_large', `A hook payload may have at most ${MAX_PAYLOAD_BYTES} bytes`),
        )
      }
    })
    request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.once('error', reject)
    request.once('aborted', () =>
      reject(new BatonError('payload_invalid', 'The hook payload is incomplete: the connection was closed')),
    )
  })
}

/** Any status but 200 makes the client give its safe answer. */
function refuse(call: HookCall, cause: unknown): void {
  const error =
    cause instanceof BatonError ? cause : new BatonError('internal', 'Baton failed on this call', { cause })
  call.answer(STATUS[error.code] ?? 500, `${JSON.stringify({ error: error.toBody() })}\n`)
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
