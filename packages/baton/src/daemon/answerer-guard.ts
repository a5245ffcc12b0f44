import type { IncomingMessage } from 'node:http'
import type { ApiNeed } from '@batonpass/contract/api-needs'
import { BatonError } from '@batonpass/contract/errors'
import type { Context } from 'hono'
import { HOW_TO_ANSWER, refuseAgents } from '../ask/refuse-agents.ts'
import type { Ancestry, LocalConnection } from '../ports/ancestry.ts'

/** Identifies the caller. Throws `not_allowed` if it did not prove what the call needs. */
export type MayAnswer = (
  call: Pick<Context, 'req' | 'env'>,
  need?: Exclude<ApiNeed, 'nothing'>,
) => Promise<{ channel: string; who: string }>

export interface GuardParts {
  ancestry: Ancestry
  /** The user who runs the daemon, for the journal. */
  user: string
  /** Whether a request comes from a dashboard or an editor that a person logged in. */
  fromLogin?(headers: Headers): boolean
}

/**
 * Two things prove a person: a login (a browser or an editor that a person logged in, and that signs its requests with its
 * own key), or the process at the other end of the connection. The kernel identifies that process, so it cannot be forged;
 * it must have no agent among its ancestors and, for `person`, be at a terminal. The API token proves nothing here: it is in
 * a file that agents can read.
 */
export function answererGuard({ ancestry, user, fromLogin }: GuardParts): MayAnswer {
  return async ({ req, env }, need = 'person') => {
    const { headers } = req.raw
    if (fromLogin?.(headers)) return { channel: channelIn(headers), who: user }
    const socket = socketOf(env)
    const connection = socket && localConnection(socket)
    if (!socket || !connection) throw unproven()
    const clients = await ancestry.clientsOf(connection)
    if (clients.length === 0) throw unproven()
    for (const pid of clients)
      refuseAgents(await ancestry.ancestorsOf(pid), need === 'person' ? 'needed' : 'not-needed')
    // Check again: the pid may belong to another process by now, and the ports to another connection.
    const still = await ancestry.clientsOf(connection, clients)
    if (socket.destroyed || clients.some(pid => !still.includes(pid))) throw unproven()
    return { channel: 'terminal', who: user }
  }
}

type Socket = Pick<
  IncomingMessage['socket'],
  'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort' | 'destroyed'
>

/** The connection of a request; undefined in tests that call the routes without one. */
const socketOf = (env: { incoming?: { socket?: Socket } } | undefined): Socket | undefined =>
  env?.incoming?.socket

/** The ports of a loopback connection; undefined for the unix socket, whose peer Node cannot identify. */
function localConnection(socket: Socket): LocalConnection | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = socket
  if (remoteAddress !== LOOPBACK || localAddress !== LOOPBACK) return undefined
  if (remotePort === undefined || localPort === undefined) return undefined
  return { clientPort: remotePort, serverPort: localPort }
}

const LOOPBACK = '127.0.0.1'

/** The channel that a login names, for the journal. The dashboard names none. */
const channelIn = (headers: Headers): string =>
  /^[a-z][a-z-]{0,31}$/.exec(headers.get('baton-channel') ?? '')?.[0] ?? 'dashboard'

const unproven = () =>
  new BatonError(
    'not_allowed',
    'This call needs proof of a person; the token is not enough, because agents can read it',
    {
      remedy: HOW_TO_ANSWER,
    },
  )
