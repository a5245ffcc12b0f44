import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { LoginRenewal } from '../../ports/agent.ts'

/** Starts a request to the server that was checked, with these headers. */
export type OpenRequest = (headers: Record<string, string | string[]>) => Promise<ClientRequest>

interface Renewed {
  renewal: LoginRenewal
  open: OpenRequest
}

/** Neither a request for a token nor its answer is longer. */
const MOST_BYTES = 200_000

/** None of the agent's: any program inside can make the request. */
const HEADERS = { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'baton' }

let last: Promise<unknown> = Promise.resolve()

/**
 * Renews a login outside for an agent that has only placeholders. One at a time: a token that renews counts once, and the
 * next agent finds the login renewed.
 */
export async function renewLogin(
  request: IncomingMessage,
  response: ServerResponse,
  renewed: Renewed,
): Promise<void> {
  const body = await readAll(request)
  const turn = last.then(() => exchange(body, renewed))
  last = turn.catch(() => undefined)
  const { status, text } = await turn
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(text)
}

async function exchange(body: string, { renewal, open }: Renewed): Promise<{ status: number; text: string }> {
  const wanted = renewal.exchange(body)
  if ('answer' in wanted) return { status: 200, text: wanted.answer }
  const length = String(Buffer.byteLength(wanted.send))
  const outgoing = await open({ ...HEADERS, 'content-length': length })
  const answer = await new Promise<IncomingMessage>((done, fail) => {
    outgoing.once('response', done)
    outgoing.once('error', fail)
    outgoing.once('timeout', () => outgoing.destroy(new Error('The server of the login does not answer')))
    outgoing.end(wanted.send)
  })
  const text = await readAll(answer)
  const status = answer.statusCode ?? 502
  return { status, text: status === 200 ? renewal.keep(text) : errorOf(text) }
}

/** The code of an error and nothing else of what the server said. */
function errorOf(text: string): string {
  const code = /"error"\s*:\s*(?:\{[^{}]*?"(?:type|code)"\s*:\s*)?"([a-z_]{1,60})"/.exec(text)?.[1]
  return JSON.stringify({ error: code ?? 'renewal_failed' })
}

async function readAll(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message) {
    size += chunk.length
    if (size > MOST_BYTES) throw new Error('A request about a login is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
