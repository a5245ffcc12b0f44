import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFailure, resetTime } from '../../../src/work/workflows/usage-limits.ts'

const now = Date.UTC(2026, 10, 15, 12, 0)
const at = (text: string) => {
  const time = resetTime(text, now)
  return time === undefined ? undefined : new Date(time).toISOString()
}

describe('The time of a reset is read from the message', () => {
  it.each([
    ['Claude AI usage limit reached|1794753000', '2026-11-15T14:30:00.000Z'],
    ["You've hit your limit · resets 3pm (UTC)", '2026-11-15T15:00:00.000Z'],
    ['5-hour limit reached ∙ resets 3:30pm (Europe/Berlin)', '2026-11-15T14:30:00.000Z'],
    ['limit reached, resets 11am (UTC)', '2026-11-16T11:00:00.000Z'],
    ['Weekly limit reached ∙ resets Nov 18, 9am (America/New_York)', '2026-11-18T14:00:00.000Z'],
    ['hit your usage limit. Try again at Nov 16th, 2026 1:05 PM (UTC).', '2026-11-16T13:05:00.000Z'],
    ['hit your usage limit, or try again at 1:05 PM (UTC).', '2026-11-15T13:05:00.000Z'],
    ['try again at 11:59 AM (UTC)', '2026-11-16T11:59:00.000Z'],
    ['try again at 12:00 PM (UTC)', '2026-11-15T12:00:00.000Z'],
    ['resets at 2026-11-15T13:00:00Z', '2026-11-15T13:00:00.000Z'],
    ['Please retry after 90 seconds', '2026-11-15T12:01:30.000Z'],
    ['try again in 2 hours 5 minutes', '2026-11-15T14:05:00.000Z'],
    ['rate limited, try again in 20m', '2026-11-15T12:20:00.000Z'],
  ])('%s', (text, expected) => expect(at(text)).toBe(expected))

  it.each([
    'Rate limited',
    'resets someday',
    'resets 3pm (Nowhere/Land)',
    'resets at 2031-01-01T00:00:00Z',
    'limit|1111111111',
    'resets 99pm (UTC)',
    '',
  ])('and not from %j', text => expect(at(text)).toBeUndefined())

  it('never throws, and never names a time long ago or far ahead', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200 }),
        fc.constantFrom('resets ', 'retry after ', '|', ''),
        (text, lead) => {
          const time = resetTime(`${lead}${text}`, now)
          if (time !== undefined) expect(Math.abs(time - now)).toBeLessThan(9 * 86_400_000)
        },
      ),
    )
  })
})

describe('A turn that failed', () => {
  it.each([
    ['rate_limit', 'API Error: Request rejected (429) · Rate limited', 'parked'],
    ['server_error', 'API Error: 529 Overloaded', 'parked'],
    ['max_output_tokens', '', 'parked'],
    ['authentication_failed', 'Invalid API key', 'failed'],
    ['billing_error', 'Your credit balance is too low', 'failed'],
    ['rate_limit', 'Credit balance is too low (429)', 'failed'],
    ['invalid_request', 'prompt is too long', 'failed'],
    ['unknown', '', 'failed'],
  ])('%s: %s is %s', (error, message, kind) => {
    expect(readFailure({ error, message }, now).kind).toBe(kind)
  })
})
