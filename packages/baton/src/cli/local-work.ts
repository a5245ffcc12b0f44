import { BatonError } from '@batonpass/contract/errors'
import { WorkReport } from '@batonpass/contract/work'
import { launchesOf } from '../adapters/agents/launches.ts'
import { systemGit } from '../adapters/git/git.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemFolders } from '../adapters/system/folders.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import { stateDir } from '../config/places.ts'
import type { StagePorts } from '../work/stages/ports.ts'
import { StageMemory } from '../work/stages/stage-memory.ts'
import { startCommand } from '../work/stages/start-command.ts'
import { WorkItems } from '../work/stages/work-items.ts'
import { callDaemon, folderOf } from './daemon.ts'
import type { Io } from './io.ts'

/** Staged work as a command sees it without a daemon: files and git, no sessions and no forge. */
export function workHere(io: Io): StagePorts {
  const nothing = async () => {}
  return {
    items: new WorkItems(systemSmallFiles, systemFolders),
    files: systemSmallFiles,
    memory: new StageMemory(systemSmallFiles, stateDir(io.env, io.home)),
    git: systemGit,
    timers: systemTimers,
    now: () => systemClock.now(),
    home: io.home,
    canonical: realpath,
    session: async () => undefined,
    driverAt: () => undefined,
    forgeFor: async () => undefined,
    commandFor: (agent, project, prompt) => startCommand(launchesOf, agent, project, prompt),
    journal: nothing,
    announce: nothing,
    askForReviews: nothing,
    fault: () => {},
  }
}

/** "Where am I?", by the daemon if one runs; else by what the files and git show. */
export async function reportHere(io: Io, project: string, workId: string | undefined): Promise<WorkReport> {
  const query = new URLSearchParams({ project, ...(workId ? { work_id: workId } : {}) })
  try {
    return WorkReport.parse(await callDaemon(folderOf(io), 'GET', `/api/work/status?${query}`, 20_000))
  } catch (cause) {
    if (!(cause instanceof BatonError)) throw cause
    // A daemon of an older version does not know the question.
    const fallsBack = ['daemon_absent', 'timed_out', 'daemon_refused', ...(workId ? [] : ['not_found'])]
    if (!fallsBack.includes(cause.code)) throw cause
  }
  return await reportFromFiles(io, project, workId)
}

/** The same by what the files and git show, without asking a daemon. */
export async function reportFromFiles(
  io: Io,
  project: string,
  workId: string | undefined,
): Promise<WorkReport> {
  const { workReport } = await import('../work/stages/work-status.ts')
  return workReport(workHere(io), project, workId)
}
