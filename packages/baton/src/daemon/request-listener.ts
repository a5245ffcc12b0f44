import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Headers, Request as LightRequest, type ResponseBody } from './web-classes.ts'

/** A larger body must name its length, so that a route refuses it before it is read. */
const MAX_CHUNKED_BYTES = 256 * 1024

type Fetch = (
  request: Request,
  env: { incoming: IncomingMessage; outgoing: ServerResponse },
) => Response | Promise<Response>

/** Answers the requests of a Node server with a function from web requests to web responses, such as Hono's. */
export function requestListener(
  fetch: Fetch,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    // Without a listener, a client that disconnects while it sends would end the daemon.
    outgoing.on('error', () => {})
    try {
      // Not resolved or normalised: the routes see the path that the guards have checked.
      if (!incoming.url?.startsWith('/')) return refuse(outgoing, 400, 'Bad Request')
      const request = await readRequest(incoming)
      if (!request) return refuse(outgoing, 413, 'Payload Too Large')
      const response = await fetch(request as unknown as Request, { incoming, outgoing })
      await writeResponse(response, outgoing)
    } catch {
      refuse(outgoing, 500, 'Internal Server Error')
    }
  }
}

/** The request, or undefined if its body is too large to be read without a stated length. */
async function readRequest(incoming: IncomingMessage): Promise<LightRequest | undefined> {
  const { method = 'GET', url = '' } = incoming
  const headers = new Headers(headerPairs(incoming.headers))
  let body: AsyncIterable<Uint8Array> | undefined
  if (headers.has('transfer-encoding')) {
    const read = await readAtMost(incoming, MAX_CHUNKED_BYTES)
    if (!read) return undefined
    headers.delete('transfer-encoding')
    headers.set('content-length', String(read.length))
    body = (async function* () {
      yield read
    })()
  } else if (Number(headers.get('content-length') ?? 0) > 0) body = incoming
  return new LightRequest(`http://baton${url}`, { method, headers, body })
}

async function readAtMost(incoming: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function* headerPairs(headers: IncomingHttpHeaders): Generator<[string, string]> {
  for (const [name, value] of Object.entries(headers))
    if (Array.isArray(value)) for (const one of value) yield [name, one]
    else if (value !== undefined) yield [name, value]
}

async function writeResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const body = response.body as ResponseBody
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of response.headers) if (name !== 'set-cookie') headers[name] = value
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    const length = body === null ? undefined : String(Buffer.byteLength(body))
    outgoing.writeHead(
      response.status,
      length === undefined ? headers : { ...headers, 'content-length': length },
    )
    outgoing.end(body ?? undefined)
    return
  }
  outgoing.writeHead(response.status, headers)
  await writeStream(body, outgoing)
}

/** Writes a stream at the client's pace, and cancels it when the client disconnects. */
async function writeStream(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader()
  let drained = () => {}
  const closed = () => {
    drained()
    void reader.cancel().catch(() => {})
  }
  outgoing.on('close', closed)
  outgoing.on('drain', () => drained())
  // The client sees at once that the stream is open, before its first message.
  outgoing.flushHeaders()
  try {
    if (outgoing.destroyed) closed()
    for (;;) {
      const { done, value } = await reader.read()
      if (done || outgoing.destroyed) break
      if (!outgoing.write(value))
        await new Promise<void>(resolve => {
          drained = resolve
          if (outgoing.destroyed || !outgoing.writableNeedDrain) resolve()
        })
    }
    outgoing.end()
  } catch {
    // A stream that fails after its head was sent can only be cut off.
    outgoing.destroy()
  } finally {
    outgoing.off('close', closed)
  }
}

function refuse(outgoing: ServerResponse, status: number, text: string): void {
  if (outgoing.headersSent) return void outgoing.destroy()
  // The rest of the body may never come, and would be taken for the next request.
  outgoing.writeHead(status, {
    'content-type': 'text/plain',
    'content-length': text.length,
    connection: 'close',
  })
  outgoing.end(text)
}
