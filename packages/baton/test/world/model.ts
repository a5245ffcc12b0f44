import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createAuthority } from '../../src/adapters/proxy/certificate.ts'
import { anthropic } from './dialects/anthropic.ts'
import type { Dialect, RequestKind, RequestReading } from './dialects/dialect.ts'
import type { Turn } from './turn.ts'
import { until } from './wait.ts'

/** A model server on loopback that plays scripts to real agents and remembers everything it was asked. */
export interface Model extends AsyncDisposable {
  url: string
  /** What programs have to trust, in PEM; empty without TLS. */
  certificate: string
  requests: ModelRequest[]
  /** What went wrong: unscripted main requests, malformed requests, unknown paths. */
  failures: string[]
  /** Several scripts may match one request: the first one with a turn left answers. */
  script: (match: Match, turns: Turn[] | Answerer) => void
  /** Answers side or compaction requests instead of the bland default; `undefined` falls back to it. */
  answerSide: (kind: 'side' | 'compact', answerer: Answerer) => void
  mainRequests: (match?: Match) => ModelRequest[]
  waitForRequest: (match: Match, options?: { timeout?: number; what?: string }) => Promise<ModelRequest>
  /** Throws when anything was asked that no script foresaw or that the real service would refuse. */
  assertClean: () => void
  /** assertClean, and every scripted turn was asked for. */
  assertPlayed: () => void
  summary: () => string
  close: () => Promise<void>
}

export interface ModelRequest extends RequestReading {
  n: number
  dialect: string
  path: string
  headers: Record<string, unknown>
  body: Record<string, unknown>
  /** The turn that answered, once chosen. */
  turn: Turn | undefined
  /** The answer was written, or the agent hung up first. */
  ended: 'answered' | 'hung-up' | undefined
}

/**
 * Which requests a script serves: a marker in the first user message (a subagent's first message is its task),
 * an API key, an agent session, or anything else by function.
 */
export type Match =
  | string
  | RegExp
  | { key: string }
  | { session: string }
  | ((request: ModelRequest) => boolean)

export type Answerer = (request: ModelRequest) => Turn | undefined | Promise<Turn | undefined>

interface Script {
  match: Match
  next: (request: ModelRequest) => Promise<Turn | undefined>
  left: () => number
}

/**
 * With `tls`, an address of this machine, it answers there over HTTPS, as real models do.
 */
