import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '@batonpass/contract/config'
import { duration } from '@batonpass/contract/duration'
import { BatonError } from '@batonpass/contract/errors'
import { pauseLine } from '@batonpass/contract/pause-line'
import { agents } from '../../adapters/agents/agent-list.ts'
import { isDiskFull } from '../../adapters/system/free-space.ts'
import { onPath } from '../../adapters/system/on-path.ts'
import { problemLine } from '../../config/problem.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { TRANSPORT_LABELS, type Transport } from '../../hook/launcher.ts'
import { measure } from '../../hook/self-test.ts'
import { lastStartFailure } from '../../hook/start-mark.ts'
import { CONTAINER_CALLS, ENDS_CONTAINMENT } from '../../permission/container-clients.ts'
import {
  type Agent,
  type AgentAdapter,
  CAPABILITY_LABELS,
  CAPABILITY_NAMES,
  type Capabilities,
} from '../../ports/agent.ts'
import { VERSION } from '../../version.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { findDaemon, folderOf } from '../daemon.ts'
import { type Cell, type Column, fitList } from '../fit-table.ts'
import { type Io, paint, printable } from '../io.ts'
import { type Check, found } from '../known-problems.ts'
import { configOf, localJudge } from '../local-judge.ts'
import { sandboxHere } from '../local-sandbox.ts'
import { portChecks } from '../port-checks.ts'

