import { existsSync, rmSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { Health } from '@batonpass/contract/api'
import { BatonError } from '@batonpass/contract/errors'
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
import { containedHooks } from './contained-hooks.ts'
import { dispatchRequests } from './dispatch-requests.ts'
import { lastEndpoint } from './endpoint.ts'
import { listenLoopback, listenUnix } from './listen.ts'
import { openLogins } from './logins.ts'
import { OpenCalls } from './open-calls.ts'
import { requestListener } from './request-listener.ts'
import { daemonRoutes } from './routes.ts'
import { replaceFile, secretFile } from './secret-file.ts'

export interface Daemon {
  url: string
  /** Resolves when the daemon has released everything, its lock included. */
  ended: Promise<void>
  /** `everything`: hosted sessions end, too; otherwise the next daemon resumes them. */
  stop(reason: 'stopped' | 'drained', ending?: 'everything' | 'daemon'): void
}

/** How long a stop waits for running calls before it closes their connections; their clients then retry. */
const DRAIN_MS = 5000
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
  const startedAt = new Date(baton.clock.now()).toISOString()
  const calls = new OpenCalls()
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
      routes: daemonRoutes({ baton, version, logins, mayAnswer, url: () => url, cookieName }),
    }).fetch,
  )

  const { onSocket, onHook, onLoopback } = dispatchRequests({
    intake: baton.intake,
    api,
    calls,
    logins,
    token: secretFile(folder.token),
    mcpKey: secretFile(folder.mcpKey),
    url: () => url,
    port: () => port,
  })

  const socket = await listenUnix(folder.socket, onSocket, onHook)
  baton.contained?.listensWith(containedHooks(baton.intake, call => calls.track(call)))
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
      await calls.waitUntilAnswered(servers, DRAIN_MS)
      await baton.note({ kind: 'daemon', what: reason, version, pid: process.pid }).catch(() => {})
      await baton.close(hosted)
    } finally {
      // Release the lock last: only then may the next daemon create its socket.
      lock.release()
    }
  }

  return { url, ended, stop }
}

/**
 * Identifies a socket, to notice if another took its place; undefined if there is none. With the time it was made: a new file may
 * get the inode of the one that was removed just before.
 */
function socketId(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev} ${found.ino} ${found.birthtimeNs}`
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
