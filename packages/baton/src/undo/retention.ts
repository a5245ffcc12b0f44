import type { KeptRef } from '../ports/snapshots.ts'

export interface UndoRetention {
  /** How many steps to keep for one worktree. */
  readonly steps: number
  readonly days: number
  /** How long to keep commits that an undo moved a branch away from; git's reflog keeps them as long. */
  readonly tipDays: number
}

export const UNDO_RETENTION: UndoRetention = { steps: 100, days: 7, tipDays: 30 }

/** Returns what to delete: steps and tips of any worktree that are too old, and this worktree's surplus steps. */
export function expired(kept: readonly KeptRef[], retention: UndoRetention, nowMs: number): KeptRef[] {
  const age = (ref: KeptRef) => nowMs - ref.atMs
  const old = (ref: KeptRef) => age(ref) > (ref.kind === 'tip' ? retention.tipDays : retention.days) * DAY_MS
  const surplus = new Set(
    kept
      .filter(ref => ref.kind === 'step' && !ref.foreign)
      .sort((a, b) => b.step - a.step)
      .slice(retention.steps),
  )
  return kept.filter(ref => old(ref) || surplus.has(ref))
}

/** The number of the next step. A number is not reused while a ref of that step still exists. */
export const nextStep = (kept: readonly KeptRef[]): number =>
  kept.reduce((highest, ref) => (ref.foreign ? highest : Math.max(highest, ref.step)), 0) + 1

const DAY_MS = 86_400_000
/** A step that is used instead of a new one must not expire soon after. */
export const REUSE_MS = DAY_MS
