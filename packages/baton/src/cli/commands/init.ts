import { chmodSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { duration } from '@batonpass/contract/duration'
import { BatonError } from '@batonpass/contract/errors'
import { agents } from '../../adapters/agents/agent-list.ts'
import { STATUS_LINE_PROGRAM } from '../../adapters/agents/claude-code/status-line.ts'
import { answerLaunches } from '../../adapters/agents/launches.ts'
import { adapterFor, adapters } from '../../adapters/agents/registry.ts'
import { onPath } from '../../adapters/system/on-path.ts'
import { makeFolder } from '../../config/make-folder.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { openStateFolder, type StateFolder } from '../../config/state-folder.ts'
import { replaceFile } from '../../daemon/secret-file.ts'
import { WAIT_SECONDS } from '../../hook/deadline.ts'
import {
  type LauncherPlaces,
  ownProgramText,
  statusLineText,
  TRANSPORT_LABELS,
  type Transport,
} from '../../hook/launcher.ts'
import { stablePrograms } from '../../hook/runtime.ts'
import { type Tried, tryTransports } from '../../hook/self-test.ts'
import type {
  AgentAdapter,
  FileChange,
  ForeignHooks,
  InstallScope,
  InstallTarget,
} from '../../ports/agent.ts'
import { removeEmptyFolders } from '../clean-project.ts'
import { EXIT, flag, type Given, text } from '../command.ts'
import { ensureDaemon, folderOf } from '../daemon.ts'
import { diffOf } from '../diff.ts'
import { type Io, printable } from '../io.ts'
import { configOf } from '../local-judge.ts'
import type { PlannedFile } from '../setup-plan.ts'

/** The settings files that `init` would change, and of which agents. */
export async function plannedHooks(given: Given, io: Io): Promise<PlannedFile[]> {
  const folder = folderOf(io)
  const target = targetOf(given, io, folder)
  return chooseAgents(given, io).flatMap(adapter =>
    changed(adapter.install(target, readText)).map(change => ({
      ...change,
      what: `hooks of ${adapter.title}`,
    })),
  )
}

/** The changes that `init` would make to settings of agents, as a diff. */
export async function showHooks(given: Given, io: Io): Promise<void> {
  await show(await plannedHooks(given, io), given, io)
}

/** Installs launcher and hooks. Says everything it changes; run again, it changes nothing. `more` goes into its JSON. */
export async function installHooks(given: Given, io: Io, more: object = {}): Promise<number> {
  const dryRun = flag(given, 'dry-run')
  const chosen = chooseAgents(given, io)
  const folder = dryRun ? folderOf(io) : openStateFolder(folderOf(io).dir)
  const places: LauncherPlaces = {
    home: folder.dir,
    ...(dryRun ? { node: process.execPath, cli: '', daemon: '' } : stablePrograms(folder.dir)),
    agents: adapters,
    waitSeconds: WAIT_SECONDS,
  }
  if (!dryRun) await ensureDaemon(folder, io)
  const asked = text(given, 'transport') as Transport | undefined
  const tried = dryRun ? [] : await tryTransports(places, asked && [asked])
  // A client that was asked for is used even if it failed its self-test: `baton doctor` says what is wrong with it.
  const chosenClient = tried.find(({ ms }) => asked || ms !== undefined)
  const transport = chosenClient?.transport ?? asked
  if (!dryRun && !chosenClient?.program) {
    throw asked
      ? new BatonError('missing_tool', `The hook client ${asked} does not work here`, {
          remedy: 'It needs a C compiler (cc). Install one, or choose another with --transport.',
        })
      : new BatonError('missing_tool', `No hook client can reach the daemon: ${failedClients(tried)}`, {
          remedy: 'Run `baton doctor`.',
        })
  }
  const target = targetOf(given, io, folder)
  const changes = chosen.flatMap(adapter => adapter.install(target, readText))
  if (chosenClient?.program) {
    writeProgram(folder.launcher, chosenClient.program)
    writeProgram(join(dirname(folder.launcher), STATUS_LINE_PROGRAM), statusLineText(places))
    writeProgram(join(dirname(folder.launcher), 'baton'), ownProgramText(places))
  }
  await apply(changes, given, io)
  if (flag(given, 'json')) {
    io.stdout.write(
      `${JSON.stringify({ agents: chosen.map(a => a.name), transport, tried: tried.map(({ program: _, ...each }) => each), launcher: folder.launcher, changed: changed(changes).map(c => c.path), dryRun, ...more })}\n`,
    )
  } else {
    summary(io, chosen, transport, tried, changes, dryRun)
    const judge = dryRun ? undefined : await judgeLine(io)
    if (judge) io.stdout.write(`${judge}\n`)
    if (!dryRun && target.scope === 'user')
      for (const line of hindrances(chosen, io)) io.stdout.write(`${line}\n`)
    for (const { title, system, path, effect } of otherHooks(chosen, io))
      io.stdout.write(
        `${title}: ${path} has hooks of ${system}, too. As long as both run, ${effect}. To remove them: baton import --hooks\n`,
      )
  }
  return EXIT.ok
}

/** Baton's own model calls cost something, so `init` says which ones there are and how to turn them off. */
async function judgeLine(io: Io): Promise<string | undefined> {
  const { config } = await configOf(findWorktreeRoot(io.cwd), io)
  if (!config.handsoff.auto_permission) return undefined
  const { env } = io
  const program = answerLaunches().find(({ program }) => onPath(program, env))?.program
  const by = env.ANTHROPIC_API_KEY ? 'the Anthropic API with your key' : program && `\`${program} -p\``
  if (!by) return undefined
  return `Baton may ask a model about what no rule decides: ${by}. These calls use your quota; \`baton status\` shows them. Turn them off: handsoff.auto_permission: false`
}

const targetOf = (given: Given, io: Io, folder: StateFolder): InstallTarget => ({
  scope: (text(given, 'scope') ?? 'user') as InstallScope,
  project: findWorktreeRoot(io.cwd),
  home: io.home,
  env: io.env,
  launcher: folder.launcher,
  waitSeconds: WAIT_SECONDS,
  statusLine: !flag(given, 'no-status-line'),
})

/** Takes Baton's hooks out again, here and in `projects`, and leaves everything else as it was. */
export async function removeHooks(given: Given, io: Io, projects: readonly string[] = []): Promise<number> {
  const wanted = text(given, 'scope')
  const named = asked(given)
  const chosen = named.length > 0 ? named : adapters
  const here = findWorktreeRoot(io.cwd)
  const found = chosen.flatMap(adapter =>
    adapter.scopes
      .filter(scope => !wanted || scope === wanted)
      .flatMap(scope =>
        (scope === 'user' ? [here] : [...new Set([here, ...projects])]).flatMap(project =>
          // At the usual place, too: a variable that moves it may have come later.
          [io.env, {}].flatMap(env => adapter.uninstall({ scope, project, home: io.home, env }, readText)),
        ),
      ),
  )
  // A home that is also a project has one file for both.
  const changes = [...new Map(found.map(change => [change.path, change])).values()]
  await apply(changes, given, io)
  if (flag(given, 'json'))
    io.stdout.write(`${JSON.stringify({ changed: changed(changes).map(c => c.path) })}\n`)
  else if (changed(changes).length === 0) io.stdout.write('These settings contain no Baton hooks.\n')
  else if (!flag(given, 'dry-run'))
    for (const { path } of changed(changes)) io.stdout.write(`Removed from ${path}\n`)
  return EXIT.ok
}

function asked(given: Given): AgentAdapter[] {
  const names = given.options.agent
  const list = Array.isArray(names) ? names : []
  if (list.includes('all')) return [...adapters]
  return [...new Set(list.map(name => adapterFor(String(name))))]
}

/** The agents that `init` is about, by name. */
export const agentsOf = (given: Given, io: Io): string[] => chooseAgents(given, io).map(({ name }) => name)

function chooseAgents(given: Given, io: Io): readonly AgentAdapter[] {
  const named = asked(given)
  if (named.length > 0) return named
  const scope = (text(given, 'scope') ?? 'user') as InstallScope
  const found = adapters.filter(
    ({ programs, scopes }) => scopes.includes(scope) && programs.some(program => onPath(program, io.env)),
  )
  if (found.length > 0) return found
  throw new BatonError('missing_tool', 'No coding agent found on this machine', {
    remedy: 'Choose one: baton init --agent claude',
  })
}

function writeProgram(path: string, program: string | Buffer): void {
  makeFolder(dirname(path), 0o700)
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(program))) return
  replaceFile(path, program, 0o755)
}

