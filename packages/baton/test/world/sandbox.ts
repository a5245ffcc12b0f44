import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hostFiles } from '../../src/adapters/bubblewrap/files.ts'
import type { HolderLimits } from '../../src/adapters/bubblewrap/holder.ts'
import { viewHost } from '../../src/adapters/bubblewrap/probe.ts'
import { bubblewrapSandbox } from '../../src/adapters/bubblewrap/sandbox.ts'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { onPath } from '../../src/adapters/system/on-path.ts'
import type { Sandbox, SandboxShell } from '../../src/ports/sandbox.ts'
import { HIDDEN_VARIABLES } from '../../src/sandbox/environment.ts'
import { type SandboxSettings, SessionSandbox } from '../../src/sandbox/session-sandbox.ts'
import { gitRepo, type Repository, type Scratch, scratch } from './scratch.ts'

export interface CommandEnd {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Where the agent's shell is after the command. */
  folder: string
}

export interface RunOptions {
  cwd?: string
  env?: Record<string, string>
  shell?: SandboxShell
  input?: string
  /** Shell text that runs before the command in the agent's shell, such as a function. */
  before?: string
}

/** A user's machine in a scratch folder: home, project, Baton's state, and one session's sandbox. */
export interface SandboxWorld extends AsyncDisposable {
  scratch: Scratch
  home: string
  state: string
  project: Repository
  sandbox: Sandbox
  session: SessionSandbox
  /** Writes a file of the host below the home folder. */
  inHome: (name: string, text: string, mode?: number) => string
  /** Runs a command as the agent's shell would: prepared, wrapped, in `bash -c`. */
  run: (command: string, options?: RunOptions) => Promise<CommandEnd>
  start: (command: string, options?: RunOptions) => Promise<ChildProcess>
  open: (session: string, settings?: Partial<SandboxSettings>) => Promise<SessionSandbox>
}

export async function sandboxWorld(
  options: {
    settings?: Partial<SandboxSettings>
    limits?: HolderLimits
    /** Opens no sandbox. */
    isClosed?: boolean
    before?: (world: SandboxWorld) => Promise<void> | void
  } = {},
): Promise<SandboxWorld> {
  const folder = scratch('bs-')
  const home = join(folder.path, 'home/me')
  const state = join(home, '.local/state/baton')
  for (const path of [home, state]) mkdirSync(path, { recursive: true })
  const project = await gitRepo(join(home, 'project'))
  const sandbox = testSandbox(state, options.limits)
  const settings: SandboxSettings = {
    home,
    state,
    readable: [],
    writable: [],
    envFiles: 'hidden',
    identity: { name: 'Me', email: 'me@example.com' },
    ...options.settings,
  }
  const files = hostFiles()
  const open = (session: string, other: Partial<SandboxSettings> = {}) =>
    SessionSandbox.open({ sandbox, files }, session, { ...settings, ...other })
  const start = async (
    command: string,
    { cwd = project.path, env = {}, shell = 'bash', input, before = '' }: RunOptions = {},
  ) => {
    const path = process.env.PATH ?? ''
    const prepared = await world.session.prepare({ shell, text: command, worktree: project.path, cwd, path })
    if (!prepared.ok) throw new Error(prepared.reason)
    const at = join(folder.path, `at-${prepared.prepared.id}`)
    const text = `${before}\neval ${quote(prepared.prepared.text)} && pwd -P >| ${quote(at)}`
    const child = spawn('/bin/bash', ['-c', text], {
      cwd,
      env: { PATH: path, HOME: home, LANG: 'C.UTF-8', ...env },
      detached: true,
    })
    Object.assign(child, { at, id: prepared.prepared.id })
    if (input !== undefined) child.stdin.end(input)
    else child.stdin.end()
    return child
  }
  const world: SandboxWorld = {
    scratch: folder,
    home,
    state,
    project,
    sandbox,
    session: undefined as never,
    inHome: (name, text, mode) => {
      mkdirSync(dirname(join(home, name)), { recursive: true })
      return folder.write(join('home/me', name), text, mode)
    },
    start,
    run: async (command, runOptions = {}) => {
      const child = await start(command, runOptions)
      const end = await endOf(child)
      const { at, id } = child as ChildProcess & { at: string; id: string }
      await world.session.discard(id)
      const kept = existsSync(at) ? readFileSync(at, 'utf8').trim() : (runOptions.cwd ?? project.path)
      return { ...end, folder: kept }
    },
    open,
    async [Symbol.asyncDispose]() {
      await sandbox.endAllExcept(new Set())
      await project[Symbol.asyncDispose]()
      folder.remove()
    },
  }
  await options.before?.(world)
  if (!options.isClosed) world.session = await open('ses_test')
  return world
}

export function testSandbox(state: string, limits?: HolderLimits, path = process.env.PATH): Sandbox {
  return bubblewrapSandbox({
    folder: join(state, 'sandbox'),
    findProgram: name => onPath(name, { PATH: path }),
    ids: systemIds,
    hidden: HIDDEN_VARIABLES,
    host: viewHost(process.env),
    ...(limits ? { limits } : {}),
  })
}

const LEFT_OPEN_MS = 20_000

export function endOf(child: ChildProcess): Promise<Omit<CommandEnd, 'folder'>> {
  return new Promise((resolve, reject) => {
    const texts = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text
      })
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, ...texts }))
    // What a command left in the background may keep its output open forever.
    child.once('exit', (code, signal) => {
      setTimeout(() => resolve({ code, signal, ...texts }), LEFT_OPEN_MS).unref()
    })
  })
}

export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