export async function startModel(
  dialects: Dialect[] = [anthropic],
  { tls }: { tls?: string } = {},
): Promise<Model> {
  const requests: ModelRequest[] = []
  const failures: string[] = []
  const scripts: Script[] = []
  const sides = new Map<RequestKind, Answerer>()

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response).catch((error: unknown) => {
      failures.push(`the fake model broke: ${error instanceof Error ? error.stack : String(error)}`)
      response.destroy()
    })
  }
  const host = tls ?? '127.0.0.1'
  const authority = tls === undefined ? undefined : createAuthority('a fake model', Date.now())
  const server = authority ? createHttpsServer(authority.issue(host), listener) : createServer(listener)

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? '/', 'http://model').pathname
    const bytes = await bodyOf(incoming)
    const dialect = dialects.find(candidate => candidate.owns(path))
    if (incoming.method === 'HEAD' || incoming.method === 'GET') {
      // Agents probe whether the service is there; only known paths may be probed.
      if (!dialect && path !== '/') failures.push(`probe of unknown path ${path}`)
      response.writeHead(200).end()
      return
    }
    const body = parsed(bytes)
    if (!dialect || !body) {
      failures.push(
        dialect ? `${path}: the body is not a JSON object` : `unknown path ${incoming.method} ${path}`,
      )
      response.writeHead(dialect ? 400 : 404, { 'content-type': 'application/json' })
      response.end('{"type":"error","error":{"type":"invalid_request_error","message":"not understood"}}')
      return
    }
    const raw = { method: incoming.method ?? '', path, headers: incoming.headers, body }
    const request: ModelRequest = {
      ...dialect.read(raw),
      n: requests.length + 1,
      dialect: dialect.name,
      path,
      headers: incoming.headers,
      body,
      turn: undefined,
      ended: undefined,
    }
    requests.push(request)
    response.once('close', () => {
      request.ended = response.writableFinished ? 'answered' : 'hung-up'
    })
    for (const fault of request.faults) failures.push(`request ${request.n}: ${fault}`)
    if (request.kind === 'count') {
      dialect.count(request, response)
      return
    }
    const turn = await choose(request, dialect)
    request.turn = turn
    await turn.gate
    if (response.destroyed) return
    if (turn.drop === 'before') incoming.socket.destroy()
    else dialect.answer(turn, request, response)
  }

  async function choose(request: ModelRequest, dialect: Dialect): Promise<Turn> {
    if (request.kind !== 'main') return (await sides.get(request.kind)?.(request)) ?? dialect.bland(request)
    const matching = scripts.filter(script => matches(script.match, request))
    for (const script of matching) {
      const turn = await script.next(request)
      if (turn) return turn
    }
    const why = matching.length ? 'its script has no turn left' : 'no script matches'
    failures.push(`request ${request.n} was not foreseen (${why}): …${request.lastText.slice(-300)}`)
    // Not retried by agents, so a test ends quickly instead of hanging.
    return { error: { status: 400, type: 'invalid_request_error', message: `fake model: ${why}` } }
  }

  server.keepAliveTimeout = 60_000
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo

  const mainRequests = (match?: Match) =>
    requests.filter(r => r.kind === 'main' && (match === undefined || matches(match, r)))
  const summary = () => requests.map(describe).join('\n') || '(no requests)'
  const assertClean = () => {
    if (failures.length)
      throw new Error(`the fake model saw trouble:\n${failures.join('\n')}\n\n${summary()}`)
  }
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }

  return {
    url: `${authority ? 'https' : 'http'}://${host}:${port}`,
    certificate: authority?.certificate ?? '',
    requests,
    failures,
    script: (match, turns) =>
      void scripts.push(typeof turns === 'function' ? endless(match, turns) : listed(match, turns)),
    answerSide: (kind, answerer) => void sides.set(kind, answerer),
    mainRequests,
    waitForRequest: (match, { timeout = 120_000, what = 'a model request' } = {}) =>
      until(() => requests.find(r => matches(match, r)), { what, timeout, evidence: summary }),
    assertClean,
    assertPlayed: () => {
      assertClean()
      const left = scripts.filter(script => script.left() > 0)
      if (left.length === 0) return
      const lines = left.map(script => `${String(script.match)}: ${script.left()} turns never asked for`)
      throw new Error(`${lines.join('\n')}\n\n${summary()}`)
    },
    summary,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** All text the model was shown: system prompt, messages, tool results. */
export function textOf(request: ModelRequest): string {
  return request.text
}

function listed(match: Match, turns: Turn[]): Script {
  const queue = turns.map(turn => ({ turn, left: turn.times ?? 1 }))
  return {
    match,
    next: async () => {
      const entry = queue[0]
      if (!entry) return undefined
      entry.left -= 1
      if (entry.left <= 0) queue.shift()
      return entry.turn
    },
    left: () => queue.filter(entry => entry.left !== Number.POSITIVE_INFINITY).length,
  }
}

function endless(match: Match, answerer: Answerer): Script {
  return { match, next: async request => answerer(request), left: () => 0 }
}

function matches(match: Match, request: ModelRequest): boolean {
  if (typeof match === 'function') return match(request)
  if (typeof match === 'string') return request.firstPrompt.includes(match)
  if (match instanceof RegExp) return match.test(request.firstPrompt)
  return 'key' in match ? request.key === match.key : request.session === match.session
}

function describe(request: ModelRequest): string {
  const turn = request.turn
  const answer = turn?.error
    ? `error ${turn.error.status}`
    : [turn?.text?.slice(0, 60), ...(turn?.tools ?? []).map(tool => `call ${tool.name}`)]
        .filter(Boolean)
        .join(' + ')
  const asked = request.lastText.replaceAll(/\s+/g, ' ').slice(-120)
  return `#${request.n} ${request.kind} session ${request.session?.slice(0, 8) ?? '-'} …${asked} → ${answer || '-'} (${request.ended ?? 'open'})`
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function parsed(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** What one agent's model was told, request by request. */
export const requestsOf = (model: Model, { key }: { key: string }): string[] =>
  model.mainRequests({ key }).map(textOf)

export const lastRequestOf = (model: Model, agent: { key: string }): string =>
  requestsOf(model, agent).at(-1) ?? ''
