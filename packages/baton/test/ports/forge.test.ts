import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Check, type CheckState, checksOf, ForgeError } from '../../src/ports/forge.ts'

const check = fc.record({
  id: fc.string(),
  name: fc.string(),
  state: fc.constantFrom<CheckState>('passed', 'failed', 'pending', 'unknown'),
  detail: fc.string(),
  url: fc.constant(undefined),
  required: fc.boolean(),
}) satisfies fc.Arbitrary<Check>

test('the verdict is passed only when there are checks and every one has passed', () => {
  fc.assert(
    fc.property(fc.array(check), checks => {
      const { verdict } = checksOf(checks)
      expect(verdict === 'passed').toBe(checks.length > 0 && checks.every(({ state }) => state === 'passed'))
      expect(verdict === 'failed').toBe(checks.some(({ state }) => state === 'failed'))
      expect(verdict === 'none').toBe(checks.length === 0)
    }),
  )
})

test('the counts add up and every check is listed, failed ones first', () => {
  fc.assert(
    fc.property(fc.array(check), checks => {
      const { total, passed, failed, pending, unknown, all } = checksOf(checks)
      expect(passed + failed + pending + unknown).toBe(total)
      expect(all).toHaveLength(checks.length)
      expect(all.slice(0, failed).every(({ state }) => state === 'failed')).toBe(true)
    }),
  )
})

test('only waiting helps against limits and absence', () => {
  expect(new ForgeError('rate-limited', 'wait', { retryAt: 5 })).toMatchObject({ passing: true, retryAt: 5 })
  expect(new ForgeError('unreachable', 'away').passing).toBe(true)
  expect(new ForgeError('forbidden', 'no').passing).toBe(false)
})
