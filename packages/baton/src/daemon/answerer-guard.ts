import type { IncomingMessage } from 'node:http'
import type { ApiNeed } from '@batonpass/contract/api-needs'
import { BatonError } from '@batonpass/contract/errors'
import type { Context } from 'hono'
import { HOW_TO_ANSWER, refuseAgents } from '../ask/refuse-agents.ts'
import type { Ancestry, LocalConnection } from '../ports/ancestry.ts'

/** Who calls; throws `not_allowed` for a caller that did not prove what is needed. */
export type MayAnswer = (
  call: Pick<Context, 'req' | 'env'>,
  need?: Exclude<ApiNeed, 'nothing'>,
) => Promise<{ channel: string; who: string }>

export interface GuardParts {
  ancestry: Ancestry
  /** Whose daemon this is, for the record. */
  user: string
  /** Whether a request comes from a dashboard or an editor that a person let in. */
  fromLogin?(headers: Headers): boolean
}

/**
 * Two things prove a person: a login (a browser or an editor that a person let in, and that signs its requests with a key of
 * its own), or the process at the other end of the connection. The kernel names that process, so none can pass for another;
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
    // A process number may have been given to another process meanwhile, and the ports to another connection.
    const still = await ancestry.clientsOf(connection, clients)
    if (socket.destroyed || clients.some(pid => !still.includes(pid))) throw unproven()
    return { channel: 'terminal', who: user }
  }
}

type Socket = Pick<
  IncomingMessage['socket'],
  'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort' | 'destroyed'
>

/** The connection that a request came by; none in a test that calls the routes without one. */
const socketOf = (env: { incoming?: { socket?: Socket } } | undefined): Socket | undefined =>
  env?.incoming?.socket

/** Undefined for the unix socket, whose other end Node cannot name. */
function localConnection(socket: Socket): LocalConnection | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = socket
  if (remoteAddress !== LOOPBACK || localAddress !== LOOPBACK) return undefined
  if (remotePort === undefined || localPort === undefined) return undefined
  return { clientPort: remotePort, serverPort: localPort }
}

const LOOPBACK = '127.0.0.1'

/** What a login calls itself, for the record: the dashboard says nothing. */
const channelIn = (headers: Headers): string =>
  /^[a-z][a-z-]{0,31}$/.exec(headers.get('baton-channel') ?? '')?.[0] ?? 'dashboard'

const unproven = () =>
  new BatonError('not_allowed', 'This needs proof of a person, and the token is none: agents can read it', {
    remedy: HOW_TO_ANSWER,
  })
