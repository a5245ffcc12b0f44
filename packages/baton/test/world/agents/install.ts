import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '../wait.ts'
import { type AgentName, type PinnedAgent, type PinnedProgram, pinned } from './pinned.ts'

const run = promisify(execFile)

/** The path of a pinned real agent's program, installed once per machine into the test cache. */
export async function installAgent(name: AgentName, cache = cacheFolder()): Promise<string> {
  const agent: PinnedAgent = pinned[name]
  const { prepare } = agent
  return await installProgram(name, agent, {
    cache,
    ...(prepare && {
      prepare: async (folder: string) => void (await run(process.execPath, [prepare], { cwd: folder })),
    }),
  })
}

export interface InstallOptions {
  cache?: string
  /** What must be done in the package's folder after unpacking; npm runs no script. */
  prepare?: (folder: string) => Promise<void>
  /** Without its optional parts, which may be large. */
  small?: boolean
}

/** The path of any program of an npm package, installed once per machine into the test cache. */
export async function installProgram(
  name: string,
  wanted: PinnedProgram,
  { cache = cacheFolder(), prepare, small }: InstallOptions = {},
): Promise<string> {
  const home = join(cache, `${name}-${wanted.version}`)
  const program = join(home, 'node_modules', '.bin', wanted.bin)
  if (await isInstalled(home, wanted)) return program

  await mkdir(cache, { recursive: true })
  const lock = `${home}.lock`
  const outcome = await until(
    async () => ((await isInstalled(home, wanted)) ? 'ready' : (await takeLock(lock)) && 'mine'),
    { what: `${wanted.package}@${wanted.version} to be installed`, timeout: 600_000, every: 200 },
  )
  if (outcome === 'ready') return program
  try {
    // The process that held the lock before may have finished between the two looks.
    if (!(await isInstalled(home, wanted))) await install(wanted, home, { prepare, small })
  } finally {
    await rm(lock, { force: true })
  }
  return program
}

/** For vitest's globalSetup, so that no test's time contains an installation: the agents that every test run drives. */
export default async function setup(): Promise<void> {
  for (const name of ['claude-code', 'codex', 'pi'] as const) await installAgent(name)
}

export function cacheFolder(): string {
  const { BATON_TEST_CACHE, XDG_CACHE_HOME } = process.env
  return BATON_TEST_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'baton-test')
}

async function isInstalled(home: string, agent: PinnedProgram): Promise<boolean> {
  const manifest = join(home, 'node_modules', agent.package, 'package.json')
  if (!existsSync(manifest) || !existsSync(join(home, 'node_modules', '.bin', agent.bin))) return false
  const { version }: { version?: string } = JSON.parse(await readFile(manifest, 'utf8'))
  return version === agent.version
}

async function install(
  agent: PinnedProgram,
  home: string,
  { prepare, small }: { prepare: InstallOptions['prepare'] | undefined; small: boolean | undefined },
): Promise<void> {
  // Unpacked beside its place and renamed, so a killed installation is never taken for a finished one.
  const staging = `${home}.${process.pid}.new`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  await writeFile(join(staging, 'package.json'), '{"private":true}')
  const wanted = `${agent.package}@${agent.version}`
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--save-exact']
  await run('npm', ['install', ...quiet, ...(small ? ['--omit=optional'] : []), wanted], {
    cwd: staging,
    maxBuffer: 1 << 26,
    // A registry that swallows packets would otherwise hold everything up.
    timeout: 300_000,
  })
  const folder = join(staging, 'node_modules', agent.package)
  await prepare?.(folder)
  const { stdout } = await run(join(staging, 'node_modules', '.bin', agent.bin), ['--version'], {
    env: { PATH: process.env.PATH, HOME: staging, DISABLE_AUTOUPDATER: '1' },
  })
  if (!stdout.includes(agent.version)) {
    throw new Error(`${wanted} says it is ${stdout.trim()}: remove ${staging} and check the pinned version`)
  }
  await rm(home, { recursive: true, force: true })
  await rename(staging, home)
}

/** One installer at a time; a lock whose process is gone is taken over. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    const pid = Number(await readFile(lock, 'utf8').catch(() => ''))
    const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Number.NaN }))
    if (pid > 0 && !isAlive(pid)) await rm(lock, { force: true })
    // An empty lock is being written this instant, or was left by a crash long ago.
    else if (!pid && performance.timeOrigin + performance.now() - mtimeMs > 10_000)
      await rm(lock, { force: true })
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

if (import.meta.main) {
  const names = process.argv.slice(2)
  const unknown = names.filter(name => !Object.hasOwn(pinned, name))
  if (names.length === 0 || unknown.length > 0) {
    console.error(`usage: install.ts AGENT…, where AGENT is one of ${Object.keys(pinned).join(', ')}`)
    process.exitCode = 2
  } else {
    for (const name of names) console.log(await installAgent(name as AgentName))
  }
}
