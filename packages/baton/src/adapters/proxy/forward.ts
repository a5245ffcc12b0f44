import {
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import type { RequestOptions } from 'node:https'
import { isIP } from 'node:net'
import { pipeline } from 'node:stream'
import type { SecureContext } from 'node:tls'
import { type Blocked, type HostRule, READ_METHODS, type Target } from '../../ports/network.ts'
import { addressKind, mayConnect } from './addresses.ts'
import { blockedAddress, blockedMethod, describeTarget, loginFor } from './host-rules.ts'
import { packageRequest } from './package-cache.ts'
import type { ProxyParts } from './parts.ts'
import { type OpenRequest, renewLogin } from './renew-login.ts'

/** About one connection, or about what a server would take for another method. */
const DROPPED =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|content-length|upgrade|expect|host|http2-settings|x-http-method|x-http-method-override|x-method-override|x-forwarded-.*|forwarded|x-original-.*|x-rewrite-url|via)$/i

/** Servers that read `_` or `.` as `-` would take another name for one that is dropped. */
const PLAIN_NAME = /^[a-z0-9-]+$/

interface Forwarded {
  target: Target
  path: string
  rule: HostRule
}

/** What the proxy trusts, by the certificates that the user named: reading all of them takes longer than a request. */
const contexts = new WeakMap<object, Promise<SecureContext>>()

/** Loads Node's TLS with the first such request: it takes 8 MB and 60 ms. */
async function requestHttps(options: RequestOptions, trusted: ProxyParts['trusted']): Promise<ClientRequest> {
  const { request } = await import('node:https')
  if (!trusted) return request(options)
  const context =
    contexts.get(trusted) ??
    import('node:tls').then(({ createSecureContext, rootCertificates }) =>
      createSecureContext({ ca: [...rootCertificates, ...trusted] }),
    )
  contexts.set(trusted, context)
  // An option of `tls.connect`, which the types of https leave out.
  const all: RequestOptions & { secureContext: SecureContext } = { ...options, secureContext: await context }
  return request(all)
}

/** Makes the request that a command asked for, if the rule allows it. Resolves with what was blocked. */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { target, path, rule }: Forwarded,
  parts: Pick<ProxyParts, 'resolve' | 'closedPorts' | 'trusted' | 'packages'>,
): Promise<Blocked | undefined> {
  const method = request.method ?? ''
  const isQuestion = method === 'POST' && rule.questions?.includes(path) === true
  if (rule.methods && !rule.methods.includes(method) && !isQuestion)
    return blockedMethod(method, target, rule.isExtendable)
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
  if (READ_METHODS.includes(method) && hasBody) return blockedMethod(`${method} with a body`, target)
  if (rule.renewal && (method !== 'POST' || path !== rule.renewal.path))
    return blockedMethod(`${method} ${path}`, target)
  const wanted = packageRequest(request, {
    server: `${target.scheme}://${describeTarget(target)}`,
    path,
    login: loginFor(rule, path),
  })
  if (wanted && (await parts.packages?.answer(wanted, response))) return undefined
  const address = await addressFor(rule, target, parts)
  if (address === undefined) return blockedAddress(target)

  const open: OpenRequest = async headers => {
    const options = {
      // The checked address: the name is not looked up again.
      host: address,
      port: target.port,
      method,
      path,
      headers: { ...headers, host: describeTarget(target) },
      setHost: false,
      agent: false as const,
      timeout: 120_000,
    }
    const name = isIP(target.host) ? '' : target.host
    return target.scheme === 'https'
      ? await requestHttps({ ...options, servername: name }, parts.trusted)
      : requestHttp(options)
  }
  if (rule.renewal) {
    await renewLogin(request, response, { renewal: rule.renewal, open })
    return undefined
  }
  const outgoing = await open(headersFor(request, rule, path))
  return await new Promise((done, fail) => {
    outgoing.once('error', fail)
    outgoing.once('timeout', () => outgoing.destroy(new Error(`${describeTarget(target)} does not answer`)))
    response.once('close', () => outgoing.destroy())
    outgoing.once('response', answer => {
      const kept = answer.rawHeaders.flatMap((name, at) =>
        at % 2 === 0 && !HOP.test(name) ? [[name, answer.rawHeaders[at + 1] ?? ''] as const] : [],
      )
      for (const [header, value] of kept) response.appendHeader(header, value)
      response.writeHead(answer.statusCode ?? 502)
      if (wanted) parts.packages?.store(wanted, answer)
      pipeline(answer, response, () => done(undefined))
    })
    if (hasBody) pipeline(request, outgoing, () => undefined)
    else outgoing.end()
  })
}

/** What a server of a model may take for a login. */
const LOGIN = /^(authorization|cookie|.*(api-?key|auth-?token|access-?token).*)$/i

const HOP = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

/** The address to connect to. If any address of a name is closed, all are: no choice is left to its name server. */
async function addressFor(
  rule: HostRule,
  { host, port }: Target,
  { resolve, closedPorts }: Pick<ProxyParts, 'resolve' | 'closedPorts'>,
): Promise<string | undefined> {
  const addresses = isIP(host) ? [host] : await resolve(host)
  const isOpen = (address: string) =>
    mayConnect(address, rule) && !(addressKind(address) === 'loopback' && closedPorts().includes(port))
  return addresses.every(isOpen) ? addresses[0] : undefined
}

function headersFor(
  request: IncomingMessage,
  rule: HostRule,
  path: string,
): Record<string, string | string[]> {
  const named = String(request.headers.connection ?? '')
    .split(',')
    .map(word => word.trim().toLowerCase())
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && PLAIN_NAME.test(name) && !DROPPED.test(name) && !named.includes(name))
      headers[name] = value
  const length = request.headers['content-length']
  if (length !== undefined && Number(length) > 0) headers['content-length'] = length
  const login = loginFor(rule, path)
  if (login !== undefined) headers['authorization'] = login
  if (rule.login === undefined) return headers
  // Not even a login of another account: what the program sends there would be that account's.
  for (const name of Object.keys(headers)) if (LOGIN.test(name)) delete headers[name]
  const [plain = ''] = path.split('?')
  return { ...headers, ...rule.login({ method: request.method ?? '', path: plain }) }
}

export function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  // Many programs show only this line, not the content.
  const line = message.replace(/[^\x20-\x7e]/g, ' ')
  response.writeHead(status, line, { 'content-type': 'text/plain', connection: 'close' })
  response.end(`${message}\n`)
}
