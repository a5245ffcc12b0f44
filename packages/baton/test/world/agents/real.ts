import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Dialect } from '../dialects/dialect.ts'
import type { Model } from '../model.ts'
import { gitRepo, plainGit, type Repository, type Scratch, scratch } from '../scratch.ts'
import type { ModelError, Turn } from '../turn.ts'
import { installAgent } from './install.ts'
import type { AgentName } from './pinned.ts'

/** How one real agent is run offline, against the fake model. */
export interface RealAgent {
  name: AgentName
  dialect: Dialect
  /** How long one run may take, in milliseconds; 90 seconds unless said. */
  patience?: number
  /** Writes what a fresh HOME needs before the first run. */
  setUp(place: Place): void
  /** On top of PATH, HOME and the like. */
  env(place: Place): Record<string, string>
  /** The arguments of a run without a terminal. */
  headless(order: Pick<RunOrder, 'prompt' | 'resume' | 'attach'>): string[]
  /** The same where the agent asks about commands itself, if `headless` tells it not to. */
  careful?(order: Pick<RunOrder, 'prompt'>): string[]
  /** The arguments of a run in a terminal, beside those that Baton gives; where its screen is read. */
  interactive?: readonly string[]
  /** A usage limit in its own service's words, where it reads no other; `reset` is in milliseconds since the epoch. */
  limit?(reset: number): ModelError
  /** The environment in which it does not try again for long what the model service refuses. */
  oneTry?: Readonly<Record<string, string>>
  /** A turn of the model in which it calls the agent's shell tool. */
  shell(command: string): Turn
  /** A turn in which it calls the tool with which it reads a file in a review. Absent: it has none there. */
  read?(path: string): Turn
  /** The same where it is hosted over the Agent Client Protocol, if the model has to say more there. */
  hostedShell?(command: string): Turn
  /** A run in a server that stays until `done`, for an agent whose plain run ends with its first turn. */
  serve?(home: AgentHome, order: RunOrder, done: () => Promise<void>): Promise<void>
}

export interface Place {
  /** The agent's HOME. */
  home: string
  project: string
  /** Unique to this home: `model.script({ key: home.key }, …)` serves only its sessions. */
  key: string
  /** The fake model's address. */
  url: string
}

/** A private HOME of a real agent with one project, a git repository. */
export interface AgentHome extends AsyncDisposable {
  agent: RealAgent
  path: string
  project: string
  key: string
  repository: Repository
  /** The whole environment of a run; nothing of the test process leaks in but PATH. */
  env(): Record<string, string>
  run(order: RunOrder): Promise<AgentRun>
  remove(): void
}

export interface RunOrder {
  prompt: string
  resume?: string
  /** The address of a server that runs already. */
  attach?: string
  args?: readonly string[]
  env?: Record<string, string>
  cwd?: string
  timeout?: number
}

export interface AgentRun {
  exitCode: number | null
  stdout: string
  stderr: string
}

/** `beside`: the home of another agent that this one shares, project and all. */
export async function agentHome(agent: RealAgent, model: Model, beside?: AgentHome): Promise<AgentHome> {
  const folder: Scratch = scratch('ba-')
  const path = beside?.path ?? join(folder.path, 'home')
  const project = beside?.project ?? join(folder.path, 'project')
  const tmp = join(folder.path, 'tmp')
  for (const each of [path, project, tmp]) mkdirSync(each, { recursive: true })
  const repository = beside?.repository ?? (await gitRepo(project))
  const place: Place = {
    home: path,
    project,
    key: `sk-test-${randomBytes(16).toString('hex')}`,
    url: model.url,
  }
  agent.setUp(place)

  const env = () => ({
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: path,
    TMPDIR: tmp,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    ...plainGit,
    ...agent.env(place),
  })
  const remove = () => {
    folder.remove()
    if (!beside) repository.remove()
  }
  return {
    agent,
    path,
    project,
    key: place.key,
    repository,
    env,
    run: async order => {
      const program = await installAgent(agent.name)
      const args = [...agent.headless(order), ...(order.args ?? [])]
      return await runProgram(program, args, {
        cwd: order.cwd ?? project,
        env: { ...env(), ...order.env },
        timeout: order.timeout ?? agent.patience ?? 90_000,
        evidence: () => model.summary(),
      })
    },
    remove,
    [Symbol.asyncDispose]: async () => remove(),
  }
}

interface ProgramOrder {
  cwd: string
  env: Record<string, string>
  timeout: number
  evidence: () => string
}

/** To its end, in a process group of its own: what it leaves behind is ended with it. */
export async function runProgram(program: string, args: string[], order: ProgramOrder): Promise<AgentRun> {
  const child = spawn(program, args, { cwd: order.cwd, env: order.env, detached: true, stdio: 'pipe' })
  const kill = (signal: NodeJS.Signals) => {
    try {
      if (child.pid) process.kill(-child.pid, signal)
    } catch {
      // Already gone.
    }
  }
  const end = () => kill('SIGKILL')
  process.once('exit', end)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    kill('SIGTERM')
    setTimeout(end, 3_000).unref()
  }, order.timeout)
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin.on('error', () => undefined)
  child.stdin.end()
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', code => resolve(code))
    })
    const run = { exitCode, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }
    if (timedOut)
      throw new Error(
        `${program} did not end within ${order.timeout} ms\n${run.stdout}\n${run.stderr}\n${order.evidence()}`,
      )
    return run
  } finally {
    clearTimeout(timer)
    process.off('exit', end)
    end()
  }
}
