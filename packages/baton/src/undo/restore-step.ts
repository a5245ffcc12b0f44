import { BatonError } from '@batonpass/contract/errors'
import type { Clock } from '../ports/clock.ts'
import type { BytePath, Capture, PositionPlan, SnapshotWorktree, StepRecord } from '../ports/snapshots.ts'
import { planPosition, planRemovals, planWrites } from './plan.ts'
import { asStep, differs, type Step, type WorktreeSteps } from './worktree-steps.ts'

export interface Restored {
  readonly step: Step
  /** Restoring this step reverses the undo; undefined if nothing differed. */
  readonly undoneBy: number | undefined
  readonly written: readonly string[]
  readonly removed: readonly string[]
  readonly moved: boolean
  /** What was not restored, and why. */
  readonly notes: readonly string[]
}

/** Makes the worktree what it was at a step: files, HEAD and branch, index, stash. What it was until now becomes a step, too. */
export async function restoreStep(
  worktree: SnapshotWorktree,
  steps: WorktreeSteps,
  wanted: number | undefined,
  clock: Clock,
): Promise<Restored> {
  const lock = await worktree.indexLock()
  if (lock)
    throw new BatonError('undo_unavailable', 'Another git command is changing the index of this worktree', {
      remedy: `Try again when it has ended. If none is running, remove ${lock}.`,
    })
  const { target, now } = await steps.choose(wanted)
  if (!differs(target, now))
    return {
      step: asStep(target),
      undoneBy: undefined,
      written: [],
      removed: [],
      moved: false,
      notes: [],
    }
  const { files: then, leftOut, ignored } = await worktree.files(target)
  const label = `undo to step ${target.step}`
  const about = { kind: 'undo', label, session: undefined, event: undefined } as const
  // Files that are ignored now but were not then get overwritten, so capture them, too.
  const { capture, step } = await steps.captureNext(about, then.keys())
  const hasCommits = await worktree.giveBack(target)
  const plan = hasCommits ? await positionPlan(worktree, target, capture) : STAY

  const writes = await worktree.change(planWrites(capture.files, then), capture)
  await worktree.move(plan, target.step, clock.now())
  if (hasCommits) {
    await worktree.restoreOperation(target)
    await worktree.restoreIndex(target)
  }
  const stash = hasCommits ? await worktree.restoreStash(target) : 0
  const present = await worktree.present({ ignored })
  const removals = await worktree.change(planRemovals(present, then, leftOut), capture)
  return {
    step: asStep(target),
    undoneBy: step,
    written: writes.done.map(shown),
    removed: removals.done.map(shown),
    moved: plan.moves.length > 0 || plan.head !== undefined,
    notes: [
      ...plan.notes,
      ...(stash > 0 ? [`${stash} stash ${stash === 1 ? 'entry was' : 'entries were'} restored.`] : []),
      ...[...writes.failed, ...removals.failed].map(
        ({ path, why }) => `${shown(path)} was not changed: ${why}.`,
      ),
      ...(target.leftOut > 0 ? [`${target.leftOut} paths were not in the snapshot.`] : []),
    ],
  }
}

export async function positionPlan(
  worktree: SnapshotWorktree,
  target: StepRecord,
  now: Capture,
): Promise<PositionPlan> {
  const { branch } = target.position
  return planPosition(target.position, now.position, branch ? await worktree.branch(branch) : undefined)
}

/** The position when the commits of a step are gone from the project and from the store. */
const STAY: PositionPlan = {
  tips: [],
  moves: [],
  head: undefined,
  notes: ['Git no longer has the commits of this step: only the files were restored.'],
}

/** Decodes a path for display. Bytes that are not valid UTF-8 become replacement characters. */
export const shown = (path: BytePath): string =>
  new TextDecoder().decode(Uint8Array.from(path, char => char.charCodeAt(0)))
