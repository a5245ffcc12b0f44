import { execFile, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { programPaths } from '../../hook/program.ts'
import { stateArgument } from '../../hook/spawn.ts'
import { FILES } from './agent/script.ts'

const run = promisify(execFile)

const LOOK_MS = 100
const COMMAND_MS = 60_000

export interface TourWorld {
  dir: string
  home: string
  project: string
  forge: string
  tmuxSocket: string
  /** For everything that runs in this world: nothing of the person's own settings is in it. */
  env: Record<string, string>
  /** Runs a command of Baton in this world; its output. */
  baton(...words: string[]): Promise<string>
  /** Runs it at a terminal of this world, where its person is; its output. Only a person may answer. */
  atTerminal(...words: string[]): Promise<string>
  tmux(...words: string[]): Promise<string>
  git(cwd: string, ...words: string[]): Promise<string>
}

export const ISSUE = {
  number: 42,
  title: 'Apply discount codes in the cart',
  body: 'total(items, code) takes a discount code. An unknown code changes nothing. Say so in the README.',
  labels: ['ready-for-agent'],
  status: 'Todo',
}

/** A folder that goes away with everything in it and everything that runs from it, however this process ends. */
export function tourFolder(keep: boolean): Disposable & { dir: string } {
  sweepWorlds(tmpdir())
  // Sockets live in it: the shorter the better.
  const dir = realpathSync(mkdtempSync(join(tmpdir(), WORLD_PREFIX)))
  writeFileSync(join(dir, OWNER), String(process.pid))
  const end = () => endWorld(dir, keep)
  // A closed window, a closed pipe or an error elsewhere end the process without coming back here.
  const hangUp = () => process.exit(129)
  process.once('exit', end).once('SIGHUP', hangUp)
  return {
    dir,
    [Symbol.dispose]() {
      process.off('exit', end).off('SIGHUP', hangUp)
      end()
    },
  }
}

/** A home, a repository with its origin and issues, and a place for a tmux server, all in one folder. */
export async function tourWorld(dir: string, path: string): Promise<TourWorld> {
  const [home, project, forge, bin] = ['home', 'shop', 'forge', 'bin'].map(name => join(dir, name)) as [
    string,
    string,
    string,
    string,
  ]
  for (const folder of [home, project, forge, bin]) mkdirSync(folder)
  const { node, cli } = programPaths()
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  writeFileSync(join(bin, 'baton'), `#!/bin/sh\nexec ${quoted(node)} ${quoted(cli)} "$@"\n`)
  chmodSync(join(bin, 'baton'), 0o755)
  writeFileSync(join(home, '.baton.yaml'), settings(forge))
  writeFileSync(join(forge, 'forge.json'), JSON.stringify({ name: 'shop', issues: [ISSUE] }))
  const who = { GIT_AUTHOR_NAME: 'Tour', GIT_AUTHOR_EMAIL: 'tour@example.com' }
  const env = {
    HOME: home,
    // Not the home folder itself: what is in Baton's folder is hidden from the sandbox.
    BATON_HOME: stateIn(dir),
    PATH: `${bin}:${path}`,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    ...who,
    GIT_COMMITTER_NAME: who.GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: who.GIT_AUTHOR_EMAIL,
  }
  const tmuxSocket = join(dir, TMUX_SOCKET)
  const call = async (program: string, words: readonly string[], cwd: string) =>
    (await run(program, words, { cwd, env, timeout: 60_000 })).stdout
  let commands = 0
  const world: TourWorld = {
    dir,
    home,
    project,
    forge,
    tmuxSocket,
    env,
    baton: (...words) => call(node, [cli, ...words], project),
    async atTerminal(...words) {
      const file = join(dir, `terminal-${++commands}`)
      const script = '"$@" > "$0.out" 2>&1; echo $? > "$0.part"; mv "$0.part" "$0.code"'
      const where = ['-d', '-P', '-F', '#{pane_id}', '-t', 'tour:']
      const pane = await world.tmux('new-window', ...where, 'sh', '-c', script, file, node, cli, ...words)
      const deadline = AbortSignal.timeout(COMMAND_MS)
      while (!existsSync(`${file}.code`)) {
        const panes = await world.tmux('list-panes', '-s', '-t', 'tour:', '-F', '#{pane_id}')
        const isOpen = panes.split('\n').includes(pane.trim())
        if (!existsSync(`${file}.code`) && (!isOpen || deadline.aborted))
          throw new Error(
            `baton ${words[0]} ${isOpen ? 'did not end within a minute' : 'ended without a result'}: ${textIn(`${file}.out`)}`,
          )
        await pause(LOOK_MS)
      }
      const output = readFileSync(`${file}.out`, 'utf8').trim()
      if (readFileSync(`${file}.code`, 'utf8').trim() !== '0') throw new Error(output)
      return output
    },
    // -u: the marks on its screen, whatever the machine's own locale.
    tmux: (...words) => call('tmux', ['-u', '-S', tmuxSocket, '-f', '/dev/null', ...words], project),
    git: (cwd, ...words) => call('git', words, cwd),
  }
  await world.git(forge, 'init', '-q', '--bare', '-b', 'main', 'origin.git')
  await world.git(dir, 'clone', '-q', join(forge, 'origin.git'), project)
  await world.git(project, 'checkout', '-q', '-b', 'main')
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(project, name), text)
  await world.git(project, 'add', '.')
  await world.git(project, 'commit', '-q', '-m', 'A shop')
  await world.git(project, 'push', '-q', '-u', 'origin', 'main')
  return world
}

