import type { KeptRef } from '../ports/snapshots.ts'

export interface UndoRetention {
  /** Steps of one worktree. */
  readonly steps: number
  readonly days: number
  /** How long commits that an undo moved a branch away from are kept, as git keeps them in its own log. */
  readonly tipDays: number
}

export const UNDO_RETENTION: UndoRetention = { steps: 100, days: 7, tipDays: 30 }

/** What may go: steps and tips that are too old in any worktree, and this worktree's steps beyond the number. */
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

/** The number of the next step. Numbers are not used again while anything of an older one is left. */
export const nextStep = (kept: readonly KeptRef[]): number =>
  kept.reduce((highest, ref) => (ref.foreign ? highest : Math.max(highest, ref.step)), 0) + 1

const DAY_MS = 86_400_000
