import type { Entry } from '@batonpass/contract/journal'

/** Shorter than this is no absence. */
export const AWAY_MS = 30 * 60_000
const DAY_MS = 24 * 3_600_000

/**
 * Since when the person was away: the last time they did something before a pause of half an hour or more.
 * A day, when they were here all along or never.
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

/** A prompt that a person typed, or an answer that they gave. */
function isAct({ body }: Entry): boolean {
  if (body.kind === 'ask') return body.what === 'answered'
  return body.kind === 'event' && body.event.type === 'PromptSubmitted' && body.event.automatic !== true
}
