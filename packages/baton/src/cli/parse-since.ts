import { BatonError } from '@batonpass/contract/errors'
import { systemClock } from '../adapters/system/clock.ts'

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `2h`, `30m`, `7d` or a date, as the moment it means. */
export function parseSince(text: string): string {
  const span = /^(\d{1,6})([smhd])$/.exec(text)
  if (span) {
    const unit = UNITS[span[2] as keyof typeof UNITS]
    return new Date(systemClock.now() - Number(span[1]) * unit).toISOString()
  }
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime())) {
    throw new BatonError('usage', `Not a valid time: ${text}`, {
      remedy: 'Use a span such as 2h or 7d, or a date such as 2026-11-15T10:00Z.',
    })
  }
  return moment.toISOString()
}
