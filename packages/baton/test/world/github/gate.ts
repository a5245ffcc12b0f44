import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveGit } from './git.ts'
import { answerGraphql } from './graph.ts'
import { type Person, people, personOf, RestRefusal } from './rest.ts'
import { answerRest } from './routes.ts'
import type { World } from './world.ts'

/** One API call as it reached the fake. Calls of git itself are not API calls. */
export interface GateCall {
  n: number
  method: string
  path: string
  /** The GraphQL operation's name. */
  operation: string | undefined
  person: Person | undefined
  body: unknown
  /** 0: the connection was dropped instead of an answer. */
  status: number
}

/** How a call fails. `lost`: it is carried out, and the answer never arrives. */
export type Fault =
  | 'unauthorised'
  | 'forbidden'
  | 'primary-limit'
  | 'secondary-limit'
  | 'server-error'
  | 'garbled'
  | 'drop'
  | 'lost'
  | 'hang'

/** A GraphQL operation, a path, or anything by function. */
export type CallMatch = string | RegExp | ((call: GateCall) => boolean)

export interface Gate {
  url: string
  calls: GateCall[]
  faults: { match: CallMatch; fault: Fault; left: number; retryAfter?: number }[]
  /** Acts around pushes, which are no API calls. */
  pushWatchers: { when: 'before' | 'after'; act: () => void | Promise<void> }[]
  watchers: { match: CallMatch; when: 'before' | 'after'; act: (call: GateCall) => void | Promise<void> }[]
  close(): Promise<void>
}

/** The one address of the fake: REST, GraphQL, git and log downloads. */
export async function openGate(
  folder: string,
  ready: (url: string) => Promise<World>,
): Promise<Gate & { world: World }> {
  let world: World | undefined
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      world?.failures.push(`the fake GitHub broke: ${error instanceof Error ? error.stack : String(error)}`)
      if (!response.headersSent) response.writeHead(500)
      response.end('{"message":"broken"}')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const gate: Gate = {
    url,
    calls: [],
    faults: [],
    watchers: [],
    pushWatchers: [],
    close: () => closeServer(server),
  }
  world = await ready(url)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!world) throw new Error('called before it was ready')
    const target = new URL(request.url ?? '/', url)
    const token = tokenOf(request)
    if (/^\/[^/]+\/[^/]+\.git\//.test(target.pathname)) {
      if (target.search.includes('receive-pack') && !personOf(token)) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end()
        return
      }
      const pushes = request.method === 'POST' && target.pathname.endsWith('/git-receive-pack')
      const around = async (when: 'before' | 'after') => {
        if (pushes) for (const watcher of gate.pushWatchers) if (watcher.when === when) await watcher.act()
      }
      await around('before')
      serveGit(folder, request, response, personOf(token) ?? 'nobody', () => around('after'))
      return
    }
    if (target.pathname.startsWith('/_logs/')) {
      if (request.headers.authorization) world.failures.push('the token was sent to the host of the logs')
      const log = world.runs.get(Number(target.pathname.slice(7)))?.log
      response.writeHead(log === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(log ?? '')
      return
    }
    await serveApi(world, request, response, target, token)
  }

  async function serveApi(
    world: World,
    request: IncomingMessage,
    response: ServerResponse,
    target: URL,
    token: string,
  ): Promise<void> {
    const text = await bodyOf(request)
    // GitHub Enterprise serves the same under /api.
    const path = target.pathname.replace(/^\/api\/v3(?=\/)/, '').replace(/^\/api\/graphql$/, '/graphql')
    const isGraphql = path === '/graphql'
    const body: unknown = text ? JSON.parse(text) : undefined
    const query = isGraphql ? String((body as { query?: unknown }).query) : ''
    const person = personOf(token)
    const call: GateCall = {
      n: gate.calls.length + 1,
      method: request.method ?? 'GET',
      path,
      operation: /\b(?:query|mutation) (\w+)/.exec(query)?.[1],
      person,
      body,
      status: 0,
    }
    gate.calls.push(call)
    for (const watcher of gate.watchers) {
      if (watcher.when === 'before' && matches(watcher.match, call)) await watcher.act(call)
    }
    const fault = gate.faults.find(({ match, left }) => left > 0 && matches(match, call))
    if (fault) fault.left -= 1
    if (fault && fault.fault !== 'lost') {
      answerFault(fault, call, request, response)
      return
    }
    const answer = await answerTo(world, call, target, person)
    for (const watcher of gate.watchers) {
      if (watcher.when === 'after' && matches(watcher.match, call)) await watcher.act(call)
    }
    if (fault) {
      request.socket.destroy()
      return
    }
    const json = answer.body === undefined ? '' : JSON.stringify(answer.body)
    const etag = `W/"${createHash('sha1').update(json).digest('hex')}"`
    const headers: Record<string, string> = {
      'content-type': 'application/json; charset=utf-8',
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4999',
      'x-ratelimit-reset': '4102444800',
      ...answer.headers,
    }
    const isCached = call.method === 'GET' && answer.status === 200
    if (isCached) headers.etag = etag
    call.status = isCached && request.headers['if-none-match'] === etag ? 304 : answer.status
    response.writeHead(call.status, headers).end(call.status === 304 ? undefined : json)
  }

  return Object.assign(gate, { world })
}

interface Answer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

async function answerTo(
  world: World,
  call: GateCall,
  target: URL,
  person: Person | undefined,
): Promise<Answer> {
  if (!person) return { status: 401, body: { message: 'Bad credentials' } }
  await Promise.all([...world.repositories.values()].map(repository => repository.sync()))
  if (call.path === '/graphql') return { status: 200, body: await answerGraphql(world, call.body, person) }
  try {
    return await answerRest(world, call, target, person)
  } catch (error) {
    if (!(error instanceof RestRefusal)) throw error
    return { status: error.status, body: { message: error.message } }
  }
}

function answerFault(
  { fault, retryAfter }: Gate['faults'][number],
  call: GateCall,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const refuse = (status: number, message: string, headers: Record<string, string> = {}) => {
    call.status = status
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ message }))
  }
  const reset = String(retryAfter ?? 4_102_444_800)
  if (fault === 'unauthorised') refuse(401, 'Bad credentials')
  else if (fault === 'forbidden') refuse(403, 'Resource not accessible by personal access token')
  else if (fault === 'primary-limit') {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
    refuse(403, 'API rate limit exceeded for user ID 1.', headers)
  } else if (fault === 'secondary-limit') {
    const message =
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'
    refuse(403, message, { 'retry-after': String(retryAfter ?? 60) })
  } else if (fault === 'server-error') refuse(502, 'Server Error')
  else if (fault === 'garbled') {
    call.status = 200
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in to the hotel network</html>')
  } else if (fault === 'drop') request.socket.destroy()
  // A hanging call ends when the fake closes or the caller gives up.
}

export function matches(match: CallMatch, call: GateCall): boolean {
  if (typeof match === 'function') return match(call)
  if (typeof match === 'string') return call.operation === match || `${call.method} ${call.path}` === match
  return match.test(call.operation ?? `${call.method} ${call.path}`)
}

function tokenOf(request: IncomingMessage): string {
  const [scheme = '', value = ''] = (request.headers.authorization ?? '').split(' ')
  if (scheme.toLowerCase() !== 'basic') return value
  return (
    Buffer.from(value, 'base64')
      .toString()
      .split(':')
      .find(part => Object.values<string>(people).includes(part)) ?? ''
  )
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function closeServer(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