/** Diffs are pasted into issues, and a daemon of 0.1 may still run. */
const HTTP_HOOK_KEY = /\/observe\/[0-9a-f]{64}(?=\/)/g

const changed = (changes: readonly FileChange[]): FileChange[] => changes.filter(c => c.before !== c.after)

async function show(changes: readonly FileChange[], given: Given, io: Io): Promise<void> {
  for (const { path, before, after } of changed(changes)) {
    const diff = await diffOf(path, before ?? '', after ?? '')
    if (!flag(given, 'json')) io.stdout.write(diff.replace(HTTP_HOOK_KEY, '/observe/<key>'))
  }
}

async function apply(changes: readonly FileChange[], given: Given, io: Io): Promise<void> {
  if (flag(given, 'dry-run')) return show(changes, given, io)
  for (const { path, before, after } of changed(changes)) {
    if (readText(path) !== before) {
      throw new BatonError('settings_changed', `${path} was changed by another program just now`, {
        remedy: 'Run the command again.',
      })
    }
    if (after === undefined) {
      rmSync(path)
      removeEmptyFolders(dirname(path), topAbove(path, io))
    } else {
      makeSettingsFolder(path)
      replaceFile(path, after, modeOf(path) ?? 0o644)
      chmodSync(path, modeOf(path) ?? 0o644)
    }
  }
}

