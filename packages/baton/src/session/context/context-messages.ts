import type { ContextFigure } from '@batonpass/contract/context'

/** A figure in a few words, for status lines and lists. No quotes or backslashes: a shell takes it out of JSON. */
export function statusText({ percent, used, zone, turnsLeft, sizeFrom }: ContextFigure): string {
  if (zone === 'unknown') return used > 0 ? `context ${thousands(used)} tokens` : 'context unknown'
  const about = sizeFrom === 'table' ? '~' : ''
  const left = turnsLeft === undefined ? '' : `, about ${turnsLeft} turns left`
  const note = zone === 'trigger' ? ', handoff due' : zone === 'warn' ? ', keep steps small' : ''
  return `context ${about}${Math.round(percent ?? 0)}%${left}${note}`
}

/** What the agent is told when its context fills up. */
export function advice({ percent, turnsLeft, zone }: ContextFigure): string {
  const full = `Baton: your context window is ${Math.round(percent ?? 0)}% full`
  const left = turnsLeft === undefined ? '' : `, enough for about ${turnsLeft} more turns like the last ones`
  const what =
    zone === 'trigger'
      ? 'Bring the step at hand to an end, commit what is done, and begin nothing new: the work will be handed to a fresh session.'
      : 'Finish the step at hand, then take only small ones. Read parts of files instead of whole ones, keep command output short, and commit what is done, so that a fresh session can go on from here.'
  return `${full}${left}. ${what}`
}

const thousands = (count: number): string => (count < 10_000 ? String(count) : `${Math.round(count / 1000)}K`)
