import { describe, expect, test } from 'vitest'
import { budgetWords, medianLead, throughputOf } from '../../../../apps/dashboard/src/parts/fleet-figures.ts'

/** A time on one day, in the time zone of the machine that runs the tests: the chart's hours and days are local, too. */
const at = (hour: number, minute = 0, second = 0): string =>
  new Date(2026, 2, 10, hour, minute, second).toISOString()
const NOW = Date.parse(at(12, 34, 56))
const merged = (mergedAt: string, addedAt?: string) => ({
  repository: 'github.com/acme/app',
  issue: 1,
  mergedAt,
  ...(addedAt ? { addedAt } : {}),
})

describe('the figures of a fleet', () => {
  test('count what was merged in each hour, with the median time since it was added', () => {
    const {
      times,
      merged: counts,
      leadHours,
    } = throughputOf(
      [
        merged(at(9, 59, 59), at(8, 59, 59)),
        merged(at(10), at(8)),
        merged(at(10, 30), at(6, 30)),
        merged(at(12)),
      ],
      NOW,
      'hour',
      3,
    )
    expect(times.map(time => new Date(time * 1000).toISOString())).toEqual([at(10), at(11), at(12)])
    expect([counts, leadHours]).toEqual([
      [2, 0, 1],
      [3, null, null],
    ])
  })

  test('count days from midnight, each once', () => {
    const all = Array.from({ length: 96 }, (_, hour) =>
      merged(new Date(NOW - hour * 3_600_000).toISOString()),
    )
    const { merged: counts, times } = throughputOf(all, NOW, 'day', 30)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(96)
    expect(times.every(time => new Date(time * 1000).getHours() === 0)).toBe(true)
  })

  test('have no median without the time at which an issue was added, and none below zero', () => {
    expect(medianLead([merged('2026-03-10T10:00:00.000Z')])).toBeUndefined()
    expect(medianLead([merged('2026-03-10T10:00:00.000Z', '2026-03-10T11:00:00.000Z')])).toBe(0)
  })

  test('say what was used and what may be used', () => {
    const used = { tokens: 12_300, money: 0.4, hours: 1.5 }
    // Amounts are written as the reader's browser writes them.
    const tokens = (12_300).toLocaleString()
    expect(budgetWords({ used, limits: {} })).toBe(`${tokens} tokens, $0.40, 1.5 h`)
    expect(budgetWords({ used, limits: { money: 10, hours: 8 } })).toBe(
      `${tokens} tokens, $0.40 of $10.00, 1.5 h of 8 h`,
    )
  })
})