const stateIn = (dir: string): string => join(dir, 'home', '.baton')

const textIn = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8').trim() : '')

/** Where its forge is, and no rule: the tour runs on the rules that everyone has. */
const settings = (forge: string): string => `daemon:
  port: 0
forge:
  folder: ${JSON.stringify(forge)}
claim:
  poll_seconds: 10
`

const WORLD_PREFIX = 'baton-tour-'
/** Holds the number of the process whose tour it is. */
const OWNER = 'tour.pid'
const TMUX_SOCKET = 'tmux'

/** A process that was ended is gone within a few of these, each of which takes as long as `ps` does. */
const MAX_LOOKS = 200
const MAX_PS_BYTES = 64 * 1024 * 1024

/**
 * Ends everything that runs in a tour's folder, sees it gone, and removes the folder unless it is to be kept. Without a
 * pause: the process that calls this may be about to end.
 */
function endWorld(dir: string, keep = false): void {
  const tmux = (...words: string[]) =>
    spawnSync('tmux', ['-S', join(dir, TMUX_SOCKET), '-f', '/dev/null', ...words], { encoding: 'utf8' })
      .stdout ?? ''
  // The agent and its hooks first: a hook that finds no daemon would start one.
  for (const line of tmux('list-panes', '-a', '-F', '#{pane_pid}').split('\n')) kill(-Number(line))
  tmux('kill-server')
  for (let look = 0; look < MAX_LOOKS; look++) {
    const left = runningIn(dir)
    if (left.length === 0) break
    for (const { pid, isTmux } of left) if (!isTmux) kill(pid)
  }
  if (keep) rmSync(join(dir, OWNER), { force: true })
  else rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
}

/** Takes away what tours that were killed outright left behind. */
function sweepWorlds(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(WORLD_PREFIX)) continue
    const dir = join(folder, name)
    try {
      if (statSync(dir).uid !== process.getuid?.()) continue
      const owner = Number(readFileSync(join(dir, OWNER), 'utf8'))
      if (owner > 1 && !isAlive(owner)) endWorld(dir)
    } catch {
      // Kept on purpose, just being made, or none of ours.
    }
  }
}

/**
 * Everything that belongs to a tour: daemons, sandboxes and tmux by their command line, because a daemon that has not come up
 * yet answers no question; `git`, `baton init` and their like by their environment, because they write into the folder, too.
 */
function runningIn(dir: string): { pid: number; isTmux: boolean }[] {
  const state = stateIn(dir)
  const [daemon, tmux] = [stateArgument(state), `-S ${join(dir, TMUX_SOCKET)} `]
  const sandbox = join(state, 'sandbox/')
  const byCommand = processes('-A', '-ww', '-o', 'pid=,args=').filter(line =>
    [daemon, tmux, sandbox].some(part => line.includes(part)),
  )
  // `e`: the environment follows the command line.
  const started = processes('axeww', '-o', 'pid=,command=').filter(line =>
    `${line} `.includes(` BATON_HOME=${state} `),
  )
  const isTmux = new Map(started.map(line => [Number.parseInt(line, 10), false]))
  for (const line of byCommand) isTmux.set(Number.parseInt(line, 10), line.includes(tmux))
  return [...isTmux].map(([pid, isTmux]) => ({ pid, isTmux }))
}

function processes(...options: string[]): string[] {
  return (spawnSync('ps', options, { encoding: 'utf8', maxBuffer: MAX_PS_BYTES }).stdout ?? '').split('\n')
}

function kill(pid: number): void {
  try {
    // -1 and 0 would be everybody.
    if (Math.abs(pid) > 1) process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM'
  }
}
