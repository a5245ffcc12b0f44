import { Config } from '@batonpass/contract/config'
import { expect, it } from 'vitest'
import { sessionId } from '../../../src/session/id.ts'
import { checkBudget, dayOf, spend, spentOn } from '../../../src/work/workflows/budget.ts'
import { Run } from '../../../src/work/workflows/run.ts'

const start = Date.UTC(2026, 10, 15, 23, 59)
const run = (native = 'a') =>
  Run.parse({
    version: 1,
    session: sessionId('claude-code', native),
    nativeSession: native,
    agent: 'claude-code',
    project: '/p',
    root: '/p',
    workflow: 'w',
    startedAt: start,
    seenAt: start,
  })
const reply = { model: 'claude-sonnet-4-5', input: 1000, output: 2000, cacheRead: 10_000, cacheWrite: 400 }
const budget = (limits: object) => Config.parse({ budget: limits }).budget

it('Tokens, money and time add up, and money knows the model and its cache', () => {
  const spent = spend(run(), [reply, reply], start + 60_000).spent
  expect(spent.tokens).toBe(6800)
  expect(spent.money).toBeCloseTo((2 * ((1000 + 500 + 1000) * 3 + 2000 * 15)) / 1e6, 6)
  expect(spent.ms).toBe(60_000)
})

it('An unknown model is never priced too low', () => {
  const unknown = spend(run(), [{ ...reply, model: 'something-new' }], start).spent.money
  expect(unknown).toBeGreaterThan(spend(run(), [reply], start).spent.money)
})

it('A day counts what all runs used on it', () => {
  const a = spend(run('a'), [reply], start)
  const b = spend(spend(run('b'), [reply], start), [reply], start + 120_000)
  expect(spentOn(dayOf(start), [a, b]).tokens).toBe(6800)
  expect(spentOn(dayOf(start + 120_000), [a, b]).tokens).toBe(3400)
})

it('A limit warns at 80 % and ends the run when it is reached', () => {
  const limits = budget({ per_workflow: { tokens: 100 }, per_day: { money: 10 } })
  const at = (tokens: number, money = 0) =>
    checkBudget(limits, { tokens, money: 0, ms: 0 }, { tokens, money, ms: 0 })
  expect(at(79)).toEqual({ over: undefined, near: [] })
  expect(at(80).near.map(each => each.key)).toEqual(['per_workflow.tokens'])
  expect(at(100).over).toContain('100 tokens of 100 tokens')
  expect(at(0, 9).near.map(each => each.words)).toEqual(['$9.00 of $10.00 used for today'])
  expect(
    checkBudget(budget({}), { tokens: 1e12, money: 1e9, ms: 1e12 }, { tokens: 0, money: 0, ms: 0 }),
  ).toEqual({ over: undefined, near: [] })
})
