import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '../../../../packages/baton/test/world/wait.ts'
import { installVsCode } from './install.ts'

const run = promisify(execFile)

/** Real VS Code, served on loopback for one test, with its own home, settings and extensions. */
export interface CodeServer extends AsyncDisposable {
  /** The address at which a folder opens. */
  open(folder: string): string
  log(): string
}

export interface CodeServerParts {
  /** Its HOME, in which a daemon may run. */
  home: string
  /** Extensions to install, as packaged. */
  vsix: readonly string[]
  env?: Record<string, string>
  settings?: Record<string, unknown>
}

export async function codeServer({
  home,
  vsix,
  env = {},
  settings = {},
}: CodeServerParts): Promise<CodeServer> {
  const program = await installVsCode()
  const data = join(home, 'vscode')
  mkdirSync(join(data, 'User'), { recursive: true })
  writeFileSync(join(data, 'User', 'settings.json'), JSON.stringify({ ...QUIET, ...settings }))
  // Any free port, taken when it starts: a port that is chosen first may be taken by another program by then.
  writeFileSync(join(data, 'config.yaml'), 'bind-addr: 127.0.0.1:0\nauth: none\ncert: false\n')
  const places = [
    ...['--config', join(data, 'config.yaml'), '--user-data-dir', data],
    ...['--extensions-dir', join(data, 'extensions')],
  ]
  // The machine's own settings stay outside; only what a program needs to start comes in.
  // Sockets, too, go where they are removed; their paths must stay short.
  const temporary = join(home, 't')
  mkdirSync(temporary, { recursive: true })
  const clean = {
    PATH: process.env.PATH,
    HOME: home,
    LANG: 'C.UTF-8',
    TMPDIR: temporary,
    XDG_RUNTIME_DIR: temporary,
    ...env,
  }
  for (const one of vsix)
    await run(program, [...places, '--install-extension', one], { env: clean, timeout: 120_000 })

  const said: string[] = []
  const child = spawn(program, [...places, ...SWITCHES], {
    env: clean,
    cwd: home,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => said.push(String(chunk)))
  const log = () => said.join('').slice(-20_000)
  const address = await until(() => /server listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log())?.[1], {
    what: 'code-server to say where it is',
    timeout: 120_000,
    every: 100,
    evidence: log,
  })
  await until(async () => (await fetch(`${address}/healthz`)).ok, {
    what: 'code-server to answer',
    timeout: 120_000,
    every: 100,
    evidence: log,
  })
  return {
    open: folder => `${address}/?folder=${encodeURIComponent(folder)}`,
    log,
    [Symbol.asyncDispose]: () => endGroup(child),
  }
}

const SWITCHES = [
  '--disable-telemetry',
  '--disable-update-check',
  '--disable-workspace-trust',
  '--disable-getting-started-override',
]

/** Disables telemetry, welcome pages and animations. */
const QUIET = {
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.reduceMotion': 'on',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'telemetry.telemetryLevel': 'off',
  'chat.agentHost.enabled': false,
  'git.openRepositoryInParentFolders': 'never',
}

/** The server, its extension hosts and all processes that they started. */
async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return
  const gone = new Promise(resolve => child.once('close', resolve))
  const pids = descendants(child.pid)
  process.kill(-child.pid, 'SIGTERM')
  const late = setTimeout(() => {
    for (const pid of pids) kill(pid)
  }, 5000)
  await gone
  clearTimeout(late)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

function descendants(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return [pid, ...children.flatMap(child => descendants(Number(child)))]
  } catch {
    return [pid]
  }
}
