import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { BatonError } from '@batonpass/contract/errors'
import { MAX_PAYLOAD_BYTES } from '@batonpass/contract/protocol'
import { ANSWER_HEAD, type HookCall } from './hook-route.ts'

/** A head that is longer is read by node:http, which refuses it. */
const MAX_HEAD_BYTES = 16 * 1024
/** A client that stops in the middle of its request is cut off. */
const REQUEST_MS = 30_000
const HOOK = 'POST /hook/'

/**
 * Takes hook calls off the server's connections before node:http sees them: for the one kind of request that
 * hook clients send, node:http costs 0.2 ms too much. Everything else, and every head that is in any way unusual, goes to
 * node:http untouched, so that HTTP has one full implementation.
 */
export function interceptHooks(server: Server, onHook: (call: HookCall) => void): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  /** Connections that node:http does not know of, so it would not close them with the others. */
  const ours = new Set<Socket>()
  const closeOthers = server.closeAllConnections.bind(server)
  server.closeAllConnections = () => {
    for (const socket of ours) socket.destroy()
    closeOthers()
  }
  server.on('connection', (socket: Socket) => {
    ours.add(socket)
    socket.once('close', () => ours.delete(socket))
    let read: Buffer = Buffer.alloc(0)
    const ignore = () => {}
    const giveUp = () => socket.destroy()
    const onData = (chunk: Buffer) => {
      read = read.length === 0 ? chunk : Buffer.concat([read, chunk])
      const head = readHead(read)
      if (head === 'incomplete') return
      socket.off('data', onData)
      if (head !== 'other') return onHook(new SocketCall(socket, head, read.subarray(head.end)))
      ours.delete(socket)
      socket.setTimeout(0)
      socket.off('timeout', giveUp)
      socket.off('end', giveUp)
      socket.off('error', ignore)
      for (const listener of listeners) listener.call(server, socket)
      socket.emit('data', read)
    }
    socket.on('data', onData)
    socket.on('error', ignore)
    socket.on('end', giveUp)
    socket.setTimeout(REQUEST_MS, giveUp)
  })
}

interface Head {
  agent: string
  headers: ReadonlyMap<string, string>
  bodyBytes: number
  /** Where the body begins. */
  end: number
}

/** Reads the head of a hook call. `other`: this is for node:http. */
export function readHead(read: Buffer): Head | 'incomplete' | 'other' {
  const begins = read.toString('latin1', 0, HOOK.length)
  if (!HOOK.startsWith(begins)) return 'other'
  const end = read.indexOf('\r\n\r\n')
  if (end > MAX_HEAD_BYTES || (end < 0 && read.length > MAX_HEAD_BYTES)) return 'other'
  if (end < 0) return 'incomplete'
  const text = read.toString('latin1', 0, end)
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/.test(text)) return 'other'
  const [line = '', ...fields] = text.split('\r\n')
  const agent = /^POST \/hook\/([a-z-]{1,32}) HTTP\/1\.[01]$/.exec(line)?.[1]
  if (agent === undefined) return 'other'
  const headers = new Map<string, string>()
  for (const field of fields) {
    const colon = field.indexOf(':')
    const name = field.slice(0, colon).toLowerCase()
    if (!/^[a-z-]+$/.test(name) || headers.has(name)) return 'other'
    headers.set(name, field.slice(colon + 1).trim())
  }
  if (headers.has('transfer-encoding') || headers.has('expect') || headers.has('upgrade')) return 'other'
  const length = headers.get('content-length') ?? ''
  if (!/^\d{1,9}$/.test(length) || Number(length) > MAX_PAYLOAD_BYTES) return 'other'
  return { agent, headers, bodyBytes: Number(length), end: end + 4 }
}

class SocketCall implements HookCall {
  readonly agent: string
  headersSent = false
  readonly #socket: Socket
  readonly #head: Head
  readonly #first: Buffer

  constructor(socket: Socket, head: Head, first: Buffer) {
    this.agent = head.agent
    this.#socket = socket
    this.#head = head
    this.#first = first
  }

  header(name: string): string | undefined {
    return this.#head.headers.get(name)
  }

  readBody(): Promise<Buffer> {
    const wanted = this.#head.bodyBytes
    if (this.#first.length >= wanted) return Promise.resolve(this.#whole(this.#first.subarray(0, wanted)))
    return new Promise((resolve, reject) => {
      const body = Buffer.allocUnsafe(wanted)
      let size = this.#first.copy(body)
      this.#socket.on('data', (chunk: Buffer) => {
        if (size === wanted) return
        size += chunk.copy(body, size)
        if (size === wanted) resolve(this.#whole(body))
      })
      this.#socket.once('close', () =>
        reject(new BatonError('payload_invalid', 'The hook payload was cut off')),
      )
    })
  }

  /** The call may now wait for a person, for hours. */
  #whole(body: Buffer): Buffer {
    this.#socket.setTimeout(0)
    // Without a reader the end of the connection would never be seen.
    this.#socket.resume()
    return body
  }

  once(event: 'close', listener: () => void): void {
    this.#socket.once(event, listener)
  }

  get writableEnded(): boolean {
    return this.#socket.writableEnded
  }

  wait(blanks: string): void {
    this.#socket.write(this.headersSent ? blanks : `HTTP/1.1 200 OK\r\n${HEAD}\r\n${blanks}`)
    this.headersSent = true
  }

  answer(status: number, text: string): void {
    const length = `content-length: ${Buffer.byteLength(text)}\r\n`
    const head = this.headersSent
      ? ''
      : `HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Refused'}\r\n${HEAD}${length}\r\n`
    this.headersSent = true
    this.#socket.write(head + text)
    this.#socket.destroySoon()
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

const HEAD = `${Object.entries({ ...ANSWER_HEAD, connection: 'close' })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')}`
