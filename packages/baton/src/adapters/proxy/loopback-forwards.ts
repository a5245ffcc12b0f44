import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { ForwardedPort, PortForwards } from '../../ports/network.ts'

const MOST_FORWARDS = 20
const MOST_CONNECTIONS = 64

/**
 * Ports that servers in the sandbox get on this machine under their own number: those of development servers. A program of the
 * user that expects its database at a well-known port must not find an agent's server there.
 */
const SAME = { from: 3000, to: 9999 }
const SERVICES: ReadonlySet<number> = new Set([
  3306, 3389, 4222, 4369, 5037, 5432, 5433, 5434, 5672, 5900, 5984, 6379, 6380, 6443, 7474, 7687, 8086, 8125,
  8200, 8500, 9042, 9092, 9200, 9300,
])

export const keepsNumber = (port: number): boolean =>
  port >= SAME.from && port <= SAME.to && !SERVICES.has(port) && !(port >= 6000 && port <= 6063)

interface Forward extends ForwardedPort {
  server: Server
}

/** Servers inside sandboxes, at ports of this machine's loopback. `closed`: ports that are never used, such as Baton's own. */
export function loopbackForwards(closed: () => readonly number[]): PortForwards {
  const sessions = new Map<string, Map<number, Forward>>()

  return {
    async update(session, inside, connect) {
      const open = sessions.get(session) ?? new Map<number, Forward>()
      sessions.set(session, open)
      for (const [port, { server }] of open) {
        if (inside.includes(port)) continue
        server.close()
        open.delete(port)
      }
      const added: ForwardedPort[] = []
      for (const port of inside) {
        if (open.has(port) || open.size >= MOST_FORWARDS) continue
        const server = await listen(port, closed(), socket => connect(port, socket))
        if (!server) continue
        // The session may have ended meanwhile.
        if (sessions.get(session) !== open) {
          server.close()
          return []
        }
        const made = { inside: port, port: portOf(server), server }
        open.set(port, made)
        added.push({ inside: made.inside, port: made.port })
      }
      return added
    },
    list: session =>
      [...(sessions.get(session)?.values() ?? [])].map(({ inside, port }) => ({ inside, port })),
    end(session) {
      for (const { server } of sessions.get(session)?.values() ?? []) server.close()
      sessions.delete(session)
    },
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** On the same number if that is free and usual for such servers, otherwise on any free one. */
async function listen(
  port: number,
  closed: readonly number[],
  accept: (socket: Socket) => void,
): Promise<Server | undefined> {
  const first = keepsNumber(port) && !closed.includes(port) ? await listenOn(port, accept) : undefined
  if (first) return first
  const other = await listenOn(0, accept)
  if (!other || !closed.includes(portOf(other))) return other
  other.close()
  return undefined
}

function listenOn(port: number, accept: (socket: Socket) => void): Promise<Server | undefined> {
  return new Promise(done => {
    // Not read here: the connection is handed on as it is.
    const server = createServer({ pauseOnConnect: true }, accept)
    server.maxConnections = MOST_CONNECTIONS
    server.once('error', () => done(undefined))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.removeAllListeners('error')
      server.on('error', () => undefined)
      server.unref()
      done(server)
    })
  })
}
