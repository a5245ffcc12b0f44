import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { BatonError } from '@batonpass/contract/errors'
import { RunRequest, Spawn } from '@batonpass/contract/watch'
import { adapters } from '../../adapters/agents/registry.ts'
import { systemIds } from '../../adapters/system/ids.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { bundledPlugin, hasPlugin, workflowPrompt } from '../../hook/start-workflow.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { callDaemon, ensureDaemon, folderOf } from '../daemon.ts'
import { type Io, printable } from '../io.ts'
import { handedOn } from '../started-environment.ts'
import { socketHere } from '../tmux-place.ts'
import { attachTo } from './attach.ts'

const exec = promisify(execFile)

/** Makes a git worktree next to the repository, on a branch of its own, and returns its folder. An existing one is used as it is. */
async function makeWorktree(wanted: string, io: Io, dryRun = false): Promise<string> {
  const git = (...args: string[]) => exec('git', args, { cwd: io.cwd, env: { ...io.env } })
  const name = wanted || `baton-${systemIds.id(4)}`
  if (!/^[A-Za-z0-9][\w.-]{0,80}$/.test(name) || name.includes('..') || name.endsWith('.lock'))
    throw new BatonError('usage', `'${name}' cannot be the name of a worktree`, {
      remedy: 'Use letters, digits, . _ and -.',
    })
  // The main worktree's folder, also when this is another one.
  const common = await git('rev-parse', '--path-format=absolute', '--git-common-dir').catch(cause => {
    throw new BatonError('usage', 'A worktree needs a git repository, and this is none', {
      cause,
      remedy: 'Go into one, begin one with `git init`, or run it without a worktree.',
    })
  })
  const gitDir = common.stdout.trim()
  const root = basename(gitDir) === '.git' ? dirname(gitDir) : gitDir.replace(/\.git$/, '')
  const folder = join(dirname(root), `${basename(root)}-${name}`)
  const known = (await git('worktree', 'list', '--porcelain')).stdout.split('\n')
  if (dryRun || known.includes(`worktree ${folder}`)) return folder
  const exists = await git('show-ref', '--verify', '-q', `refs/heads/${name}`).then(
    () => true,
    () => false,
  )
  try {
    await git('worktree', 'add', '-q', ...(exists ? [folder, name] : ['-b', name, folder]))
  } catch (cause) {
    const said =
      cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim().split('\n').at(-1) : ''
    throw new BatonError('usage', `git made no worktree: ${said}`, {
      remedy: 'Name another: --worktree=NAME',
      cause,
    })
  }
  return folder
}

/** An agent may take this long to come up and take its first prompt. */
const START_MS = 60_000

