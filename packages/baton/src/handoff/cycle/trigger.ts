import type { Config } from '@batonpass/contract/config'
import type { ContextFigure } from '@batonpass/contract/context'
import type { Cycle, CycleReason } from '@batonpass/contract/cycle'
import { hasEnded } from './machine.ts'

const HOUR_MS = 60 * 60_000
/** Percent points by which each extra handoff raises the threshold, and the highest threshold. */
const RAISE = 5
const HIGHEST = 95

/** Why a session has to be handed off, if it does. Pure. */
export function handoffReason(
  figure: Pick<ContextFigure, 'percent' | 'overflows'> | undefined,
  config: Pick<Config, 'context' | 'cycle'>,
  raised: number,
): CycleReason | undefined {
  const { percent } = figure ?? {}
  if (!config.cycle.enabled || percent === undefined) return undefined
  const threshold = Math.max(config.context.trigger, Math.min(config.context.trigger + raised, HIGHEST))
  if (percent >= threshold) return 'context'
  // A forecast from a few turns must not clear a half-empty session.
  return figure?.overflows && percent >= config.context.warn ? 'overflow' : undefined
}

/** The handoffs within the last hour that led to this session, newest first. */
export function lineage(session: string, cycles: readonly Cycle[], now: number): Cycle[] {
  const found: Cycle[] = []
  for (let wanted = session; found.length < cycles.length; ) {
    const before = cycles.find(
      cycle => cycle.successor?.session === wanted && cycle.step === 'done' && !found.includes(cycle),
    )
    if (!before || Math.abs(now - Date.parse(before.changedAt)) > HOUR_MS) break
    found.push(before)
    wanted = before.session
  }
  return found
}

/** By how many percent points the threshold rises: every handoff after the first within an hour counts. */
export const thresholdRaise = (handoffs: number): number => Math.max(0, handoffs - 1) * RAISE

/** Whether Baton must not start another handoff: the session was handed off, or a person cancelled it. */
export const isSettled = (session: string, cycles: readonly Cycle[]): boolean =>
  cycles.some(cycle => cycle.session === session && hasEnded(cycle) && !cycle.again)

/** Describes why a context fills so fast. */
export function describeGrowth({ perTurn, size, growth }: ContextFigure): string {
  const largest = Math.max(0, ...growth)
  const share = size ? ` (${Math.round((largest / size) * 100)}% of the window)` : ''
  if (perTurn === undefined) return 'too few turns were measured to tell why'
  return `a turn usually adds ${perTurn} tokens; the largest recent turn added ${largest}${share}`
}
