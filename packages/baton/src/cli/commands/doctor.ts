import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { agents } from '../../adapters/agents/agent-list.ts'
import { systemFiles } from '../../adapters/system/files.ts'
import { onPath } from '../../adapters/system/on-path.ts'
import { problemLine } from '../../config/problem.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { measure } from '../../hook/self-test.ts'
import {
  type Agent,
  type AgentAdapter,
  type Capabilities,
  type InstallScope,
  WANTED,
} from '../../ports/agent.ts'
import { VERSION } from '../../version.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { daemonHealth, folderOf } from '../daemon.ts'
import { type Io, paint, printable } from '../io.ts'

/** One checked thing. `fix` says what to do when it is not as it should be. */
interface Check {
  name: string
  /** `note`: nothing is wrong, but worth knowing. */
  state: 'ok' | 'note' | 'warn' | 'fail'
  message: string
  fix?: string
}

/** Checks everything Baton needs here and says, for each thing that is wrong, how to mend it. */
export const doctor: Handler = async (given, io) => {
  const checks: Check[] = [nodeCheck()]
  const add = (...more: Check[]) => checks.push(...more)
  add(...(await daemonChecks(io)), ...privacyChecks(io))
  add(...(await Promise.all(agents.map(agent => agentChecks(agent, io)))).flat())
  add(program('git', io, 'fail', 'handoffs, undo and claims read it'))
  add(program('tmux', io, 'warn', 'sessions that Baton types into run in it'))
  add(...(await configChecks(io)), githubCheck(io))
  const failed = checks.some(check => check.state === 'fail')
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ ok: !failed, checks })}\n`)
  else print(checks, io)
  return failed ? EXIT.failed : EXIT.ok
}

function nodeCheck(): Check {
  return { name: 'node', state: 'ok', message: process.version }
}

async function daemonChecks(io: Io): Promise<Check[]> {
  const folder = folderOf(io)
  const health = await daemonHealth(folder).catch(() => undefined)
  const daemon: Check = !health
    ? { name: 'daemon', state: 'warn', message: 'not running', fix: 'The first hook starts it; or: baton up' }
    : health.version !== VERSION
      ? {
          name: 'daemon',
          state: 'warn',
          message: `is ${health.version}, this is ${VERSION}`,
          fix: 'baton up',
        }
      : {
          name: 'daemon',
          state: 'ok',
          message: `${health.version}, pid ${health.pid}, ${health.memoryMb} MB, ${health.url}`,
        }
  if (!existsSync(folder.launcher)) {
    return [daemon, { name: 'hook client', state: 'fail', message: 'not installed', fix: 'baton init' }]
  }
  const ms = await measure(folder.launcher, folder.dir)
  const client: Check =
    ms === undefined
      ? {
          name: 'hook client',
          state: 'fail',
          message: `${folder.launcher} gets no answer`,
          fix: 'baton init; if that does not help, look at hook.log in the state folder',
        }
      : {
          name: 'hook client',
          state: 'ok',
          message: `${kindOf(folder.launcher)}, answers in ${ms.toFixed(1)} ms`,
        }
  return [daemon, client]
}

const kindOf = (launcher: string): string => {
  const first = readFileSync(launcher, 'utf8')
  return first.startsWith('#!/usr/bin/perl') ? 'perl' : first.includes("\nCURL='curl'\n") ? 'curl' : 'node'
}

/** The token and the database must be readable by their owner alone. */
function privacyChecks(io: Io): Check[] {
  const folder = folderOf(io)
  return [folder.token, folder.observeKey, folder.database, folder.socket].flatMap((path): Check[] => {
    if (!existsSync(path) || (statSync(path).mode & 0o077) === 0) return []
    return [
      { name: 'privacy', state: 'fail', message: `others can read ${path}`, fix: `chmod 600 '${path}'` },
    ]
  })
}

async function agentChecks({ adapter, capabilities, obstacles }: Agent, io: Io): Promise<Check[]> {
  const program = adapter.programs.map(name => onPath(name, io.env)).find(found => found !== undefined)
  const places = { project: findWorktreeRoot(io.cwd), home: io.home }
  const scopes = adapter.scopes.map(scope => ({
    scope,
    state: stateOf(adapter, { ...places, scope }),
  }))
  const present = scopes.filter(({ state }) => state !== 'no')
  if (!program && present.length === 0)
    return [{ name: adapter.title, state: 'ok', message: 'not on this machine' }]
  const version = program ? await versionOf(program, io) : 'program not on PATH'
  const init = `baton init --agent ${adapter.aliases[0] ?? adapter.name}`
  if (present.length === 0) {
    return [{ name: adapter.title, state: 'warn', message: `${version}; no hooks installed`, fix: init }]
  }
  const hooks = present.map(({ scope, state }): Check => {
    const fix = scope === 'user' ? init : `${init} --scope ${scope}`
    if (state === 'stale')
      return {
        name: adapter.title,
        state: 'warn',
        message: `${version}; hooks of another version in ${scope} settings`,
        fix,
      }
    if (state === 'unreadable')
      return {
        name: adapter.title,
        state: 'fail',
        message: `${version}; ${scope} settings cannot be read`,
        fix: 'Repair the file, then run baton doctor again.',
      }
    return { name: adapter.title, state: 'ok', message: `${version}; hooks in ${scope} settings` }
  })
  const user = present.some(({ scope, state }) => scope === 'user' && state === 'yes')
  const hindered = user ? (obstacles?.(io.home, textOf) ?? []) : []
  return [
    ...hooks,
    ...hindered.map(({ what, fix }): Check => ({ name: adapter.title, state: 'warn', message: what, fix })),
    ...limits(adapter.title, capabilities),
  ]
}

/** What the agent cannot do under Baton, and what to do about it. */
function limits(name: string, { offers, cautions }: Capabilities): Check[] {
  const missing = WANTED.flatMap(wanted => {
    const offer = offers[wanted]
    return typeof offer === 'object' && 'missing' in offer ? [wanted] : []
  })
  return [
    ...cautions
      .filter(({ checked }) => !checked)
      .map(({ what, fix }): Check => ({ name, state: 'note', message: what, fix })),
    ...(missing.length > 0
      ? [
          {
            name,
            state: 'note',
            message: `not offered: ${missing.join(', ')}`,
            fix: 'docs/agents.md says what does it instead, or that nothing does',
          } satisfies Check,
        ]
      : []),
  ]
}

const textOf = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined

function stateOf(adapter: AgentAdapter, target: { project: string; home: string; scope: InstallScope }) {
  try {
    return adapter.installed(target, textOf)
  } catch {
    return 'unreadable' as const
  }
}

function versionOf(program: string, io: Io): Promise<string> {
  return new Promise(resolve => {
    execFile(program, ['--version'], { timeout: 5000, cwd: io.home }, (error, stdout) =>
      resolve(error ? 'does not say its version' : printable(stdout.split('\n')[0] ?? '').slice(0, 80)),
    )
  })
}

function program(name: string, io: Io, without: 'warn' | 'fail', why: string): Check {
  const found = onPath(name, io.env)
  if (found) return { name, state: 'ok', message: found }
  return {
    name,
    state: without,
    message: `not found; ${why}`,
    fix: `Install ${name} (on Debian: apt-get install ${name})`,
  }
}

async function configChecks(io: Io): Promise<Check[]> {
  const { loadConfig } = await import('../../config/load.ts')
  const places = { project: findWorktreeRoot(io.cwd), env: io.env, home: io.home, stateDir: folderOf(io).dir }
  const loaded = await loadConfig(places, { files: systemFiles })
  const problems = loaded.problems.map(problemLine)
  const notices = loaded.notices.map(problemLine)
  if (problems.length + notices.length === 0)
    return [{ name: 'configuration', state: 'ok', message: 'no problems' }]
  return [
    ...problems.map(
      (message): Check => ({
        name: 'configuration',
        state: 'fail',
        message,
        fix: 'Mend that line; see it in force with: baton config',
      }),
    ),
    ...notices.map(
      (message): Check => ({
        name: 'configuration',
        state: 'warn',
        message,
        fix: 'Read the file, then: baton trust',
      }),
    ),
  ]
}

function githubCheck(io: Io): Check {
  const named = ['GITHUB_TOKEN', 'GH_TOKEN'].find(name => io.env[name])
  if (named) return { name: 'GitHub token', state: 'ok', message: `from ${named}` }
  if (onPath('gh', io.env))
    return { name: 'GitHub token', state: 'ok', message: 'from `gh auth token`, if you are logged in' }
  return {
    name: 'GitHub token',
    state: 'warn',
    message: 'none',
    fix: 'Set GITHUB_TOKEN, or log in with `gh auth login`, for issues and pull requests',
  }
}

function print(checks: readonly Check[], io: Io): void {
  const colour = paint(io)
  const width = Math.max(...checks.map(check => check.name.length))
  const marks = {
    ok: colour('green', 'ok  '),
    note: colour('dim', 'note'),
    warn: colour('yellow', 'warn'),
    fail: colour('red', 'FAIL'),
  }
  for (const { name, state, message, fix } of checks) {
    io.stdout.write(`${marks[state]}  ${name.padEnd(width)}  ${printable(message)}\n`)
    if (fix && state !== 'ok')
      io.stdout.write(
        `      ${' '.repeat(width)}  ${colour('dim', `${state === 'note' ? 'see' : 'fix'}: ${fix}`)}\n`,
      )
  }
}
