import { BatonError } from '@batonpass/contract/errors'
import type { Grant } from '@batonpass/contract/grant'
import { Session } from '@batonpass/contract/session'
import { systemAncestry } from '../adapters/system/ancestry.ts'
import { systemFolders } from '../adapters/system/folders.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { claimGrantsAt } from '../claim/claim-view.ts'
import { batonHome, stateDir } from '../config/places.ts'
import { findWorktreeRoot } from '../config/project.ts'
import { StageMemory } from '../work/stages/stage-memory.ts'
import { workGrantsOf } from '../work/stages/work-grant.ts'
import { WorkItems } from '../work/stages/work-items.ts'
import { WorkflowActions } from '../work/workflows/actions.ts'
import { filedRuns, type Runs } from '../work/workflows/run.ts'
import { grantOpen } from '../work/workflows/run-grant.ts'
import { StateFiles } from '../work/workflows/state-files.ts'
import { callDaemon, findDaemon, folderOf } from './daemon.ts'
import type { Io } from './io.ts'

/** Runs and their files as a command sees them: no daemon is needed to read or to stop one. */
export function workflowsHere(io: Io): {
  actions: WorkflowActions
  files: StateFiles
  runs: Runs
  root: string
  project: string
} {
  const files = new StateFiles(systemSmallFiles, batonHome(io.env, io.home))
  const runs = filedRuns(systemSmallFiles, stateDir(io.env, io.home))
  const project = findWorktreeRoot(io.cwd)
  return { actions: new WorkflowActions(files, runs), files, runs, root: files.rootFor(project), project }
}

/** What the running jobs of this worktree may do by themselves. */
export async function grantsHere(io: Io): Promise<Grant[]> {
  const { runs, files, project } = workflowsHere(io)
  const here = (await runs.all()).filter(run => run.project === project && run.end === undefined)
  const found = await Promise.all(
    here.map(async run => grantOpen(run, await files.read(run.root, run.nativeSession))),
  )
  const ofClaim = await claimGrantsAt(systemSmallFiles, stateDir(io.env, io.home), project)
  const memory = new StageMemory(systemSmallFiles, stateDir(io.env, io.home))
  const items = await new WorkItems(systemSmallFiles, systemFolders).list(project)
  const ofWork = await Promise.all(items.map(item => workGrantsOf(memory, project, item)))
  return [...found.flatMap(grant => grant ?? []), ...ofClaim, ...ofWork.flat()]
}

/**
 * The session this command runs in; only that one may be ended from inside. What the agent tells its children is
 * believed only when the agent's own process is among our ancestors, so that one session cannot end another's run.
 */
export async function callingSession(io: Io): Promise<{ root: string; session: string }> {
  const { runs, files, root, project } = workflowsHere(io)
  const told = SESSION_VARIABLES.map(name => io.env[name]).find(value => value !== undefined && value !== '')
  const all = await runs.all()
  if (told !== undefined) {
    await refuseStrangers(io, told)
    const run = all.find(each => each.nativeSession === told)
    if (run) return { root: run.root, session: told }
    const own = (await files.list(root)).find(each => each.session === told)
    if (own) return { root, session: told }
    throw new BatonError('not_found', 'No workflow runs in this session', {
      remedy: 'See `baton history`.',
    })
  }
  // An agent that does not tell: clear only where a single run is under way here.
  const here = all.filter(
    run => run.project === project && run.end === undefined && run.agent !== 'claude-code',
  )
  const [only, second] = here
  if (only && !second) return { root: only.root, session: only.nativeSession }
  throw new BatonError('not_found', 'This is not a session of an agent that runs a workflow', {
    remedy: 'From outside, use `baton stop SESSION`; see `baton history`.',
  })
}

/** Without a daemon or the agent's process number there is nothing to hold the claim against. */
async function refuseStrangers(io: Io, told: string): Promise<void> {
  // The daemon knows whose sandbox called.
  if (io.inside && (await isChildOfDaemon(io))) return
  const session = await callDaemon(folderOf(io), 'GET', `/api/sessions/${encodeURIComponent(told)}`).catch(
    () => undefined,
  )
  const pid = Session.safeParse(session).data?.pid
  const ancestors = pid === undefined ? undefined : await systemAncestry.ancestorsOf(process.pid)
  if (!ancestors || ancestors.some(each => each.pid === pid)) return
  throw new BatonError('not_allowed', 'Only the session itself can end its workflow with `baton done`', {
    remedy: 'From outside, use `baton stop SESSION`; see `baton history`.',
  })
}

async function isChildOfDaemon(io: Io): Promise<boolean> {
  const daemon = await findDaemon(folderOf(io)).catch(() => undefined)
  return daemon !== undefined && daemon !== 'silent' && daemon.pid === process.ppid
}

const SESSION_VARIABLES = ['CLAUDE_CODE_SESSION_ID', 'CODEX_THREAD_ID']