/** Checks everything Baton needs here and says, for each thing that is wrong, how to fix it. */
export const doctor: Handler = async (given, io) => {
  const checks: Check[] = [nodeCheck(), commandCheck(io)]
  const add = (...more: Check[]) => checks.push(...more)
  add(...(await daemonChecks(io)), ...privacyChecks(io))
  add(...(await Promise.all(agents.map(agent => agentChecks(agent, io)))).flat())
  add(programCheck('git', io), programCheck('tmux', io), ...(await sandboxChecks(io)))
  add(...(await configChecks(io)), githubCheck(io))
  const failed = checks.some(check => check.state === 'fail')
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ ok: !failed, checks })}\n`)
  else io.stdout.write(doctorLines(checks, io))
  return failed ? EXIT.failed : EXIT.ok
}

function nodeCheck(): Check {
  return { name: 'node', state: 'ok', message: process.version }
}

/** Hooks name the launcher; people and agents say `baton`. */
function commandCheck(io: Io): Check {
  const path = onPath('baton', io.env)
  return path
    ? { name: 'command', state: 'ok', message: path }
    : found('command/absent', { bin: dirname(folderOf(io).launcher) })
}

async function daemonChecks(io: Io): Promise<Check[]> {
  const folder = folderOf(io)
  let closed: BatonError | undefined
  const answer = await findDaemon(folder).catch((cause: unknown) => {
    if (cause instanceof BatonError && cause.code === 'not_allowed') closed = cause
    return undefined
  })
  const health = answer === 'silent' ? undefined : answer
  if (closed) return [found('state folder/closed', { problem: closed.message })]
  const daemon: Check = !health
    ? found(answer === 'silent' ? 'daemon/silent' : 'daemon/absent')
    : health.version !== VERSION
      ? found('daemon/other-version', { daemon: health.version, version: VERSION })
      : {
          name: 'daemon',
          state: 'ok',
          message: `${health.version}, pid ${health.pid}, ${health.memoryMb} MB, ${health.url}`,
        }
  const copyProblem = health?.store.copyProblem
  const writeProblem =
    health?.store.writeProblem ??
    (isDiskFull(folder.dir) ? `The disk that holds ${folder.dir} is full. Free some space` : undefined)
  const stored = [
    ...(health ? portChecks(health.url, await configOf(findWorktreeRoot(io.cwd), io)) : []),
    ...(writeProblem ? [found('journal/unwritable', { problem: writeProblem })] : []),
    ...(copyProblem ? [found('copy/failing', { problem: copyProblem })] : []),
    ...(health?.pauses ?? []).map(pause => found('pause/on', { line: pauseLine(pause) })),
  ]
  // A hook client would only wait for the same daemon.
  if (answer === 'silent') return [daemon, ...stored]
  const measured = existsSync(folder.launcher) ? await measure(folder.launcher, folder.dir) : undefined
  const startProblem = health ? undefined : lastStartFailure(folder.dir)
  // The hook client is well: it gets no answer because there is no daemon.
  if (startProblem) return [found('daemon/failing', { problem: startProblem }), ...stored]
  if (!measured) return [daemon, ...stored, found('hook client/absent')]
  const client: Check =
    'problem' in measured
      ? found('hook client/silent', { launcher: folder.launcher, problem: measured.problem })
      : {
          name: 'hook client',
          state: 'ok',
          message: `${TRANSPORT_LABELS[kindOf(folder.launcher)]}, answers in ${duration(measured.ms)}`,
        }
  return [daemon, ...stored, client]
}

const kindOf = (launcher: string): Transport => {
  const first = readFileSync(launcher, 'latin1')
  if (!first.startsWith('#!')) return 'c'
  return first.startsWith('#!/usr/bin/perl') ? 'perl' : first.includes("\nCURL='curl'\n") ? 'curl' : 'node'
}

/** Whether agents' commands can be contained in this project. */
async function sandboxChecks(io: Io): Promise<Check[]> {
  const { config } = await configOf(findWorktreeRoot(io.cwd), io)
  const { mode } = config.sandbox
  if (mode === 'off') return [{ name: 'sandbox', state: 'ok', message: 'off (sandbox.mode)' }]
  const here = await sandboxHere(io)
  if (!here.available) return [found('sandbox/absent', { problem: here.reason, remedy: here.remedy })]
  return [
    { name: 'sandbox', state: 'ok', message: `${here.program}, mode ${mode}` },
    ...here.off.map(problem => found('sandbox/dropped', { problem })),
    ...containerRules(config, io).map(rule => found('sandbox/containers', { rule })),
  ]
}

/** Rules that let a container client out of the sandbox. */
function containerRules(config: Config, io: Io): string[] {
  const judge = localJudge(config, findWorktreeRoot(io.cwd), io)
  const steps = CONTAINER_CALLS.flatMap(
    command => judge.tool({ tool: 'Bash', input: { command }, cwd: io.cwd }).trail,
  )
  return [
    ...new Set(
      steps.flatMap(({ decision, reason, rule }) =>
        decision === 'allow' && reason.includes(ENDS_CONTAINMENT) ? [rule] : [],
      ),
    ),
  ]
}

/** The token and the database must be readable by their owner alone. */
function privacyChecks(io: Io): Check[] {
  const folder = folderOf(io)
  return [folder.token, folder.database, folder.socket].flatMap((path): Check[] => {
    if (!existsSync(path) || (statSync(path).mode & 0o077) === 0) return []
    return [found('privacy/readable', { path })]
  })
}

async function agentChecks(
  { adapter, capabilities, obstacles, foreignHooks }: Agent,
  io: Io,
): Promise<Check[]> {
  const program = adapter.programs.map(name => onPath(name, io.env)).find(found => found !== undefined)
  const places = { project: findWorktreeRoot(io.cwd), home: io.home, env: io.env }
  // In the home itself the project's file is the user's.
  const distinct = adapter.scopes.filter(scope => scope !== 'project' || places.project !== places.home)
  const scopes = distinct.map(scope => ({
    scope,
    state: stateOf(adapter, { ...places, scope }),
  }))
  const present = scopes.filter(({ state }) => state !== 'no')
  if (!program && present.length === 0)
    return [{ name: adapter.title, state: 'ok', message: 'not on this machine' }]
  const version = program ? await versionOf(program, io) : 'program not on PATH'
  const init = `baton init --agent ${adapter.aliases[0] ?? adapter.name}`
  if (present.length === 0) return [found('AGENT/no-hooks', { agent: version, init }, adapter.title)]
  const hooks = present.map(({ scope, state }): Check => {
    const fix = scope === 'user' ? init : `${init} --scope ${scope}`
    const values = { agent: version, scope, init: fix }
    if (state === 'stale') return found('AGENT/stale', values, adapter.title)
    if (state === 'exposed') return found('AGENT/exposed', values, adapter.title)
    if (state === 'unreadable') return found('AGENT/unreadable', values, adapter.title)
    return { name: adapter.title, state: 'ok', message: `${version}; hooks in ${scope} settings` }
  })
  const user = present.some(({ scope, state }) => scope === 'user' && state === 'yes')
  const hindered = user ? (obstacles?.(places, textOf) ?? []) : []
  return [
    ...hooks,
    ...hindered.map(({ what, fix }): Check => ({ name: adapter.title, state: 'warn', message: what, fix })),
    ...(foreignHooks?.(places, textOf) ?? []).map(({ system, path, effect }) =>
      found('AGENT/foreign-hooks', { system, path, effect }, adapter.title),
    ),
    ...limits(adapter.title, capabilities),
  ]
}

/** What the agent cannot do under Baton, and what to do about it. */
function limits(name: string, { offers, cautions }: Capabilities): Check[] {
  const less = CAPABILITY_NAMES.flatMap((wanted): Check[] => {
    const offer = offers[wanted]
    // What is said of asking says it already, and docs/agents.md lists what an agent asks on its own screen only.
    if (offer === 'yes' || ['dialog', 'question', 'plan', 'form'].includes(wanted)) return []
    const what = CAPABILITY_LABELS[wanted]
    return 'missing' in offer
      ? [found('AGENT/limits', { what, why: offer.missing }, name)]
      : [found('AGENT/limited', { what, why: offer.partly }, name)]
  })
  return [
    ...cautions
      .filter(({ checked }) => !checked)
      .map(({ what, fix }): Check => ({ name, state: 'note', message: what, fix })),
    ...less,
  ]
}

const textOf = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined

function stateOf(adapter: AgentAdapter, target: Parameters<AgentAdapter['installed']>[0]) {
  try {
    return adapter.installed(target, textOf)
  } catch {
    return 'unreadable' as const
  }
}

/** All are asked at once, and some unpack themselves first. */
const VERSION_MS = 20_000
const UNSAID = 'does not say its version'

function versionOf(program: string, io: Io): Promise<string> {
  return new Promise(resolve => {
    execFile(program, ['--version'], { timeout: VERSION_MS, cwd: io.home }, (error, stdout) =>
      resolve(error ? UNSAID : printable(stdout.trim().split('\n')[0] || UNSAID).slice(0, 80)),
    )
  })
}

function programCheck(name: 'git' | 'tmux', io: Io): Check {
  const path = onPath(name, io.env)
  return path ? { name, state: 'ok', message: path } : found(`${name}/absent`)
}

async function configChecks(io: Io): Promise<Check[]> {
  const { loadConfigHere } = await import('../load-config.ts')
  const loaded = await loadConfigHere(io)
  const problems = loaded.problems.map(problemLine)
  const { notices } = loaded
  const telegram = telegramChecks(loaded.config)
  if (problems.length + notices.length === 0)
    return [{ name: 'configuration', state: 'ok', message: 'no problems' }, ...telegram]
  return [
    ...problems.map(problem => found('configuration/wrong', { problem })),
    ...notices.map(notice =>
      found(notice.code === 'config_invalid' ? 'configuration/ignored' : 'configuration/untrusted', {
        notice: problemLine(notice),
      }),
    ),
    ...telegram,
  ]
}

function telegramChecks({ telegram }: Config): Check[] {
  const missing = [
    ...(telegram.token ? [] : ['telegram.token']),
    ...(telegram.chat_id ? [] : ['telegram.chat_id']),
  ]
  if (!telegram.enabled || missing.length === 0) return []
  return [found('Telegram/incomplete', { missing: missing.join(' and ') })]
}

function githubCheck(io: Io): Check {
  const named = ['GITHUB_TOKEN', 'GH_TOKEN'].find(name => io.env[name])
  if (named) return { name: 'GitHub token', state: 'ok', message: `from ${named}` }
  if (onPath('gh', io.env))
    return { name: 'GitHub token', state: 'ok', message: 'from `gh auth token`, if you are logged in' }
  return found('GitHub token/absent')
}

/** One line for each check, and below it what to do. */
export function doctorLines(checks: readonly Check[], io: Io): string {
  const colour = paint(io)
  const width = Math.max(...checks.map(check => check.name.length))
  const indent = ' '.repeat(io.columns === undefined ? width + 8 : 6)
  const columns: Column<Check>[] = [
    { dropped: 0, cell: ({ state }) => MARKS[state] },
    { dropped: 0, cell: ({ name }) => ({ text: name.padEnd(width) }) },
    { dropped: 0, least: 24, wraps: true, cell: ({ message }) => ({ text: printable(message) }) },
  ]
  return fitList(checks, columns, io, ({ state, fix }, at) => {
    // Several notes in a row that lead to the same page say so once.
    const isSaid = fix && state !== 'ok' && !(state === 'note' && checks[at + 1]?.fix === fix)
    return isSaid ? `${indent}${colour('dim', `${state === 'note' ? 'see' : 'fix'}: ${fix}`)}` : undefined
  })
}

const MARKS: Record<Check['state'], Cell> = {
  ok: { text: 'ok  ', style: 'green' },
  note: { text: 'note', style: 'dim' },
  warn: { text: 'warn', style: 'yellow' },
  fail: { text: 'FAIL', style: 'red' },
}
