import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fit } from '../../../src/adapters/agents/claude-code/fit.ts'

test('a text that fits is left alone', () => {
  fc.assert(fc.property(fc.string({ maxLength: 100 }), text => fit(text, 100) === text))
})

test('a longer text is cut to the limit, is a start of the text, and says how much is missing', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '🙂', 'ü'), minLength: 121, maxLength: 2_000 })
  fc.assert(
    fc.property(text, fc.integer({ min: 60, max: 120 }), (long, limit) => {
      const cut = fit(long, limit)
      expect(cut.length).toBeLessThanOrEqual(limit)
      const [, kept = '', missing] = /^(.*)\n\[Baton cut (\d+) more characters here\]$/s.exec(cut) ?? []
      expect(long.startsWith(kept)).toBe(true)
      expect(kept.length + Number(missing)).toBe(long.length)
      expect(cut.isWellFormed()).toBe(true)
    }),
  )
})

test('lines stay whole where there are any', () => {
  const cut = fit('one line of text\n'.repeat(100), 200)
  expect(
    cut
      .split('\n')
      .slice(0, -1)
      .every(line => line === 'one line of text'),
  ).toBe(true)
})

test('a limit too small for the mark still holds', () => {
  expect(fit('🙂'.repeat(50), 5)).toBe('🙂🙂')
})
