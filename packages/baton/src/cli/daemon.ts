import { readFileSync } from 'node:fs'
import { type ClientRequest, type RequestOptions, request } from 'node:http'
import { Health } from '@batonpass/contract/api'
import { apiNeed } from '@batonpass/contract/api-needs'
import { ErrorBody } from '@batonpass/contract/error-body'
import { BatonError } from '@batonpass/contract/errors'
import { stateDir } from '../config/places.ts'
import { closedFolder, openStateFolder, type StateFolder, stateFolder } from '../config/state-folder.ts'
import { programPaths } from '../hook/program.ts'
import { shortSocketPath } from '../hook/socket-path.ts'
import { spawnDaemon } from '../hook/spawn.ts'
import { claimStart, startDone, startFailure } from '../hook/start-mark.ts'
import type { Io } from './io.ts'

export function folderOf(io: Io): StateFolder {
  return stateFolder(stateDir(io.env, io.home))
}

/** What a request carries in addition to its path; the body is sent as JSON. */
export interface Message {
  headers?: Record<string, string>
  body?: unknown
  /** The daemon is to see which process calls, although the path alone does not need it. */
  proven?: boolean
  /** Aborted when no one waits for the answer any more. */
  signal?: AbortSignal
}

/** One request to the daemon's API by the way that it needs; `daemon_absent` when none listens. */
export async function callDaemon(
  folder: StateFolder,
  method: string,
  path: string,
  timeoutMs = 10_000,
  message: Message = {},
): Promise<unknown> {
  const { proven = apiNeed(method, path) !== 'nothing' } = message
  const way = proven ? await wayByPort(folder, timeoutMs) : wayBySocket(folder)
  const { status, text } = await send(way, method, path, timeoutMs, message)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new BatonError('daemon_refused', 'The program on the daemon socket does not answer like Baton', {
      remedy: 'Run `baton doctor`.',
    })
  }
  if (status < 400) return body
  const error = ErrorBody.safeParse(
    typeof body === 'object' && body && 'error' in body ? body.error : undefined,
  )
  if (!error.success) throw new BatonError('daemon_refused', `The daemon answered ${status}`)
  throw new BatonError(
    error.data.code,
    error.data.message,
    error.data.remedy ? { remedy: error.data.remedy } : {},
  )
}

const HEALTH_MS = 2000
const START_MS = 60_000

/** The running daemon; `silent` if one listens but does not answer in time, undefined if none listens. */
export async function findDaemon(folder: StateFolder): Promise<Health | 'silent' | undefined> {
  try {
    const parsed = Health.safeParse(await callDaemon(folder, 'GET', '/api/health', HEALTH_MS))
    // What something else on the socket answers is not a daemon of ours.
    return parsed.success ? parsed.data : undefined
  } catch (cause) {
    if (!(cause instanceof BatonError)) throw cause
    if (cause.code === 'timed_out') return 'silent'
    if (cause.code === 'daemon_absent') return undefined
    throw cause
  }
}

/** The daemon as soon as it answers. Starts one only if none listens: a slow one is waited for. */
export async function ensureDaemon(folder: StateFolder, io: Io, withinMs = START_MS): Promise<Health> {
  const deadline = AbortSignal.timeout(withinMs)
  for (;;) {
    const found = await findDaemon(folder)
    if (found === undefined) return await startDaemon(folder, io, withinMs)
    if (found !== 'silent') return found
    if (deadline.aborted) throw silentDaemon()
  }
}

