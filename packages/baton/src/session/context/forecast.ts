import type { ContextFigure } from '@batonpass/contract/context'

/** So many turns tell how fast a session grows; older ones were another kind of work. */
const TURNS = 12

/** What the turn that has just ended added. A context that became smaller was compacted: that says nothing about growth. */
export function grown(
  { growth, endedWith }: Pick<ContextFigure, 'growth' | 'endedWith'>,
  used: number,
): Pick<ContextFigure, 'growth'> & { endedWith: number } {
  const added = endedWith === undefined ? undefined : used - endedWith
  return {
    growth: added === undefined || added < 0 ? [...growth] : [...growth, added].slice(-TURNS),
    endedWith: used,
  }
}

/** How long a context will last: by the median turn, and whether a large one would still fit. */
export function forecast({
  used,
  size,
  growth,
}: {
  used: number
  size?: number | undefined
  growth: readonly number[]
}): Pick<ContextFigure, 'perTurn' | 'turnsLeft' | 'overflows'> {
  const sorted = growth.filter(added => added > 0).sort((a, b) => a - b)
  const perTurn = at(sorted, 0.5)
  if (perTurn === undefined) return { overflows: size !== undefined && used >= size }
  if (size === undefined) return { perTurn, overflows: false }
  const left = Math.max(0, size - used)
  return {
    perTurn,
    turnsLeft: Math.floor(left / perTurn),
    overflows: (at(sorted, 0.8) ?? perTurn) > left,
  }
}

/** The value at a share of a sorted list, from 0 to 1. */
const at = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
