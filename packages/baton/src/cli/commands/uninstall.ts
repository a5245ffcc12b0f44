import { execFile } from 'node:child_process'
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SessionList } from '@batonpass/contract/api'
import { batonHome } from '../../config/places.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { flag, type Handler, text } from '../command.ts'
import { callDaemon, daemonHealth, folderOf, startDaemon } from '../daemon.ts'
import { type Io, printable } from '../io.ts'
import { askAtTerminal, isInteractive } from '../questions.ts'
import { down } from './down.ts'
import { removeHooks } from './init.ts'

const run = promisify(execFile)

/** Takes everything away that Baton put somewhere: hooks, daemon, state, snapshots. What people wrote stays. */
export const uninstall: Handler = async (given, io) => {
  const isNarrow = text(given, 'scope') !== undefined || given.options.agent !== undefined
  if (isNarrow || flag(given, 'dry-run')) return await removeHooks(given, io)
  const { dir } = folderOf(io)
  const keeps = flag(given, 'keep-data')
  const isThere = existsSync(dir)
  if (isThere && !keeps && !flag(given, 'yes') && isInteractive(io)) {
    using questions = askAtTerminal(io)
    const sure = await questions.yes(
      `This removes the hooks, and ${printable(dir)} with the journal. Go on?`,
      false,
    )
    if (!sure) return 0
  }
  const projects = isThere && !keeps ? await knownProjects(io) : []
  const code = await removeHooks(given, io)
  if (code !== 0) return code
  const quietly = flag(given, 'json') ? { ...io, stdout: { write: () => true } } : io
  if (isThere) await down({ positionals: [], options: { force: true } }, quietly)
  if (keeps) return code
  for (const project of projects) await cleanProject(project, quietly)
  if (isThere) removeState(dir, batonHome(io.env, io.home) === undefined, quietly)
  return code
}

/** Every folder that a session worked in. Asked of the daemon, because only it reads the journal. */
async function knownProjects(io: Io): Promise<string[]> {
  const folder = folderOf(io)
  if (!existsSync(folder.database)) return []
  try {
    if (!(await daemonHealth(folder))) await startDaemon(folder, io)
    const { sessions } = SessionList.parse(await callDaemon(folder, 'GET', '/api/sessions?limit=5000'))
    const projects = sessions.flatMap(({ project }) => project ?? [])
    return [...new Set([findWorktreeRoot(io.cwd), ...projects])].filter(existsSync)
  } catch {
    return []
  }
}

/** Snapshots and state files. Handoff documents are work of people and agents: they stay. */
async function cleanProject(project: string, io: Io): Promise<void> {
  const git = (...args: string[]) =>
    run('git', ['-C', project, ...args]).then(
      ({ stdout }) => stdout,
      () => '',
    )
  const refs = (await git('for-each-ref', '--format=%(refname)', 'refs/baton/undo'))
    .split('\n')
    .filter(Boolean)
  for (const ref of refs) await git('update-ref', '-d', ref)
  const states = join(project, '.tmp', 'hooked-sessions')
  const had = existsSync(states)
  rmSync(states, { recursive: true, force: true })
  removeIfEmpty(join(project, '.tmp'))
  if (refs.length > 0 || had)
    io.stdout.write(`Removed ${refs.length} snapshots and the state files of ${printable(project)}\n`)
  if (existsSync(join(project, '.bmad', 'handoffs')))
    io.stdout.write(`Left ${printable(join(project, '.bmad', 'handoffs'))}: these documents are yours\n`)
}

/** What Baton calls its own in a folder that a person chose for it, and that may hold more. */
const OWN =
  /^(daemon\.(sock|lock|start)|token|observe-key|mcp-key|endpoint\.json|baton\.db.*|(daemon|hook)\.log.*|bin|trust\.json.*|calls|undo|workflow|handoff\w*|cycles?|claims?|stages?|runtime|tmux|sessions|\.tmp)$/

function removeState(dir: string, isAllOurs: boolean, io: Io): void {
  if (isAllOurs) rmSync(dir, { recursive: true, force: true })
  else {
    for (const name of readdirSync(dir))
      if (OWN.test(name)) rmSync(join(dir, name), { recursive: true, force: true })
    removeIfEmpty(dir)
  }
  const left = existsSync(dir) ? `; what else is in it stays` : ''
  io.stdout.write(`Removed Baton's state from ${printable(dir)}${left}\n`)
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Not empty, or not there: either way it is none of ours.
  }
}
