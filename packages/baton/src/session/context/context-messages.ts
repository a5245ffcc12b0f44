import type { ContextFigure } from '@batonpass/contract/context'

/** A short text for status lines and lists. Without quotes or backslashes, because a shell script extracts it from JSON. */
export function statusText({ percent, used, zone, turnsLeft, sizeFrom }: ContextFigure): string {
  if (zone === 'unknown') return used > 0 ? `context ${thousands(used)} tokens` : 'context unknown'
  const about = sizeFrom === 'table' ? '~' : ''
  const left = turnsLeft === undefined ? '' : `, about ${turnsLeft} turns left`
  const note = zone === 'trigger' ? ', handoff due' : zone === 'warn' ? ', keep steps small' : ''
  return `context ${about}${Math.round(percent ?? 0)}%${left}${note}`
}

/** The advice to the agent when its context fills up. */
export function advice({ percent, turnsLeft, zone }: ContextFigure): string {
  const full = `Baton: your context window is ${Math.round(percent ?? 0)}% full`
  const left = turnsLeft === undefined ? '' : `, enough for about ${turnsLeft} more turns like the last ones`
  const what =
    zone === 'trigger'
      ? 'Finish the current step, commit your work, and start nothing new: Baton will hand the work to a fresh session.'
      : 'Finish the current step, then take only small ones. Read parts of files instead of whole files, keep command output short, and commit your work, so that a fresh session can continue from here.'
  return `${full}${left}. ${what}`
}

const thousands = (count: number): string => (count < 10_000 ? String(count) : `${Math.round(count / 1000)}K`)
