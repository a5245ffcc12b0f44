import { existsSync, rmSync, statSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type { Health } from '@batonpass/contract/api'
import { BatonError } from '@batonpass/contract/errors'
import type { Pause } from '@batonpass/contract/pause'
import { PROTOCOL } from '@batonpass/contract/protocol'
import { systemAncestry } from '../adapters/system/ancestry.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import type { Baton } from '../compose.ts'
import type { StateFolder } from '../config/state-folder.ts'
import { packageWatch } from '../hook/package-removed.ts'
import { programPaths } from '../hook/program.ts'
import type { DaemonLock } from '../store/lock.ts'
import { answererGuard } from './answerer-guard.ts'
import { makeApi } from './api.ts'
import { askRoutes } from './ask-routes.ts'
import { claimRoutes } from './claim-routes.ts'
import { containedHooks } from './contained-hooks.ts'
import { containedRoutes } from './contained-routes.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { cycleRoutes } from './cycle-routes.ts'
import { dashboardRoutes } from './dashboard-routes.ts'
import { editorRoutes } from './editor-routes.ts'
import { lastEndpoint } from './endpoint.ts'
import { fleetRoutes } from './fleet-routes.ts'
import { answerHook, type HookCall, httpCall } from './hook-route.ts'
import { hostedRoutes } from './hosted-routes.ts'
import { type Handler, listenLoopback, listenUnix } from './listen.ts'
import { openLogins } from './logins.ts'
import { comesFromHere, guardLoopback, isLoopback } from './loopback-guard.ts'
import { isMcp, mcpRoute } from './mcp-route.ts'
import { nameRoutes } from './name-routes.ts'
import { isPageFile, servePageFile } from './page-files.ts'
import { pauseRoutes } from './pause-routes.ts'
import { presenceRoutes } from './presence-routes.ts'
import { proofRoutes } from './proof-routes.ts'
import { requestListener } from './request-listener.ts'
import { replaceFile, secretFile } from './secret-file.ts'
import { sessionRoutes } from './session-routes.ts'
import { workRoutes } from './work-routes.ts'

export interface Daemon {
  url: string
  /** Resolves when the daemon has released everything, its lock included. */
  ended: Promise<void>
  /** `everything`: hosted sessions end, too; otherwise the next daemon resumes them. */
  stop(reason: 'stopped' | 'drained', ending?: 'everything' | 'daemon'): void
}

/** How long a stop waits for running calls before it closes their connections; their clients then retry. */
const DRAIN_MS = 5000
/** How often a daemon that stops looks whether everything has ended. */
const QUIET_MS = 20
const DEFAULT_PORT = 4747
const TICK_MS = 5000
const HOUSEKEEPING_MS = 10 * 60 * 1000

/** Serves hooks and the API until it is stopped. The caller must hold the lock; it is released at the end. */
export async function runDaemon(
  baton: Baton,
  folder: StateFolder,
  lock: DaemonLock,
  version: string,
): Promise<Daemon> {
  const token = secretFile(folder.token)
  const mcpKey = secretFile(folder.mcpKey)
  const startedAt = new Date(baton.clock.now()).toISOString()
  const open = new Set<Answering>()
  let draining = false
  let url = ''

  const health = async (): Promise<Health> => ({
    name: 'baton',
    version,
    protocol: PROTOCOL,
    pid: process.pid,
    startedAt,
    stateDir: folder.dir,
    url,
    draining,
    memoryMb: Math.round(process.memoryUsage.rss() / 1024 / 1024),
    ...(await baton.figures()),
  })
  const { promise: ended, resolve: hasEnded } = Promise.withResolvers<void>()
  // Cookies ignore ports, so the name includes the port: two daemons must not overwrite each other's cookies.
  const cookieName = () => `baton_${url.split(':').at(-1)}`
  const logins = await openLogins(baton.browsers, { clock: baton.clock, ids: systemIds, cookieName })
  const pageFolder = join(dirname(programPaths().daemon), 'dashboard')
  const mayAnswer = answererGuard({
    ancestry: systemAncestry,
    user: userName(),
    fromLogin: headers => logins.knows(Object.fromEntries(headers)),
  })
  const api = requestListener(
    makeApi({
      health,
      store: baton.store,
      live: baton.live,
      stop,
      forget: baton.forget,
      mayAnswer,
      routes: [
        askRoutes(baton.asks, mayAnswer, () => baton.fleet.asks()),
        presenceRoutes(baton.presence, mayAnswer),
        cycleRoutes(baton),
        claimRoutes(baton, mayAnswer),
        fleetRoutes(baton.fleet),
        sessionRoutes(baton.sessions, baton.fleet),
        nameRoutes(baton),
        pauseRoutes({
          ...baton,
          notePause: (what, pause) =>
            baton.note({ kind: 'daemon', what, version, pid: process.pid, detail: pausedPlace(pause) }),
        }),
        hostedRoutes(baton.intake, baton.dashboard.talks, name => baton.contained?.callerOf(name)),
        containedRoutes(baton.contained),
        workRoutes(baton.work),
        ...(baton.proofs ? [proofRoutes(baton.proofs, baton.acceptRun, mayAnswer)] : []),
        mcpRoute(baton.work),
        editorRoutes({ ...baton, mayAnswer }),
        conversationRoutes(baton.dashboard.conversations, mayAnswer),
        dashboardRoutes({
          ...baton,
          logins,
          mayAnswer,
          url: () => url,
          cookieName,
          now: baton.clock.now,
          home: homedir(),
        }),
      ],
    }).fetch,
  )

  /** A stream that a login opened ends with that login. */
  const callApi: Handler = (request, response) => {
    if (isApi(request) && logins.knows(request.headers)) logins.hold(request.headers, response)
    void api(request, response)
  }

  /** Over the unix socket, the file's mode has already restricted the callers. */
  const onSocket: Handler = (request, response) => {
    track(open, response)
    const agent = /^\/hook\/([a-z-]{1,32})$/.exec(request.url ?? '')?.[1]
    if (agent && request.method === 'POST') void answerHook(baton.intake, httpCall(agent, request, response))
    else callApi(request, response)
  }
  const onHook = (call: HookCall) => {
    track(open, call)
    void answerHook(baton.intake, call)
  }

  /** Over loopback, every user of the machine can connect, so a key or the token is required. */
  const onLoopback: Handler = (request, response) => {
    track(open, response)
    // The page's files hold no data, so links from anywhere may open them, but not under a foreign host name.
    if (isPageFile(request) && request.headers.host === `localhost:${port}`)
      return toAddress(url, request, response)
    if (isPageFile(request) && isLoopback(request.headers.host, port)) {
      void servePageFile(pageFolder, request, response)
      return
    }
    if (comesFromHere(request, port)) {
      if (isLogin(request) || (isApi(request) && logins.knows(request.headers)))
        return callApi(request, response)
    }
    if (isMcp(request, mcpKey) && comesFromHere(request, port)) return void api(request, response)
    const verdict = guardLoopback(request, port, token)
    if (verdict !== 'ok') return turnAway(response, verdict)
    onSocket(request, response)
  }

  const socket = await listenUnix(folder.socket, onSocket, onHook)
  baton.contained?.listensWith(containedHooks(baton.intake, call => track(open, call)))
  const ownSocket = socketId(folder.socket)
  const { server: loopback, port } = await listenLoopback(
    baton.port || lastPort(folder) || (baton.port ?? DEFAULT_PORT),
    onLoopback,
  )
  baton.listensOn(port)
  url = `http://127.0.0.1:${port}`
  await logins.moved()
  replaceFile(folder.endpoint, `${JSON.stringify({ pid: process.pid, url, version, startedAt })}\n`, 0o600)
  await baton.note({ kind: 'daemon', what: 'started', version, pid: process.pid })
  if (baton.port && port !== baton.port) {
    const words = `Port ${baton.port} (daemon.port) is taken by another program, so Baton listens on port ${port}`
    const remedy = 'Stop the other program or choose another daemon.port, then: baton up --restart'
    baton.fault('opening the port', new BatonError('daemon_refused', words, { remedy }))
  }
  const guarded = (during: string, work: () => Promise<void>) => () =>
    void work().catch(cause => baton.fault(during, cause))
  const tidy = async () => {
    await logins.expire()
    await baton.housekeeping()
  }
  // Not awaited: hooks are answered meanwhile; a command waits for the probe.
  guarded('starting the sandbox', baton.startSandbox)()
  const housekeeping = setInterval(guarded('housekeeping', tidy), HOUSEKEEPING_MS)
  const tick = guarded('ticking', baton.tick)
  // If the state folder or socket was removed, stop: clients could not find this daemon, and its lock would block a new one.
  // Without its files a daemon fails at the first thing it has not loaded. Once it has stopped, launchers stand aside.
  const { cli } = programPaths()
  const isBuilt = existsSync(cli)
  const isPackageRemoved = packageWatch(() => !isBuilt || existsSync(cli), systemClock)
  const ticking = setInterval(
    () => (socketId(folder.socket) === ownSocket && !isPackageRemoved() ? tick() : stop('stopped', 'daemon')),
    TICK_MS,
  )

  function stop(
    reason: 'stopped' | 'drained',
    ending: 'everything' | 'daemon' = reason === 'drained' ? 'daemon' : 'everything',
  ): void {
    if (draining) return
    draining = true
    void end(reason, ending === 'daemon' ? 'leave' : 'end').then(hasEnded, hasEnded)
  }

  async function end(reason: 'stopped' | 'drained', hosted: 'end' | 'leave'): Promise<void> {
    clearInterval(housekeeping)
    clearInterval(ticking)
    const servers = [socket, loopback]
    for (const server of servers) server.close()
    if (socketId(folder.socket) === ownSocket) rmSync(folder.socket, { force: true })
    try {
      // Stop the asks before closing their callers' connections, or the asks would count as withdrawn.
      await baton.asks.stop().catch(cause => baton.fault('stopping', cause))
      await quiet(open, servers, DRAIN_MS)
      await baton.note({ kind: 'daemon', what: reason, version, pid: process.pid }).catch(() => {})
      await baton.close(hosted)
    } finally {
      // Release the lock last: only then may the next daemon create its socket.
      lock.release()
    }
  }

  return { url, ended, stop }
}

/** Where a pause applies, for the journal. */
const pausedPlace = (pause: Pause): string =>
  pause.scope === 'machine'
    ? 'machine'
    : pause.scope === 'project'
      ? `project ${pause.project}`
      : `session ${pause.nativeSession}`

/**
 * Identifies a socket, to notice if another took its place; undefined if there is none. With the time it was made: a new file may
 * get the inode of the one that was removed just before.
 */
function socketId(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev} ${found.ino} ${found.birthtimeNs}`
}

/** `localhost` may also be `[::1]`, where any program can listen next to the daemon: a login must never belong to that name. */
function toAddress(url: string, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(307, { location: `${url}${request.url ?? '/'}`, 'content-length': 0 })
  response.end()
}

const isLogin = ({ url }: IncomingMessage): boolean => url === '/login'
const isApi = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/api/')

/** What is being answered. */
type Answering = Pick<HookCall, 'headersSent' | 'writableEnded'> & {
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

function track(open: Set<Answering>, response: Answering): void {
  open.add(response)
  response.once('close', () => open.delete(response))
}

/** Waits until nothing is under way. Live streams and calls that were told to wait are cut off: they come back. */
async function quiet(open: Set<Answering>, servers: readonly Server[], withinMs: number): Promise<void> {
  for (const server of servers) server.closeIdleConnections()
  const tooLong = AbortSignal.timeout(withinMs)
  while (open.size > 0 && !tooLong.aborted) {
    for (const response of open) if (response.headersSent && !response.writableEnded) response.destroy()
    await new Promise(resolve => setTimeout(resolve, QUIET_MS))
  }
  for (const response of open) response.destroy()
  for (const server of servers) server.closeAllConnections()
}

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

/** The user's name, or the numeric id if the system's user list has no entry for it. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}

/** The port of the previous daemon, so that bookmarks keep working. */
function lastPort(folder: StateFolder): number | undefined {
  return Number(lastEndpoint(folder).url?.split(':').at(-1)) || undefined
}
