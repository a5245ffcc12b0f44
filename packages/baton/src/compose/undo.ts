import { join } from 'node:path'
import { gitSnapshots } from '../adapters/git/snapshot.ts'
import { systemClock } from '../adapters/system/clock.ts'
import type { Redactor } from '../journal/redact.ts'
import { subjectOf } from '../permission/ask-for.ts'
import type { PermissionPorts } from '../permission/reactor.ts'
import { makeUndo, type Undo } from '../undo/undo.ts'

const MAX_LABEL_LENGTH = 200

export const undoIn = (stateDir: string): Undo =>
  makeUndo({ snapshots: gitSnapshots({ dir: join(stateDir, 'undo') }), clock: systemClock })

/** Takes a snapshot before a command. Returns undefined if restoring it would not undo everything the command may write. */
export function snapshotBefore(undo: Undo, redactor: Redactor): PermissionPorts['snapshot'] {
  return async (event, project, { effects }) => {
    const label = redactor.text(subjectOf(event)).slice(0, MAX_LABEL_LENGTH)
    const taken = await undo.take(project, { label, session: event.nativeSession, event: event.id })
    if (!taken) return undefined
    const covered = effects.writes.length > 0 ? await taken.covers(effects.writes) : taken.complete
    return covered ? String(taken.step) : undefined
  }
}
