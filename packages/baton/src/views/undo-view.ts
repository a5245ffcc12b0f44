import type { StepChangesView } from '@batonpass/contract/dashboard'
import type { Redactor } from '../journal/redact.ts'
import type { Undo } from '../undo/undo.ts'

export type UndoView = Pick<Undo, 'diff' | 'restore'> & {
  changes(project: string, step: number): Promise<StepChangesView>
}

/** No one reads a longer patch in a browser. */
const MAX_PATCH = 200_000

/** Undo for a page: snapshots contain ignored files such as .env, so patches are redacted. */
export function undoView(undo: Undo, redactor: Redactor): UndoView {
  const show = (patch: string): string =>
    patch.length > MAX_PATCH
      ? `${redactor.text(patch.slice(0, patch.lastIndexOf('\n', MAX_PATCH) + 1))}… ${patch.length - MAX_PATCH} more characters: baton undo --dry-run`
      : redactor.text(patch)
  return {
    restore: (project, step) => undo.restore(project, step),
    async diff(project, step) {
      const found = await undo.diff(project, step)
      return { ...found, patch: show(found.patch) }
    },
    async changes(project, step) {
      const { patch, until } = await undo.changes(project, step)
      return { patch: show(patch), ...(until ? { until } : {}) }
    },
  }
}
