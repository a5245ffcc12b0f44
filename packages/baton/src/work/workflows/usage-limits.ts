import type { EventOf } from '@batonpass/contract/event'

/** What a failed turn means for its run. */
export type Failure =
  /** The run can resume by itself at `until`. */
  { kind: 'parked'; until: number; reason: string } | { kind: 'failed'; reason: string }

const MINUTE = 60_000
/** How long to wait if the reset time is unknown, and for a service that is only busy. */
const UNKNOWN_RESET_MS = 15 * MINUTE
const BUSY_MS = 2 * MINUTE
/** Limits reset within a week; a later time was misread. */
const LATEST_MS = 8 * 24 * 60 * MINUTE
/** Wait a little longer than the reset time, because clocks differ. */
const AFTER_MS = 20_000

/** Classifies why a turn failed: a limit or a busy service passes by itself, anything else needs a person. */
export function readFailure(
  { error, message = '' }: Pick<EventOf<'TurnFailed'>, 'error' | 'message'>,
  now: number,
): Failure {
  const text = `${error} ${message}`.slice(0, 4000)
  if (isCredit(text)) return { kind: 'failed', reason: shown(message || error) }
  if (
    /rate.?limit|usage limit|limit reached|hit your .{0,30}limit|\b429\b|too many requests|quota/i.test(text)
  ) {
    const reset = resetTime(message, now)
    return {
      kind: 'parked',
      until: reset === undefined ? now + UNKNOWN_RESET_MS : reset + AFTER_MS,
      reason: shown(message || error),
    }
  }
  if (
    /server_error|overloaded|\b5(?:00|02|03|04|29)\b|timed? ?out|connection|network|ECONN|max_output_tokens/i.test(
      text,
    )
  )
    return { kind: 'parked', until: now + BUSY_MS, reason: shown(message || error) }
  return { kind: 'failed', reason: shown(message || error) }
}

/** Whether waiting cannot fix the error: credit, billing, a refused login. */
export const isCredit = (text: string): boolean =>
  /credit balance|billing|payment|insufficient (?:credit|funds)|invalid.{0,12}api.?key|authentication_(?:error|failed)|unauthori[sz]ed|organization has been disabled/i.test(
    text,
  )

/** Reads when a limit resets from a message: `|1731000000`, `resets 3pm (Europe/Berlin)`, `in 20 minutes`, an ISO time. */
export function resetTime(message: string, now: number): number | undefined {
  const found = unixTime(message) ?? isoTime(message) ?? span(message, now) ?? wallTime(message, now)
  return found !== undefined && found > now - MINUTE && found < now + LATEST_MS ? found : undefined
}

const unixTime = (text: string): number | undefined => {
  const digits = /[|\s:](1\d{9})\b/.exec(text)?.[1]
  return digits ? Number(digits) * 1000 : undefined
}

const isoTime = (text: string): number | undefined => {
  const iso = /\b20\d\d-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(text)?.[0]
  const time = iso ? Date.parse(iso) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const SPANS: Record<string, number> = { s: 1000, m: MINUTE, h: 60 * MINUTE, d: 24 * 60 * MINUTE }
function span(text: string, now: number): number | undefined {
  const after = /(?:retry|again|resets?|available)\D{0,20}\b(?:in|after)\b(.{1,60})/i.exec(text)?.[1]
  const parts = [...(after ?? '').matchAll(/(\d{1,6})\s*(s|m|h|d)(?:ec|in|ou?r|ay|\b)/gi)]
  if (parts.length === 0) return undefined
  return (
    now +
    parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (SPANS[unit.toLowerCase()] ?? 0), 0)
  )
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WALL =
  /(?:resets?|try again)\s+(?:at\s+|on\s+)?(?:([A-Za-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,\s+20\d\d)?(?:,|\s+at)?\s+)?(\d{1,2})(?::(\d{2}))?\s*([ap])?\.?m?\.?(?:\s*\(([\w/+-]{2,40})\))?/i

/** The next occurrence of a time of day, in the named time zone or in this machine's. */
function wallTime(text: string, now: number): number | undefined {
  const [, monthName, day, hours, minutes = '0', half, zone] = WALL.exec(text) ?? []
  if (hours === undefined) return undefined
  if (Number(hours) > (half ? 12 : 23) || Number(minutes) > 59 || (!half && !text.includes(':')))
    return undefined
  const h = half ? (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hours)
  const here = partsIn(zone, now)
  if (!here) return undefined
  const month = monthName ? MONTHS.indexOf(monthName.toLowerCase()) + 1 : here.month
  if (month === 0) return undefined
  const year = here.year + (monthName && month < here.month - 6 ? 1 : 0)
  const wanted = Date.UTC(year, month - 1, day ? Number(day) : here.day, h, Number(minutes))
  // The zone's offset may be different at that time (daylight saving), so look it up again there.
  const guess = wanted - here.offset
  const time = wanted - (partsIn(zone, guess)?.offset ?? here.offset)
  // The time has no seconds, so a time within the current minute seems past.
  return day || time > now - MINUTE ? time : time + 24 * 60 * MINUTE
}

function partsIn(
  zone: string | undefined,
  at: number,
): { year: number; month: number; day: number; offset: number } | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      ...(zone ? { timeZone: zone } : {}),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
    return { year, month, day, offset }
  } catch {
    return undefined
  }
}

const shown = (text: string): string =>
  text
    .replaceAll(/[\x00-\x1f\x7f]+/g, ' ')
    .trim()
    .slice(0, 300)
