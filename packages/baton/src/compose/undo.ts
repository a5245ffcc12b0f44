import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { gitSnapshots } from '../adapters/git/snapshot.ts'
import { systemClock } from '../adapters/system/clock.ts'
import type { Redactor } from '../journal/redact.ts'
import { subjectOf } from '../permission/ask-for.ts'
import type { PermissionPorts } from '../permission/reactor.ts'
import type { Reactor } from '../ports/reactor.ts'
import { makeUndo, type Undo } from '../undo/undo.ts'

const MAX_LABEL_LENGTH = 200

export const undoIn = (stateDir: string): Undo =>
  makeUndo({ snapshots: gitSnapshots({ dir: join(stateDir, 'undo') }), clock: systemClock })

/** Takes a snapshot before a command, or says why restoring one would not undo everything the command may write. */
export function snapshotBefore(undo: Undo, redactor: Redactor): PermissionPorts['snapshot'] {
  return async (event, project, { effects }) => {
    const label = redactor.text(subjectOf(event)).slice(0, MAX_LABEL_LENGTH)
    try {
      const taken = await undo.take(project, { label, session: event.nativeSession, event: event.id })
      if (!taken) return { noUndo: 'the project is not in a git worktree' }
      if (effects.writes.length === 0)
        return taken.complete
          ? { undo: String(taken.step) }
          : { noUndo: `the snapshot does not contain ${taken.leftOut[0]?.path}` }
      if (await taken.covers(effects.writes)) return { undo: String(taken.step) }
      for (const path of effects.writes)
        if (!(await taken.covers([path]))) return { noUndo: `the snapshot does not contain ${path}` }
      return { noUndo: 'the snapshot does not contain everything that the command may write' }
    } catch (cause) {
      // Too many files or an unfinished write is no fault of Baton's: the person learns it from `baton why`.
      if (cause instanceof BatonError && cause.code === 'undo_unavailable')
        return { noUndo: [cause.message, cause.remedy].filter(Boolean).join('. ') }
      throw cause
    }
  }
}

const MAX_PREPARED = 500

/** Reads a worktree when the first session starts in it, so that the snapshot before its first command is fast. */
export function prepareUndo(
  undo: Pick<Undo, 'prepare'>,
  fault: (during: string, cause: unknown) => void,
): Reactor {
  const prepared = new Set<string>()
  return {
    name: 'undo',
    async react(event, { project, config }) {
      if (event.type !== 'SessionStarted' || !config.permission.undo || prepared.has(project))
        return undefined
      if (prepared.size >= MAX_PREPARED) prepared.clear()
      prepared.add(project)
      // What makes a snapshot impossible is recorded with the command that would need one.
      void undo.prepare(project).catch(cause => {
        if (!(cause instanceof BatonError && cause.code === 'undo_unavailable'))
          fault('preparing a snapshot', cause)
      })
      return undefined
    },
  }
}
