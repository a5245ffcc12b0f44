import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Blocked, Target } from '../../ports/network.ts'
import { forward, refuse } from './forward.ts'
import { blockedHost, describeTarget, parseAuthority, ruleFor } from './host-rules.ts'
import type { ProxyParts } from './parts.ts'

const MOST_CONNECTIONS = 256
const IDLE_MS = 120_000
const HEADER_MS = 30_000

/**
 * The only way out of a sandbox. It ends every connection itself, TLS included, and makes a request of its own for each
 * request that the rules allow: no bytes of a command reach a server as they are.
 */
export class FilteringProxy {
  readonly #parts: ProxyParts
  readonly #server: Server
  readonly #open = new Set<Duplex>()
  /** What the request on a connection must be for. */
  readonly #targets = new WeakMap<Duplex, Target>()

  constructor(parts: ProxyParts) {
    this.#parts = parts
    this.#server = createServer({
      requireHostHeader: false,
      headersTimeout: HEADER_MS,
      maxHeaderSize: 32_768,
    })
    this.#server.on('request', (request, response) => void this.#answer(request, response))
    this.#server.on('connect', (request, socket, head) => this.#connect(request, socket, head))
    // Nothing but HTTP passes.
    this.#server.on('upgrade', (_request, socket) => socket.destroy())
    this.#server.on('checkContinue', (request, response) => void this.#answer(request, response))
    this.#server.on('clientError', (_error, socket) => socket.destroy())
  }

  /** A connection of a command to the proxy. */
  accept(stream: NodeJS.ReadWriteStream): void {
    const connection = stream as Duplex
    if (this.#track(connection)) this.#server.emit('connection', connection)
  }

  /** A connection of a command to a server of this machine that a rule names: the proxy answers in its place. */
  acceptFor(target: Target, stream: NodeJS.ReadWriteStream): void {
    const connection = stream as Duplex
    if (!this.#track(connection)) return
    if (target.scheme === 'https') void this.#terminate(target, connection)
    else {
      this.#targets.set(connection, target)
      this.#server.emit('connection', connection)
    }
  }

  close(): void {
    for (const socket of this.#open) socket.destroy()
    this.#server.close()
  }

  #track(connection: Duplex): boolean {
    connection.on('error', () => connection.destroy())
    if (this.#open.size >= MOST_CONNECTIONS) {
      connection.destroy()
      return false
    }
    this.#open.add(connection)
    connection.once('close', () => this.#open.delete(connection))
    if ('setTimeout' in connection && typeof connection.setTimeout === 'function')
      connection.setTimeout(IDLE_MS, () => connection.destroy())
    return true
  }

  #connect({ url = '' }: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    const authority = parseAuthority(url, undefined)
    // A tunnel in a tunnel, or an address the parser does not know.
    if (!authority || this.#targets.has(socket)) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    const target: Target = { scheme: 'https', ...authority }
    const isPlain = ruleFor(this.#parts.rules(), { ...target, scheme: 'http' }) !== undefined
    if (!isPlain && !ruleFor(this.#parts.rules(), target)) {
      return void socket.end(blockedText(this.#lineFor(blockedHost(target))))
    }
    if (head.length > 0) socket.unshift(head)
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (isPlain) {
      // Some programs open a tunnel for plain HTTP as well.
      this.#targets.set(socket, { ...target, scheme: 'http' })
      this.#server.emit('connection', socket)
    } else void this.#terminate(target, socket)
  }

  async #terminate(target: Target, socket: Duplex): Promise<void> {
    const { key, cert } = this.#parts.authority.issue(target.host)
    // Loaded with the first such connection: TLS takes 8 MB and 60 ms.
    const { TLSSocket } = await import('node:tls')
    if (socket.destroyed) return
    const secure = new TLSSocket(socket as never, {
      isServer: true,
      key,
      cert,
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
    })
    secure.on('error', () => secure.destroy())
    this.#targets.set(secure, target)
    this.#server.emit('connection', secure)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => response.destroy())
    try {
      const found = this.#targetOf(request)
      if (!found) return refuse(response, 400, 'This proxy cannot tell which server the request is for.')
      const rule = ruleFor(this.#parts.rules(), found.target)
      if (!rule) return refuse(response, 403, this.#lineFor(blockedHost(found.target)))
      const blocked = await forward(request, response, { ...found, rule }, this.#parts)
      if (blocked) refuse(response, 403, this.#lineFor(blocked))
    } catch (cause) {
      refuse(response, 502, `Baton's proxy: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }

  #lineFor(blocked: Blocked): string {
    return this.#parts.onBlocked(blocked) ?? blocked.message
  }

  /** The server and path of a request. Its Host header must not name another server. */
  #targetOf(request: IncomingMessage): { target: Target; path: string } | undefined {
    const fixed = this.#targets.get(request.socket)
    const hosts = request.rawHeaders.filter(
      (_, at) => at % 2 === 0 && /^host$/i.test(request.rawHeaders[at] ?? ''),
    )
    if (hosts.length > 1) return undefined
    const named = request.headers.host
    const url = request.url ?? ''
    let target = fixed
    let path = url
    if (!fixed) {
      const match = /^http:\/\/([^/?#]+)([/?][^#]*)?$/i.exec(url)
      const authority = parseAuthority(match?.[1] ?? '', 80)
      if (!authority) return undefined
      target = { scheme: 'http', ...authority }
      path = match?.[2] ?? '/'
    }
    if (!target || !/^\/[\x21-\x7e]*$/.test(path.startsWith('?') ? `/${path}` : path)) return undefined
    if (named !== undefined) {
      const header = parseAuthority(named, target.scheme === 'https' ? 443 : 80)
      if (!header || describeTarget({ ...target, ...header }) !== describeTarget(target)) return undefined
    }
    return { target, path: path.startsWith('?') ? `/${path}` : path }
  }
}

const blockedText = (message: string): string =>
  `HTTP/1.1 403 ${message.replace(/[^\x20-\x7e]/g, ' ')}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(message) + 1}\r\nConnection: close\r\n\r\n${message}\n`
