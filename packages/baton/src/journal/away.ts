import type { Entry } from '@batonpass/contract/journal'

/** A shorter pause does not count as an absence. */
export const AWAY_MS = 30 * 60_000
const DAY_MS = 24 * 3_600_000

/**
 * When the person left: the time of their last action before a pause of half an hour or more.
 * One day ago if there was no such pause or no action.
 */
export function awaySince(entries: readonly Entry[], now: number): string {
  const acts = entries
    .filter(isAct)
    .map(({ at }) => Date.parse(at))
    .sort((a, b) => b - a)
  let later = now
  for (const act of acts) {
    if (later - act >= AWAY_MS) return new Date(act).toISOString()
    later = act
  }
  return new Date(now - DAY_MS).toISOString()
}

/** A prompt that the person typed, or an ask that they answered. */
function isAct({ body }: Entry): boolean {
  if (body.kind === 'ask') return body.what === 'answered'
  return body.kind === 'event' && body.event.type === 'PromptSubmitted' && body.event.automatic !== true
}
