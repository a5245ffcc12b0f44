import { compilePattern } from '@batonpass/contract/pattern'
import { PatternError } from '@batonpass/contract/pattern/error'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\w',
  '\\s',
  '\\d',
  '\\.',
  '^',
  '$',
  '\\b',
  'x',
  '-',
  ' ',
)
const { pattern } = fc.letrec(tie => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    atom,
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `${left}${right}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '*?', '{2,}'))
      .map(([inner, times]) => `(${inner})${times}`),
  ),
}))

test('a pattern matches what the language’s own engine matches', () => {
  fc.assert(
    fc.property(
      pattern as fc.Arbitrary<string>,
      fc.string({ unit: fc.constantFrom('a', 'b', 'x', '-', ' ', '1', '.'), maxLength: 12 }),
      (source, text) => {
        expect(compilePattern(source).test(text)).toBe(new RegExp(source).test(text))
      },
    ),
    { numRuns: 3000 },
  )
})

test('no pattern holds a decision up', () => {
  const text = 'a'.repeat(20_000)
  for (const source of ['(a+)+$!', '(a|a)*b', '(a*)*b', '(.*)(.*)(.*)(.*)x', '(a|aa)+$!']) {
    const start = performance.now()
    expect(compilePattern(source).test(text)).toBe(false)
    expect(performance.now() - start).toBeLessThan(2000)
  }
})

test.each(['(?=a)', '(?<!a)b', '(a)\\1', 'a(', 'a)', '[a', '*a', 'a\\', '(?i)a', '(((a{100}){100}){100})'])(
  '%s is refused with a way out',
  source => {
    expect(() => compilePattern(source)).toThrow(PatternError)
  },
)
