import type { Config } from '@batonpass/contract/config'
import type { Usage } from '../../ports/transcript.ts'
import type { Run, Spent } from './run.ts'

export interface BudgetState {
  /** Describes the limit that is reached; undefined if none is. */
  over: string | undefined
  /** Limits that are 80 % used; each is reported once. */
  near: { key: string; words: string }[]
}

const WARN_AT = 0.8
const HOUR = 3_600_000

/** Compares the spending of the run and of today with the limits. `today` is the sum of all runs. */
export function checkBudget(budget: Config['budget'], run: Spent, today: Spent): BudgetState {
  const rows = [
    ...limitsOf('this workflow', 'per_workflow', budget.per_workflow, run),
    ...limitsOf('today', 'per_day', budget.per_day, today),
  ]
  const over = rows.find(({ used, limit }) => used >= limit)
  return {
    over: over?.words,
    near: rows
      .filter(({ used, limit }) => used >= limit * WARN_AT && used < limit)
      .map(({ key, words }) => ({ key, words })),
  }
}

function limitsOf(span: string, key: string, limits: Config['budget']['per_day'], spent: Spent) {
  const row = (name: string, limit: number | undefined, used: number, show: (amount: number) => string) =>
    limit === undefined
      ? []
      : [{ key: `${key}.${name}`, used, limit, words: `${show(used)} of ${show(limit)} used for ${span}` }]
  return [
    ...row('tokens', limits.tokens, spent.tokens, amount => `${Math.round(amount)} tokens`),
    ...row('money', limits.money, spent.money, amount => `$${amount.toFixed(2)}`),
    ...row('hours', limits.hours, spent.ms / HOUR, amount => `${Math.round(amount * 100) / 100} h`),
  ]
}

/** Adds replies and working time to the run's spending. */
export function spend(run: Run, replies: readonly Usage[], now: number): Run {
  const more: Spent = {
    tokens: replies.reduce((sum, { input, output, cacheWrite }) => sum + input + output + cacheWrite, 0),
    money: replies.reduce((sum, usage) => sum + costOf(usage), 0),
    ms: Math.max(0, now - run.seenAt),
  }
  const day = dayOf(now)
  return {
    ...run,
    seenAt: now,
    spent: plus(run.spent, more),
    // Keep two days: yesterday's spending is still needed around midnight.
    days: Object.fromEntries(
      Object.entries({ ...run.days, [day]: plus(run.days[day], more) })
        .sort(([a], [b]) => (a < b ? 1 : -1))
        .slice(0, 2),
    ),
  }
}

export function spentOn(day: string, runs: readonly Run[]): Spent {
  return runs.reduce((sum, run) => plus(sum, run.days[day]), NONE)
}

export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)

const NONE: Spent = { tokens: 0, money: 0, ms: 0 }
const plus = (a: Spent = NONE, b: Spent = NONE): Spent => ({
  tokens: a.tokens + b.tokens,
  money: a.money + b.money,
  ms: a.ms + b.ms,
})

/** US dollars per million tokens: input, output. An unknown model counts as the most expensive one. */
const PRICES: readonly [RegExp, input: number, output: number][] = [
  [/haiku/i, 1, 5],
  [/sonnet/i, 3, 15],
  [/opus-4-[01]\b|opus-4-2025|3-opus/i, 15, 75],
  [/opus/i, 5, 25],
]
const HIGHEST_PRICE = [15, 75] as const

/** Writing to the cache costs 25 % more than input; reading from it costs 10 % of input. */
function costOf({ model, input, output, cacheRead, cacheWrite }: Usage): number {
  const known = PRICES.find(([name]) => name.test(model))
  const [forInput, forOutput] = known ? [known[1], known[2]] : HIGHEST_PRICE
  return ((input + cacheWrite * 1.25 + cacheRead * 0.1) * forInput + output * forOutput) / 1e6
}
