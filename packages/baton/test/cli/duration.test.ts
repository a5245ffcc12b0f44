import { duration } from '@batonpass/contract/duration'
import { shortId } from '@batonpass/contract/short-id'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test.each([
  [0, '0 ms'],
  [0.083, '0.1 ms'],
  [8.26, '8.3 ms'],
  [9.99, '10 ms'],
  [240.4, '240 ms'],
  [999.6, '1 s'],
  [12_345, '12 s'],
  [2400, '2.4 s'],
  [9960, '10 s'],
  [59_600, '1 min'],
  [3 * 3600_000, '3 h'],
  [3 * 3600_000 + 12 * 60_000, '3 h 12 min'],
  [50 * 3600_000, '2 d'],
  [-5, '0 ms'],
])('%d milliseconds are %s for people', (ms, words) => {
  expect(duration(ms)).toBe(words)
})

test('no length of time takes more than three digits of a unit up to three years', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 999 * 86_400_000, noNaN: true }), ms => {
      expect(duration(ms)).toMatch(/^\d{1,3}(\.\d)? (ms|s|min|h|d)( \d{1,2} min)?$/)
    }),
  )
})

test('an id of Baton is shortened to its kind and eight characters, anything else stays', () => {
  expect(shortId('ask_0123456789abcdefghij')).toBe('ask_01234567')
  for (const text of ['ask_0123', '3f2a91c0-1111', '', '42']) expect(shortId(text)).toBe(text)
})