function makeSettingsFolder(path: string): void {
  try {
    makeFolder(dirname(path))
  } catch (cause) {
    throw new BatonError('not_allowed', `The folder of ${path} cannot be created`, {
      remedy: 'Point HOME, or the variable that names this folder, at a place that can be written to.',
      cause,
    })
  }
}

/** The nearest folder that is a person's own: the project, the home, or one that a variable names. */
function topAbove(path: string, io: Io): string {
  const own = [findWorktreeRoot(io.cwd), io.home, ...Object.values(io.env)]
  const above = own.flatMap(folder => (folder && path.startsWith(`${folder}/`) ? folder : []))
  return above.toSorted((a, b) => b.length - a.length)[0] ?? dirname(path)
}

function summary(
  io: Io,
  chosen: readonly AgentAdapter[],
  transport: Transport | undefined,
  tried: readonly Tried[],
  changes: readonly FileChange[],
  dryRun: boolean,
): void {
  if (dryRun) {
    io.stdout.write(
      changed(changes).length === 0 ? 'Nothing would change.\n' : 'Nothing was written (--dry-run).\n',
    )
    return
  }
  if (transport) io.stdout.write(`${hookClientLine(transport, tried)}\n`)
  for (const { path } of changed(changes)) io.stdout.write(`Wrote ${path}\n`)
  if (changed(changes).length === 0)
    io.stdout.write(`The hooks of ${chosen.map(a => a.title).join(' and ')} were already installed.\n`)
  const baton = onPath('baton', io.env) ? 'baton' : join(dirname(folderOf(io).launcher), 'baton')
  io.stdout.write(`Check it: ${baton} doctor\n`)
  if (baton !== 'baton')
    io.stdout.write(
      '`baton` is not on your PATH. To install it for you and your agents: npm install -g batonpass\n',
    )
}

/** "Hooks run a Perl script, 5 ms a call (compiled C program: failed)". */
function hookClientLine(transport: Transport, tried: readonly Tried[]): string {
  const ms = tried.find(each => each.transport === transport)?.ms
  const failed = failedClients(tried)
  const time = ms === undefined ? '' : `, ${duration(ms)} a call`
  return `Hooks run a ${TRANSPORT_LABELS[transport]}${time}${failed ? ` (did not work here: ${failed})` : ''}`
}

const failedClients = (tried: readonly Tried[]): string =>
  printable(
    tried
      .flatMap(({ transport, problem }) =>
        problem === undefined ? [] : [`${TRANSPORT_LABELS[transport]}: ${problem}`],
      )
      .join('; '),
  )

/** The hooks of other systems in the settings of these agents. */
export const otherHooks = (
  chosen: readonly AgentAdapter[],
  { home, env, cwd }: Io,
): (ForeignHooks & { title: string })[] =>
  agents
    .filter(({ adapter }) => chosen.includes(adapter))
    .flatMap(({ adapter, foreignHooks }) =>
      (foreignHooks?.({ home, env, project: findWorktreeRoot(cwd) }, readText) ?? []).map(found => ({
        ...found,
        title: adapter.title,
      })),
    )

/** Writes the settings files without the hooks of other systems. */
export async function removeOtherHooks(hooks: readonly ForeignHooks[], given: Given, io: Io): Promise<void> {
  // Two systems in one file: each change starts from the file as it is.
  for (const { system, path } of hooks) {
    const now = otherHooks(adapters, io).find(found => found.system === system && found.path === path)
    if (now) await apply([now.change], given, io)
  }
}

/** What a person has to do in an agent before its hooks run: nothing of it is seen until a call goes by. */
const hindrances = (chosen: readonly AgentAdapter[], { home, env }: Io): string[] =>
  agents
    .filter(({ adapter }) => chosen.includes(adapter))
    .flatMap(({ adapter, obstacles }) =>
      (obstacles?.({ home, env }, readText) ?? []).map(
        ({ what, fix }) => `${adapter.title}: ${what}. ${fix}.`,
      ),
    )

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR'))
      return undefined
    throw new BatonError('settings_unreadable', `${path} cannot be read`, {
      remedy: 'Check its permissions.',
      cause,
    })
  }
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode & 0o777
  } catch {
    return undefined
  }
}
