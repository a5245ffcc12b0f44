import type { DayBudget, MergedJob } from '@batonpass/contract/fleet'

const HOUR_MS = 3_600_000

export interface Throughput {
  /** When each span of time begins, in seconds. */
  times: number[]
  merged: number[]
  /** The median hours from the queue to the merge; null where nothing was merged. */
  leadHours: (number | null)[]
}

/** What was merged in each of the last hours or days, and how long that took. */
export function throughputOf(
  merged: readonly MergedJob[],
  nowMs: number,
  span: 'hour' | 'day',
  count: number,
): Throughput {
  const begins = Array.from({ length: count }, (_, nth) => startOf(nowMs, span, count - 1 - nth))
  const groups = begins.map((begin, nth) =>
    merged.filter(({ mergedAt }) => {
      const at = Date.parse(mergedAt)
      return at >= begin && at < (begins[nth + 1] ?? Number.POSITIVE_INFINITY)
    }),
  )
  return {
    times: begins.map(begin => begin / 1000),
    merged: groups.map(({ length }) => length),
    leadHours: groups.map(group => medianLead(group) ?? null),
  }
}

/** The median hours from the queue to the merge; undefined if no issue says when it was added. */
export function medianLead(merged: readonly MergedJob[]): number | undefined {
  const hours = merged
    .flatMap(({ addedAt, mergedAt }) =>
      addedAt ? (Date.parse(mergedAt) - Date.parse(addedAt)) / HOUR_MS : [],
    )
    .sort((a, b) => a - b)
  const [low, high] = [hours[(hours.length - 1) >> 1], hours[hours.length >> 1]]
  return low === undefined || high === undefined ? undefined : Math.max(0, (low + high) / 2)
}

/** `12,300 tokens, $0.40 of $10.00, 1.5 h` */
export function budgetWords({ used, limits }: DayBudget): string {
  const of = (limit: number | undefined, word: (amount: number) => string) =>
    limit === undefined ? '' : ` of ${word(limit)}`
  const tokens = (amount: number) => amount.toLocaleString()
  const money = (amount: number) => `$${amount.toFixed(2)}`
  const hours = (amount: number) => `${amount} h`
  return [
    `${tokens(used.tokens)}${of(limits.tokens, tokens)} tokens`,
    `${money(used.money)}${of(limits.money, money)}`,
    `${hours(used.hours)}${of(limits.hours, hours)}`,
  ].join(', ')
}

/** Days begin at midnight here, also where clocks change. */
function startOf(nowMs: number, span: 'hour' | 'day', ago: number): number {
  const date = new Date(nowMs)
  if (span === 'day') return new Date(date.getFullYear(), date.getMonth(), date.getDate() - ago).getTime()
  date.setMinutes(0, 0, 0)
  return date.getTime() - ago * HOUR_MS
}
