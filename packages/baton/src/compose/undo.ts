import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentEvent } from '@batonpass/contract/event'
import { gitSnapshots } from '../adapters/git/snapshot.ts'
import { systemClock } from '../adapters/system/clock.ts'
import type { Redactor } from '../journal/redact.ts'
import { subjectOf } from '../permission/ask-for.ts'
import type { PermissionPorts } from '../permission/ports.ts'
import { snapshotted } from '../permission/snapshotted.ts'
import type { Reactor } from '../ports/reactor.ts'
import { SnapshotRefresher } from '../undo/refresher.ts'
import { Undo } from '../undo/undo.ts'

const MAX_LABEL_LENGTH = 200

export const undoIn = (stateDir: string): Undo =>
  new Undo({ snapshots: gitSnapshots({ dir: join(stateDir, 'undo') }), clock: systemClock })

/** Takes a snapshot before a command, or says why restoring one would not undo everything the command may write. */
export function snapshotBefore(
  undo: Pick<Undo, 'take'>,
  refresher: Pick<SnapshotRefresher, 'cancel' | 'taken'>,
  redactor: Redactor,
): PermissionPorts['snapshot'] {
  return async (event, project, judgement) => {
    const began = systemClock.elapsed()
    const label = redactor.text(subjectOf(event)).slice(0, MAX_LABEL_LENGTH)
    refresher.cancel(project)
    const covered = await snapshotted(judgement, async () => {
      const taken = await undo.take(project, { label, session: event.nativeSession, event: event.id })
      refresher.taken(project)
      return taken && { ...taken, undo: String(taken.step) }
    })
    return { ...covered, snapshotMs: Math.round((systemClock.elapsed() - began) * 1000) / 1000 }
  }
}

const MAX_PREPARED = 500

/** Refreshes snapshots in the background. What makes one impossible is recorded with the command that would need it. */
export const refresherFor = (
  undo: Pick<Undo, 'refresh'>,
  fault: (during: string, cause: unknown) => void,
): SnapshotRefresher =>
  new SnapshotRefresher({
    refresh: project => undo.refresh(project),
    clock: systemClock,
    fault: cause => reportFault(cause, fault),
  })

/**
 * Reads a worktree before a command needs its snapshot: as a whole when its first session starts, and what changed when
 * the agent or a person has had a turn.
 */
export function prepareUndo(
  undo: Pick<Undo, 'prepare'>,
  refresher: Pick<SnapshotRefresher, 'request'>,
  fault: (during: string, cause: unknown) => void,
): Reactor {
  const prepared = new Set<string>()
  return {
    name: 'undo',
    async react(event, { project, config }) {
      if (!config.permission.undo || !mayFollowChanges(event)) return undefined
      if (prepared.has(project)) {
        refresher.request(project)
        return undefined
      }
      if (prepared.size >= MAX_PREPARED) prepared.clear()
      prepared.add(project)
      void undo.prepare(project).catch(cause => reportFault(cause, fault))
      return undefined
    },
  }
}

/** Whether files of the worktree may be different after this event, and a command may come next. */
function mayFollowChanges(event: AgentEvent): boolean {
  if (event.type === 'ToolFinished') return !READ_ONLY.has(event.action.kind)
  return event.type === 'SessionStarted' || event.type === 'PromptSubmitted'
}

const READ_ONLY: ReadonlySet<string> = new Set(['read', 'search', 'web', 'question', 'plan'])

function reportFault(cause: unknown, fault: (during: string, cause: unknown) => void): void {
  if (!(cause instanceof BatonError && cause.code === 'undo_unavailable'))
    fault('preparing a snapshot', cause)
}
