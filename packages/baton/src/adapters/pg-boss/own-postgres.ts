import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { BatonError } from '@batonpass/contract/errors'

const run = promisify(execFile)
const START_MS = 60_000
const STOP_MS = 30_000
const LOOK_MS = 50
const USER = 'baton'

/** Small: it keeps one queue. Only loopback, and only with the password. */
const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  'max_connections = 20',
  "shared_buffers = '16MB'",
  "log_min_messages = 'warning'",
].join('\n')

/** A PostgreSQL of Baton's own. It outlives a killed daemon; the next one finds it by its own lock file. */
export interface OwnPostgres {
  /** Starts it if it does not run. Returns its address, which holds the password. */
  start(): Promise<string>
  stop(): Promise<void>
}

export function ownPostgres({ folder, native }: { folder: string; native: string }): OwnPostgres {
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  const log = join(folder, 'postgres.log')
  const password = () => readFileSync(passwordFile, 'utf8').trim()
  const addressAt = (port: number) => `postgres://${USER}:${password()}@127.0.0.1:${port}/postgres`

  /** The server of this folder, if it answers to this folder's password. */
  async function findRunning(): Promise<{ pid: number; url: string } | undefined> {
    const [pid, , , port] = readLock(data)
    if (!pid || !port || !existsSync(passwordFile)) return undefined
    const url = addressAt(Number(port))
    return (await answers(url)) ? { pid: Number(pid), url } : undefined
  }

  async function prepare(): Promise<void> {
    if (existsSync(data)) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // A crash leaves `data.new`, which is made again.
    const fresh = `${data}.new`
    rmSync(fresh, { recursive: true, force: true })
    writeFileSync(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 })
    const [program, ...args] = unprivileged(join(native, 'bin', 'initdb'), [
      ...['-D', fresh, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
      ...['-E', 'UTF8', '--locale=C'],
    ])
    await run(program, args, { env: environment() }).catch(cause => {
      throw broken('PostgreSQL could not create its files', cause)
    })
    appendFileSync(join(fresh, 'postgresql.conf'), `\n${SETTINGS}\n`)
    renameSync(fresh, data)
  }

  return {
    async start() {
      await prepare()
      const running = await findRunning()
      if (running) return running.url
      const port = await freePort()
      const output = openSync(log, 'a', 0o600)
      const [program, ...args] = unprivileged(join(native, 'bin', 'postgres'), [
        '-D',
        data,
        '-p',
        String(port),
      ])
      const child = spawn(program, args, {
        env: environment(),
        detached: true,
        stdio: ['ignore', output, output],
      })
      closeSync(output)
      let ended: unknown
      child.once('error', cause => {
        ended = cause
      })
      child.once('exit', code => {
        ended ??= `it ended with ${code ?? 'a signal'}`
      })
      child.unref()
      const url = addressAt(port)
      const deadline = AbortSignal.timeout(START_MS)
      while (!(await answers(url))) {
        // Another daemon may have started it at the same time.
        const other = ended === undefined ? undefined : await findRunning()
        if (other) return other.url
        if (ended !== undefined || deadline.aborted)
          throw broken('PostgreSQL did not start', ended instanceof Error ? ended : new Error(lastLine(log)))
        await pause(LOOK_MS)
      }
      return url
    },
    async stop() {
      const running = await findRunning()
      if (!running) return
      // A fast shutdown: open connections are cut, everything is written.
      process.kill(running.pid, 'SIGINT')
      const deadline = AbortSignal.timeout(STOP_MS)
      while (readLock(data).length > 0 && !deadline.aborted) await pause(LOOK_MS)
    },
  }
}

/** The lines of PostgreSQL's lock file: pid, data folder, start time, port, … */
function readLock(data: string): string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

async function answers(url: string): Promise<boolean> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** PostgreSQL refuses to run as root. Under root, it gets a user namespace in which root has another number. */
function unprivileged(program: string, args: readonly string[]): [string, ...string[]] {
  if (process.getuid?.() !== 0) return [program, ...args]
  return [
    'bwrap',
    '--dev-bind',
    '/',
    '/',
    '--unshare-user',
    '--uid',
    '65534',
    '--gid',
    '65534',
    '--',
    program,
    ...args,
  ]
}

const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' })

function broken(what: string, cause: unknown): BatonError {
  const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause)
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
  const why = isMissing
    ? 'it needs bubblewrap, because it does not run as root'
    : said.trim().split('\n').at(-1)
  return new BatonError('database_failed', `${what}: ${why}`, {
    cause,
    remedy: isMissing
      ? 'Install bubblewrap, run Baton as another user, or set fleet.postgres.'
      : 'Set fleet.postgres to a database of your own, or see `baton doctor`.',
  })
}

function lastLine(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim().split('\n').at(-1) ?? ''
  } catch {
    return 'no reason given'
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise(resolve => probe.close(resolve))
  if (typeof address === 'object' && address) return address.port
  throw new BatonError('internal', 'No free port')
}
