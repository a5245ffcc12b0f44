import fc from 'fast-check'
import { expect, it } from 'vitest'
import { printable } from '../../src/cli/io.ts'

it('Nothing that steers a terminal, turns or hides text comes through; the rest stays as it is', () => {
  expect(printable('a\u202eb\u200bc\x1b[2J\x9b1m\u2028\u{e0041}')).toBe(
    'a\\u{202e}b\\u{200b}c\\x1b[2J\\x9b1m\\u{2028}\\u{e0041}',
  )
  const fine = 'Grüße, 世界\n\tone 👩‍💻 ❤️‍🔥'
  expect(printable(fine)).toBe(fine)
  expect(printable('a\u200db')).toBe('a\\u{200d}b')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      expect(printable(text).replaceAll('\u200d', '')).not.toMatch(
        /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u,
      )
      expect(printable(printable(text))).toBe(printable(text))
    }),
  )
})
