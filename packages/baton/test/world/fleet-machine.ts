import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { FleetStatus, FleetToken } from '@batonpass/contract/fleet'
import { expect } from 'vitest'
import { type BatonHere, batonIn, batonOnPath } from './baton.ts'
import { callSocket, settingsFor } from './claims.ts'
import type { FakeGitHub } from './github.ts'
import { asPerson } from './person.ts'
import { plainGit, type Scratch } from './scratch.ts'

const exec = promisify(execFile)

export interface FleetMachine {
  name: string
  /** Its clones, in the order of the repositories. */
  projects: string[]
  baton: BatonHere
  /** Runs a command there, which must succeed. */
  must(...args: string[]): Promise<string>
  /** Starts the daemon, joins the fleet if there is a token, and takes issues. */
  up(token?: string): Promise<void>
  /** Prints a token for another machine, as a person does. */
  token(): Promise<string>
  /** The daemon's process. */
  pid(): number
  /** The processes of its agents' terminals. */
  agents(): number[]
  status(): Promise<FleetStatus>
  /** What a webhook of each repository sets off. */
  nudge(): Promise<void>
  screens(): string
  end(): Promise<void>
}

export interface FleetMachineOptions {
  folder: Scratch
  /** A short path: sockets have a limit. */
  sockets: Scratch
  name: string
  github: FakeGitHub
  repositories: readonly string[]
  /** The program `claude`. */
  agent: string
  env?: Record<string, string>
  /** More lines of its configuration. */
  settings: string
  slots: number
}

/** A machine of its own: home, state, daemon, tmux server, agent and clones. */
export async function fleetMachine(options: FleetMachineOptions): Promise<FleetMachine> {
  const { folder, sockets, name, github, repositories, slots } = options
  const root = join(folder.path, name)
  const env = { ...process.env, ...plainGit }
  const projects: string[] = []
  for (const full of repositories) {
    const project = join(root, full.replace(/^.*\//, ''))
    // Not synchronously: this process serves the remote.
    await exec('git', ['clone', '-q', github.repositoryNamed(full).remote, project], { env })
    await exec('git', ['-C', project, 'config', 'user.name', 'Dev'])
    await exec('git', ['-C', project, 'config', 'user.email', 'dev@example.com'])
    projects.push(project)
  }
  const home = join(root, 'home')
  const baton = batonIn(home, projects[0] ?? '')
  const bin = batonOnPath(home)
  writeFileSync(join(bin, 'claude'), options.agent, { mode: 0o755 })
  const tmux = join(sockets.path, name)
  const socket = join(tmux, `tmux-${process.getuid?.()}`, 'default')
  const own = { HOME: home, PATH: `${bin}:${process.env.PATH}`, TMUX_TMPDIR: tmux, ...options.env }
  mkdirSync(dirname(socket), { recursive: true, mode: 0o700 })
  expect(
    spawnSync('tmux', ['-S', socket, 'new-session', '-d', '-s', 'keep'], { env: { ...env, ...own } }).status,
  ).toBe(0)
  baton.configure(settingsFor(github, options.settings))
  const must = async (...args: string[]) => {
    const ran = await baton.run(args, { env: own })
    expect(ran, args.join(' ')).toMatchObject({ code: 0 })
    return ran.stdout
  }
  return {
    ...{ name, projects, baton, must },
    async up(token) {
      await must('up', '--restart')
      if (token) {
        const stdin = join(root, 'token')
        writeFileSync(stdin, `${token}\n`)
        const { stateDir } = baton
        await asPerson({ home, stateDir, stdin }, 'fleet', 'join')
      }
      await must('fleet', 'up', '--slots', String(slots), '--repos', projects.join(','))
    },
    async token() {
      return FleetToken.parse(JSON.parse(await asPerson(baton, 'fleet', 'token', '--json'))).token
    },
    pid: () => JSON.parse(readFileSync(join(baton.stateDir, 'endpoint.json'), 'utf8')).pid,
    agents: () =>
      spawnSync('tmux', ['-S', socket, 'list-panes', '-aF', '#{session_name} #{pane_pid}'])
        .stdout.toString()
        .split('\n')
        .flatMap(line => (line === '' || line.startsWith('keep ') ? [] : [Number(line.split(' ').at(-1))])),
    status: async () => FleetStatus.parse(JSON.parse(await must('fleet', 'status', '--json'))),
    async nudge() {
      await Promise.all(
        repositories.map(repository =>
          callSocket(baton.stateDir, 'POST', '/api/claims/nudge', { repository }),
        ),
      )
    },
    screens: () =>
      spawnSync('sh', [
        '-c',
        `for p in $(tmux -S '${socket}' list-panes -aF '#{pane_id}'); do tmux -S '${socket}' capture-pane -pt $p; done`,
      ]).stdout.toString(),
    async end() {
      spawnSync('tmux', ['-S', socket, 'kill-server'])
      await baton[Symbol.asyncDispose]()
    },
  }
}
