import { chmodSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { BatonError } from '@batonpass/contract/errors'
import { shortSocketPath } from '../hook/socket-path.ts'
import type { HookCall } from './hook-route.ts'
import { interceptHooks } from './hook-socket.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Listens on the unix socket that only its owner can open. The daemon's lock must be held. */
export async function listenUnix(
  path: string,
  handler: Handler,
  onHook: (call: HookCall) => void,
): Promise<Server> {
  await clearTheWay(path)
  const server = makeServer(handler)
  interceptHooks(server, onHook)
  // Closing a server removes the path it was bound to, even if a successor uses it by then. So bind to a path of our own.
  const bound = `${path}.${process.pid}`
  rmSync(bound, { force: true })
  const umask = process.umask(0o177)
  try {
    await listening(server, () => server.listen(shortSocketPath(bound)))
  } finally {
    process.umask(umask)
  }
  chmodSync(bound, 0o600)
  renameSync(bound, path)
  return server
}

/** Listens on loopback, at the requested port or, if that is taken, at any free one. */
export async function listenLoopback(
  port: number,
  handler: Handler,
  limits: Limits = LIMITS,
): Promise<{ server: Server; port: number }> {
  const server = makeServer(handler, limits)
  server.maxConnections = limits.connections
  try {
    await listening(server, () => server.listen(port, '127.0.0.1'))
  } catch (cause) {
    if (port === 0 || !(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause
    await listening(server, () => server.listen(0, '127.0.0.1'))
  }
  const address = server.address()
  return { server, port: typeof address === 'object' && address ? address.port : port }
}

/** Limits for the loopback port: every user of the machine can open connections and leave requests unfinished. */
export interface Limits {
  headersMs: number
  requestMs: number
  connections: number
}
const LIMITS: Limits = { headersMs: 5000, requestMs: 30_000, connections: 500 }

function makeServer(handler: Handler, { headersMs, requestMs }: Limits = LIMITS): Server {
  const server = createServer(
    {
      keepAliveTimeout: 5000,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(headersMs, 1000),
    },
    handler,
  )
  server.maxHeadersCount = 100
  return server
}

/** With the lock held, a socket on which no process listens was left by a daemon that died. Anything else is not ours. */
async function clearTheWay(path: string): Promise<void> {
  const standing = lstatSync(path, { throwIfNoEntry: false })
  if (!standing) return
  if (!standing.isSocket())
    throw new BatonError('daemon_refused', `${path} exists and is not a socket`, {
      remedy: 'Move it away, or point BATON_HOME at another folder.',
    })
  if (await someoneListens(path))
    throw new BatonError('daemon_refused', `Another program listens on ${path}`, {
      remedy: 'Stop that program, or point BATON_HOME at another folder.',
    })
  rmSync(path, { force: true })
}

function someoneListens(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(shortSocketPath(path))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    // A full connection queue means that a program listens.
    socket.once('error', cause => resolve('code' in cause && cause.code === 'EAGAIN'))
  })
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', () => {
      server.off('error', reject)
      resolve()
    })
    listen()
  })
}
