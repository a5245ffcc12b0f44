import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { EntryList } from '@batonpass/contract/api'
import type { Entry } from '@batonpass/contract/journal'
import { profiles } from '../../src/adapters/agents/profiles.ts'
import { callDaemon } from '../../src/cli/daemon.ts'
import { type StateFolder, stateFolder } from '../../src/config/state-folder.ts'
import { isOurDaemon } from '../../src/daemon/endpoint.ts'
import { type LauncherPlaces, makeLauncher, type Transport } from '../../src/hook/launcher.ts'
import { shortSocketPath } from '../../src/hook/socket-path.ts'
import { type Scratch, scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

const DIST = join(import.meta.dirname, '../../dist')

/** A private home with a state folder and launchers in it, and whatever daemon they start. */
export interface HookWorld extends AsyncDisposable {
  scratch: Scratch
  home: string
  folder: StateFolder
  env: Record<string, string>
  /** Writes the launcher of this kind, as `baton init` would, and gives its path. */
  launcher(transport: Transport, places?: Partial<LauncherPlaces>): string
  /** Runs a launcher as an agent does: JSON on stdin, the answer on stdout. */
  call(launcher: string, words: readonly string[], options?: CallOptions): Promise<Called>
  /** The pids of this folder's daemons. */
  daemons(): number[]
  entries(query?: Record<string, string>): Promise<Entry[]>
  /** The lines that hook clients left about failures. */
  failures(): string[]
}

export interface CallOptions {
  input?: string | Buffer
  env?: Record<string, string | undefined>
  cwd?: string
  /** Runs this program, with the launcher and its words behind it. */
  through?: readonly string[]
  uid?: number
  /** Pipes that the caller holds at these numbers. */
  pipes?: number
  onStart?: (pid: number) => void
}

export interface Called {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  ms: number
}

export function hookWorld(options: { state?: string; made?: boolean } = {}): HookWorld {
  const folderOfAll = scratch('bh-')
  const home = join(folderOfAll.path, 'home')
  const state = options.state ? join(folderOfAll.path, options.state) : join(home, 'state')
  mkdirSync(home)
  if (options.made ?? true) mkdirSync(state, { recursive: true, mode: 0o700 })
  // Any free port: many of these run at once.
  writeFileSync(join(home, '.baton.yaml'), 'daemon:\n  port: 0\n', { mode: 0o600 })
  const folder = stateFolder(state)
  const env = { PATH: process.env.PATH ?? '', HOME: home }

  const places: LauncherPlaces = {
    home: state,
    node: process.execPath,
    cli: join(DIST, 'cli.js'),
    daemon: join(DIST, 'daemon.js'),
    agents: profiles,
    waitSeconds: 30,
  }
  let launchers = 0

  const daemons = () => processes().filter(pid => isOurDaemon(pid, state))
  return {
    scratch: folderOfAll,
    home,
    folder,
    env,
    launcher(transport, changed = {}) {
      const path = join(folderOfAll.path, `${transport}-${++launchers}`)
      const program = makeLauncher(transport, { ...places, ...changed })
      if (!program) throw new Error(`the hook client ${transport} cannot be made here`)
      writeFileSync(path, program, { mode: 0o755 })
      return path
    },
    call: (launcher, words, { env: more = {}, ...rest } = {}) =>
      execute([launcher, ...words], { cwd: home, ...rest, env: { ...env, ...more } }),
    daemons,
    async entries(query = {}) {
      const path = `/api/journal?${new URLSearchParams({ limit: '5000', ...query })}`
      return EntryList.parse(await callDaemon(folder, 'GET', path)).entries
    },
    failures: () =>
      existsSync(folder.hookLog) ? readFileSync(folder.hookLog, 'utf8').split('\n').filter(Boolean) : [],
    async [Symbol.asyncDispose]() {
      for (const pid of daemons()) process.kill(pid, 'SIGKILL')
      await until(() => daemons().length === 0, { what: 'the daemons to end' })
      folderOfAll.remove()
    },
  }
}

/** The answer to an asking hook when nobody could be asked. */
export const isSafe = (stdout: string): boolean => stdout.includes('Baton could not be asked')

/** What Claude Code sends before it runs a tool. */
export function toolCall(id: string, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    hook_event_name: 'PreToolUse',
    session_id: 'session-1',
    cwd: '/tmp',
    permission_mode: 'default',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: id,
    ...more,
  })
}

/** What stands on the socket instead of a daemon. */
export async function standIn(
  { socket }: StateFolder,
  onConnection: (connection: Socket) => void,
): Promise<AsyncDisposable> {
  const open = new Set<Socket>()
  const server = createServer({ pauseOnConnect: true }, connection => {
    open.add(connection)
    connection.on('error', () => {})
    onConnection(connection)
  })
  const back = process.cwd()
  await new Promise<void>(resolve => server.listen(shortSocketPath(socket), resolve))
  process.chdir(back)
  return {
    async [Symbol.asyncDispose]() {
      for (const connection of open) connection.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Reads the whole request, then gives these bytes back and closes. */
export const replyWith =
  (reply: string | Buffer, { close = true } = {}) =>
  (connection: Socket): void => {
    let heard = ''
    connection.on('data', chunk => {
      heard += chunk.toString('latin1')
      const end = heard.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(heard)?.[1] ?? 0)
      if (end < 0 || heard.length < end + 4 + length) return
      if (close) connection.end(reply)
      else connection.write(reply)
    })
    connection.resume()
  }

function execute(
  command: readonly string[],
  { input = '', env, cwd, through = [], uid, pipes = 0, onStart }: CallOptions,
): Promise<Called> {
  const [program = '', ...words] = [...through, ...command]
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      ...(uid === undefined ? {} : { uid, gid: uid }),
      stdio: ['pipe', 'pipe', 'pipe', ...Array.from({ length: pipes }, () => 'pipe' as const)],
    })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout?.on('data', chunk => out.push(chunk))
    child.stderr?.on('data', chunk => err.push(chunk))
    // A client that answers before it has read everything closes its end; that is its right.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
    child.once('error', reject)
    child.once('spawn', () => onStart?.(child.pid ?? 0))
    // `close` comes when every pipe has closed: a daemon that kept one of ours would hold it up.
    child.once('close', (code, signal) =>
      resolve({
        code,
        signal,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
        ms: performance.now() - began,
      }),
    )
  })
}

function processes(): number[] {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid='], { encoding: 'utf8' })
  return stdout.split('\n').map(Number).filter(Boolean)
}