/** Starts a daemon and waits until it answers. */
export async function startDaemon(folder: StateFolder, io: Io, withinMs = START_MS): Promise<Health> {
  const { node, daemon } = programPaths()
  // Fails with the reason where there can be no folder.
  openStateFolder(folder.dir)
  // Hooks that come now wait for this one, whatever version they know.
  startDone(folder.dir)
  claimStart(folder.dir)
  let died = false
  spawnDaemon(node, daemon, folder.dir, io.env).once('exit', code => {
    died = code !== 0
  })
  const deadline = AbortSignal.timeout(withinMs)
  for (;;) {
    const found = await findDaemon(folder)
    if (found && found !== 'silent' && !found.draining) return found
    if (died || deadline.aborted) throw notStarted(folder)
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}

const silentDaemon = () =>
  new BatonError('timed_out', 'The daemon does not answer', {
    remedy: 'Run `baton down --force`, then `baton up`.',
  })

function notStarted({ dir }: StateFolder): BatonError {
  const [, why, remedy] = /^(.*?)(?:\. (.*))?$/s.exec(startFailure(dir) ?? '') ?? []
  return new BatonError('daemon_absent', `The daemon did not start${why ? `: ${why}` : ''}`, {
    remedy: remedy || 'Read its output: baton up --foreground',
  })
}

/** Follows live entries; ends when `signal` aborts or the daemon goes away. */
export async function followDaemon(
  folder: StateFolder,
  path: string,
  signal: AbortSignal,
  onEvent: (data: string) => void,
): Promise<void> {
  const way = apiNeed('GET', path) === 'nothing' ? wayBySocket(folder) : await wayByPort(folder, HEALTH_MS)
  await new Promise<void>((resolve, reject) => {
    const req = open(way, { path, signal })
    req.on('error', cause => (signal.aborted ? resolve() : reject(unreached(cause, way))))
    req.on('response', response => {
      response.setEncoding('utf8')
      let rest = ''
      response.on('data', (chunk: string) => {
        const blocks = (rest + chunk).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) {
          const data = block.split('\n').flatMap(line => (line.startsWith('data: ') ? line.slice(6) : []))
          if (data.length > 0) onEvent(data.join('\n'))
        }
      })
      response.once('close', resolve)
    })
    req.end()
  })
}

/** How a request reaches the daemon, and what it has to bring along that way. */
interface Way {
  options: Pick<RequestOptions, 'socketPath' | 'host' | 'port'>
  /** The state folder, for what is said when nothing answers. */
  dir: string
  headers: Record<string, string>
}

const wayBySocket = ({ socket, dir }: StateFolder): Way => ({
  dir,
  options: { socketPath: shortSocketPath(socket) },
  headers: {},
})

/**
 * Over the port the daemon sees which process calls. The socket tells where that port is: a port from a file could belong to
 * another user's program by now, which must not get the token.
 */
async function wayByPort(folder: StateFolder, timeoutMs: number): Promise<Way> {
  // A daemon of another version may say other things besides.
  const health = Health.pick({ url: true }).parse(await callDaemon(folder, 'GET', '/api/health', timeoutMs))
  const { hostname: host, port } = new URL(health.url)
  return { dir: folder.dir, options: { host, port }, headers: { authorization: `Bearer ${tokenIn(folder)}` } }
}

function tokenIn({ token }: StateFolder): string {
  try {
    return readFileSync(token, 'utf8').trim()
  } catch (cause) {
    throw new BatonError('not_allowed', `The daemon's token cannot be read: ${token}`, {
      cause,
      remedy: 'Run this as the user whose daemon it is, or restart it: baton up --restart',
    })
  }
}

function open({ options, headers }: Way, more: RequestOptions): ClientRequest {
  return request({ ...options, ...more, headers: { host: 'baton', ...headers, ...more.headers } })
}

function send(
  way: Way,
  method: string,
  path: string,
  timeoutMs: number,
  { headers = {}, body, signal }: Message,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const req = open(way, { method, path, headers: { ...headers, ...json }, ...(signal ? { signal } : {}) })
    const timer = setTimeout(() => req.destroy(silentDaemon()), timeoutMs)
    req.on('error', cause => {
      clearTimeout(timer)
      reject(cause instanceof BatonError ? cause : unreached(cause, way))
    })
    req.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('close', () => {
        clearTimeout(timer)
        resolve({ status: response.statusCode ?? 500, text: Buffer.concat(chunks).toString('utf8') })
      })
    })
    req.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function unreached(cause: unknown, { dir }: Way): BatonError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  // Another user's daemon may well run there: it is not for us to say that none does, or to start one.
  return code === 'EACCES' || code === 'EPERM'
    ? closedFolder(dir, cause)
    : new BatonError('daemon_absent', 'No Baton daemon is running', { remedy: 'Start it: baton up', cause })
}

/** A call to the daemon, which is started if none runs. */
export async function callStartedDaemon(
  io: Io,
  method: string,
  path: string,
  timeoutMs: number,
  message: Message = {},
): Promise<unknown> {
  const folder = folderOf(io)
  try {
    return await callDaemon(folder, method, path, timeoutMs, message)
  } catch (cause) {
    if (!(cause instanceof BatonError) || cause.code !== 'daemon_absent') throw cause
  }
  await startDaemon(folder, io)
  return callDaemon(folder, method, path, timeoutMs, message)
}
