import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { shortSocketPath } from '../hook/socket-path.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Listens on the unix socket that only its owner can open. The daemon's lock must be held. */
export async function listenUnix(path: string, handler: Handler): Promise<Server> {
  // With the lock held, whatever stands there was left by a daemon that died.
  rmSync(path, { force: true })
  const server = makeServer(handler)
  const umask = process.umask(0o177)
  try {
    await listening(server, () => server.listen(shortSocketPath(path)))
  } finally {
    process.umask(umask)
  }
  chmodSync(path, 0o600)
  return server
}

/** Listens on loopback, at the wanted port or, when that is taken, at any. */
export async function listenLoopback(
  port: number,
  handler: Handler,
): Promise<{ server: Server; port: number }> {
  const server = makeServer(handler)
  try {
    await listening(server, () => server.listen(port, '127.0.0.1'))
  } catch (cause) {
    if (port === 0 || !(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause
    await listening(server, () => server.listen(0, '127.0.0.1'))
  }
  const address = server.address()
  return { server, port: typeof address === 'object' && address ? address.port : port }
}

function makeServer(handler: Handler): Server {
  const server = createServer(
    { keepAliveTimeout: 5000, requestTimeout: 30_000, headersTimeout: 10_000 },
    handler,
  )
  server.maxHeadersCount = 100
  return server
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
