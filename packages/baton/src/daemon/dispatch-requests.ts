import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { Intake } from '../engine/intake.ts'
import { programPaths } from '../hook/program.ts'
import { answerHook, type HookCall, httpCall } from './hook-route.ts'
import type { Handler } from './listen.ts'
import type { Logins } from './logins.ts'
import { comesFromHere, guardLoopback, isLoopback } from './loopback-guard.ts'
import { isMcp } from './mcp-route.ts'
import type { OpenCalls } from './open-calls.ts'
import { isPageFile, servePageFile } from './page-files.ts'
import type { requestListener } from './request-listener.ts'

interface DispatchParts {
  intake: Intake
  api: ReturnType<typeof requestListener>
  calls: OpenCalls
  logins: Logins
  /** What a program of the same user sends over loopback. */
  token: string
  mcpKey: string
  url(): string
  port(): number
}

interface Listeners {
  onSocket: Handler
  onHook(call: HookCall): void
  onLoopback: Handler
}

/** Sends each request where it belongs, if its caller may send it. */
export function dispatchRequests({
  intake,
  api,
  calls,
  logins,
  token,
  mcpKey,
  url,
  port,
}: DispatchParts): Listeners {
  const pageFolder = join(dirname(programPaths().daemon), 'dashboard')

  /** A stream that a login opened ends with that login. */
  const callApi: Handler = (request, response) => {
    if (isApi(request) && logins.knows(request.headers)) logins.hold(request.headers, response)
    void api(request, response)
  }

  /** Over the unix socket, the file's mode has already restricted the callers. */
  const onSocket: Handler = (request, response) => {
    calls.track(response)
    const agent = /^\/hook\/([a-z-]{1,32})$/.exec(request.url ?? '')?.[1]
    if (agent && request.method === 'POST') void answerHook(intake, httpCall(agent, request, response))
    else callApi(request, response)
  }
  const onHook = (call: HookCall) => {
    calls.track(call)
    void answerHook(intake, call)
  }

  /** Over loopback, every user of the machine can connect, so a key or the token is required. */
  const onLoopback: Handler = (request, response) => {
    calls.track(response)
    // The page's files hold no data, so links from anywhere may open them, but not under a foreign host name.
    if (isPageFile(request) && request.headers.host === `localhost:${port()}`)
      return toAddress(url(), request, response)
    if (isPageFile(request) && isLoopback(request.headers.host, port())) {
      void servePageFile(pageFolder, request, response)
      return
    }
    if (comesFromHere(request, port())) {
      if (isLogin(request) || (isApi(request) && logins.knows(request.headers)))
        return callApi(request, response)
    }
    if (isMcp(request, mcpKey) && comesFromHere(request, port())) return void api(request, response)
    const verdict = guardLoopback(request, port(), token)
    if (verdict !== 'ok') return turnAway(response, verdict)
    onSocket(request, response)
  }

  return { onSocket, onHook, onLoopback }
}

/** `localhost` may also be `[::1]`, where any program can listen next to the daemon: a login must never belong to that name. */
function toAddress(url: string, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(307, { location: `${url}${request.url ?? '/'}`, 'content-length': 0 })
  response.end()
}

const isLogin = ({ url }: IncomingMessage): boolean => url === '/login'
const isApi = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/api/')

function turnAway(response: ServerResponse, verdict: 'unauthorized' | 'forbidden'): void {
  const error =
    verdict === 'forbidden'
      ? new BatonError('not_allowed', 'Requests from another origin or host name are refused')
      : new BatonError('not_allowed', 'This request needs a bearer token', {
          remedy: 'Send the one in the file `token` of the state folder.',
        })
  const body = `${JSON.stringify({ error: error.toBody() })}\n`
  response.writeHead(verdict === 'forbidden' ? 403 : 401, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(verdict === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {}),
  })
  response.end(body)
}
