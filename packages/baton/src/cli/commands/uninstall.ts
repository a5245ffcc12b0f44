import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SessionList } from '@batonpass/contract/api'
import { ClaimList } from '@batonpass/contract/claim'
import { gitSnapshots } from '../../adapters/git/snapshot.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { batonHome, CONFIG_NAMES, ownFolders } from '../../config/places.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { Undo } from '../../undo/undo.ts'
import { gavePlugin, takePlugin } from '../agent-plugin.ts'
import { takeTools } from '../agent-tools.ts'
import { cleanProject, removeEmptyFolders, removeState } from '../clean-project.ts'
import { EXIT, flag, type Handler, text } from '../command.ts'
import { callDaemon, ensureDaemon, findDaemon, folderOf } from '../daemon.ts'
import { type Io, printable } from '../io.ts'
import { askAtTerminal, isInteractive } from '../questions.ts'
import { down } from './down.ts'
import { removeHooks } from './init.ts'

/**
 * Takes everything away that Baton put somewhere: hooks, daemon, state, snapshots. What would be lost is named first, and goes
 * only with a person's yes or --yes. What people wrote stays.
 */
export const uninstall: Handler = async (given, io) => {
  const isNarrow = text(given, 'scope') !== undefined || given.options.agent !== undefined
  if (isNarrow) return await removeHooks(given, io)
  const { dir } = folderOf(io)
  const isDry = flag(given, 'dry-run')
  const quietly = flag(given, 'json') ? { ...io, stdout: { write: () => true } } : io
  const held = await heldBy(io, !isDry)
  const wasHere = existsSync(dir)
  const removesData = wasHere && !flag(given, 'keep-data')
  if (removesData)
    for (const line of planOf(held, dir, gavePlugin(folderOf(io))))
      quietly.stdout.write(`${printable(line)}\n`)
  if (isDry) return await removeHooks(given, io, held.projects)

  let isSure = flag(given, 'yes')
  if (removesData && !isSure && isInteractive(io)) {
    using questions = askAtTerminal(io)
    isSure = await questions.yes('Remove all of this and the hooks?', false)
    if (!isSure) {
      io.stdout.write('Nothing was removed. Only the hooks: baton uninstall --keep-data\n')
      return EXIT.ok
    }
  }
  const taken = [...(await takePlugin(folderOf(io), io)), ...(await takeTools(folderOf(io), io))]
  // Before the hooks: if their settings cannot be read, the user still learns what is gone and what is left.
  for (const line of taken) quietly.stdout.write(`${printable(line)}\n`)
  const code = await removeHooks(given, io, held.projects)
  if (code !== EXIT.ok) return code
  if (existsSync(dir)) await down({ positionals: [], options: { force: true } }, quietly)
  // A second call has nothing to remove, so it has nothing to name either.
  const left = () => {
    for (const path of wasHere ? ownSettings(io, held.projects) : [])
      quietly.stdout.write(`Left ${printable(path)}: these settings are yours\n`)
    return code
  }
  if (!removesData) return left()
  if (!isSure) {
    quietly.stdout.write(
      `Kept ${printable(dir)}, because there is no terminal to ask. To remove it: baton uninstall --yes\n`,
    )
    return left()
  }
  for (const project of held.projects) await cleanProject(project, quietly)
  const isAllOurs = batonHome(io.env, io.home) === undefined
  removeState(dir, isAllOurs, quietly)
  // Folders that were made only to hold it.
  if (isAllOurs) removeEmptyFolders(dirname(dir), io.home)
  return left()
}

/** The settings files that people wrote, or that Baton wrote for them after a yes. */
const ownSettings = (io: Io, projects: readonly string[]): string[] =>
  [...new Set([...ownFolders(io), ...projects])]
    .flatMap(folder => CONFIG_NAMES.map(name => join(folder, name)))
    .filter(path => existsSync(path))

interface Held {
  projects: string[]
  snapshots: { project: string; count: number }[]
  claims: { issue: number; repository: string }[]
  running: number
}

/** What the state folder holds. The daemon is asked, because only it reads the journal. */
async function heldBy(io: Io, mayStart: boolean): Promise<Held> {
  const folder = folderOf(io)
  const here = findWorktreeRoot(io.cwd)
  const none: Held = { projects: [here], snapshots: [], claims: [], running: 0 }
  if (!existsSync(folder.database)) return none
  try {
    if (!mayStart && !(await findDaemon(folder))) return none
    await ensureDaemon(folder, io)
    const { sessions } = SessionList.parse(await callDaemon(folder, 'GET', '/api/sessions?limit=5000'))
    const { claims } = ClaimList.parse(await callDaemon(folder, 'GET', '/api/claims'))
    const places = [
      ...sessions.flatMap(({ project }) => project ?? []),
      ...claims.map(claim => claim.project),
    ]
    const projects = [...new Set([here, ...places])].filter(existsSync)
    const undo = new Undo({ snapshots: gitSnapshots({ dir: join(folder.dir, 'undo') }), clock: systemClock })
    const counted = await Promise.all(
      projects.map(async project => ({ project, count: (await undo.list(project).catch(() => [])).length })),
    )
    return {
      projects,
      snapshots: counted.filter(({ count }) => count > 0),
      claims,
      running: sessions.filter(({ endedAt }) => endedAt === undefined).length,
    }
  } catch {
    return none
  }
}

/** What would be removed in addition to the hooks, a line each. */
export function planOf({ snapshots, claims, running }: Held, dir: string, plugin: boolean): string[] {
  return [
    'In addition to the hooks, this would be removed:',
    `  ${dir}: journal, token, launcher, what was trusted`,
    ...(plugin ? ["  Baton's plugin in Claude Code, with its slash commands"] : []),
    ...snapshots.map(
      ({ project, count }) => `  ${count} undo ${count === 1 ? 'snapshot' : 'snapshots'} of ${project}`,
    ),
    ...claims.map(({ issue, repository }) => `  the claim on issue #${issue} of ${repository}`),
    ...(running > 0 ? [`  the watch over sessions that have not ended (${running}); hosted ones end`] : []),
  ]
}