/** Starts an agent that Baton watches, here or in a worktree of its own. The daemon starts it, so it outlives this shell. */
export const run: Handler = async (given, io) => {
  const hosted = flag(given, 'hosted')
  if (hosted && flag(given, 'tmux')) throw new BatonError('usage', 'Either --tmux or --hosted, not both')
  if (hosted && flag(given, 'attach'))
    throw new BatonError('usage', 'A hosted session has no terminal to attach to', {
      remedy: 'Leave --attach out and follow it in the dashboard, or run it in tmux.',
    })
  const sandbox = flag(given, 'sandbox')
  if (hosted && sandbox)
    throw new BatonError('usage', 'Either --hosted or --sandbox, not both', {
      remedy: 'Leave --hosted out.',
    })
  const folder = folderOf(io)
  const agent = text(given, 'agent') ?? 'claude'
  const prompt = promptOf(given, agent, io)
  const name = text(given, 'worktree')
  const dryRun = flag(given, 'dry-run')
  const cwd = name === undefined ? io.cwd : await makeWorktree(name || branchFor(given), io, dryRun)
  if (!hosted) warnWithoutHooks(agent, cwd, io)
  if (dryRun && flag(given, 'json')) {
    const plan = { agent, driver: hosted ? 'acp' : 'tmux', cwd, ...(prompt ? { prompt } : {}), sandbox }
    io.stdout.write(`${JSON.stringify(plan)}\n`)
    return EXIT.ok
  }
  if (dryRun) {
    io.stdout.write(
      `Would start ${agent} ${hosted ? 'hosted' : sandbox ? 'in the sandbox, in tmux,' : 'in tmux'} in ${printable(cwd)}${prompt ? ` with: ${printable(prompt)}` : ''}\n`,
    )
    return EXIT.ok
  }
  const title = text(given, 'title')
  if (title !== undefined && !/^[A-Za-z0-9][\w.-]{0,59}$/.test(title))
    throw new BatonError('usage', 'That cannot be a title', {
      remedy: 'Use letters, digits, . _ and -, at most 60.',
    })
  const request: RunRequest = RunRequest.parse({
    agent,
    driver: hosted ? 'acp' : 'tmux',
    cwd,
    args: [...pluginArguments(given, agent, io), ...list(given, 'arg')],
    env: handedOn(io.env),
    ...(prompt === undefined ? {} : { prompt }),
    ...(title === undefined ? {} : { title }),
    ...(sandbox ? { sandbox } : {}),
    ...(hosted ? {} : { where: socketHere(io.env) }),
  })
  await ensureDaemon(folder, io)
  const spawn = Spawn.parse(await callDaemon(folder, 'POST', '/api/spawns', START_MS, { body: request }))
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(spawn)}\n`)
  else {
    const how = hosted ? `baton ps, baton logs --follow` : `baton attach ${spawn.title}`
    io.stdout.write(
      `Started ${spawn.title} (${agent}${sandbox ? ', in the sandbox' : ''}) in ${printable(cwd)}.\n  look     ${how}\n  end      baton kill ${spawn.title}\n`,
    )
  }
  return flag(given, 'attach') ? attachTo(spawn.place ?? undefined, io) : EXIT.ok
}

/** Without hooks an agent in tmux runs as if there were no Baton. A hosted one asks Baton over its own protocol. */
function warnWithoutHooks(agent: string, cwd: string, { env, home, stderr }: Io): void {
  const adapter = adapters.find(({ name, aliases }) => name === agent || aliases.includes(agent))
  const isInstalled = adapter?.scopes.some(scope => {
    const target = { scope, project: findWorktreeRoot(cwd), home, env }
    try {
      return adapter.installed(target, textOf) !== 'no'
    } catch {
      // Settings that cannot be read: `baton doctor` says so.
      return true
    }
  })
  if (!adapter || isInstalled || (adapter.name === 'claude-code' && hasPlugin({ env, home }))) return
  stderr.write(
    `Baton's hooks are not installed in ${adapter.title}, so Baton decides and records nothing there. To install them: baton init\n`,
  )
}

const textOf = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined

/** The words of the person, or the command of a workflow with its arguments. */
function promptOf(given: Given, agent: string, io: Io): string | undefined {
  const words = given.positionals.join(' ')
  const workflow = text(given, 'workflow')
  if (workflow === undefined) return words === '' ? undefined : words
  if (!/^[A-Za-z0-9][\w.:-]{0,63}$/.test(workflow))
    throw new BatonError('usage', `Not a workflow: ${workflow}`, {
      remedy: 'For example: --workflow issue-to-impl 42',
    })
  return workflowPrompt({ agent, workflow, words }, findWorktreeRoot(io.cwd), io.home)
}

/** Baton's own workflow commands come with its plugin: brought along where it is not installed. */
function pluginArguments(given: Given, agent: string, io: Io): string[] {
  return text(given, 'workflow') === undefined ? [] : bundledPlugin(agent, io)
}

function list(given: Given, name: string): readonly string[] {
  const value = given.options[name]
  return Array.isArray(value) ? value : []
}

/** An issue's branch has its number: Baton lets a session push to that one only. */
function branchFor(given: Given): string {
  const [first = ''] = given.positionals
  const number = text(given, 'workflow') === undefined ? undefined : /^#?(\d{1,9})$/.exec(first)?.[1]
  return number ? `issue-${number}` : ''
}
