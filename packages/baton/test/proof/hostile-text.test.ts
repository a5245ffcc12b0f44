import { describe, expect, it } from 'vitest'
import { withoutNeutral } from '../../src/proof/neutral-settings.ts'
import { findWeakened } from '../../src/proof/weakened-tests.ts'

const SMALL = 3000
/** How much longer one text may take than ten texts of a tenth of its size; ten times would be growth by the square. */
const MAX_GROWTH = 3
/** What takes less is not worth measuring. */
const NEGLIGIBLE_MS = 60

/** The shortest of several runs, in time of the processor: other work on the machine takes time, too. */
function shortest(run: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let n = 0; n < 3; n++) {
    const started = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(started)
    best = Math.min(best, (user + system) / 1000)
    if (best < NEGLIGIBLE_MS) break
  }
  return best
}

const repeated = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length))

/** Of each: how it begins, and what is repeated. */
const SHAPES: readonly [start: string, part: string][] = [
  ['expect(x).toEqual({ ', 'expect.any(A) '],
  ['expect(x).toEqual({ ', 'expect.any(A)\n'],
  ['', 'expect(x).toEqual({ a: expect.any(A) '],
  ['a,', ' '],
  ['', 'a,\n'],
  ['', 'import a, {'],
  ['', '\n'],
  ['', ' \n'],
  ['', ' '],
  ['', '\t'],
  ['/*', ' x'],
  ['x = "', ' x'],
  ['export default { a', ' '],
  ["export default { 'a", ' '],
  ['', "'a':["],
  ['', 'a:['],
  ['', 'a:{'],
  ['', 'reporters: ["a",'],
  ["reporters: ['a'", " 'a'"],
  ['', "reporters: 'a',\n"],
  ['', '.expect'],
  ['', '.assert.assert'],
  ['assert(', 'Equal'],
  ['', 'assert(Equal'],
  ['', 'timeout'],
  ['', 'assert a\n'],
  ['assert', ' '],
  ['try:\n  x\nexcept', ' Exception'],
  ['', 'try{}catch{'],
  ['', 'try{a}finally{'],
  ['', '{return '],
  ['', 'if (a) { return\n'],
  ['', 'if (a) { return }\n'],
  ['', '    if a: return\n'],
  ['', '#[test]'],
  ['', '#[test]\nfn a()\n'],
  ['', '@Test '],
  ['', '@Test void a()\n'],
  ['', 'def test_a():\n'],
  ['', '  def test_a():\n    assert a == 1\n'],
  ['', "it('a', () => { expect(a).toBe(1) })\n"],
  ['', "it('a'"],
  ['', 'for (const a of b) { expect(a).toBe(1) }\n'],
  ['', 'for (const a of b'],
  ['', '@parametrize("a", [1, 2])\n'],
  ['', '/ '],
  ['x', ' = /['],
  [`x = '${'x'.repeat(3000)}'; y = \`${'x'.repeat(30_000)}\`;\n`, 'a/b;'],
  ['', "import a from 'assert'\n"],
  ['', "import { a as b } from 'assert'\n"],
  ['', 'a.then(() => {'],
  ['', 'function a(){'],
  ['', 'function a(){a();expect(b).toBe(1)}\n'],
  ['', 'function a(){a();expect(b).toBe(1)\n'],
  ['', 'const a = () => a('],
  ['', 'fn a() { a(); assert_eq!(b, 1); '],
  ['', 'def a():\n  a()\n  assert b == 1\n'],
  ['', ' def a(): a(); assert b == 1\n'],
  ['', 'for _, a := range []a{'],
  ['', 'for _, a := range a {'],
  ['', 'a := []struct{'],
  ['', 'a := []a{{},{}}\nfor range a {'],
  ['', '(((('],
  ['', ')))){{{{'],
  ['', '[]struct{'],
  ['', '<a>'],
  ['', '<a><a>b</a>'],
  ['"', './'],
  ['[tool.ruff]\nignore = ["', './'],
  ['', 'ignore = ["a"]\n'],
  ['', '# eslint-disable\n'],
  ['', '/* eslint-disable a */\n'],
  ['', '/* eslint-disable */ /* eslint-enable a */\n'],
  ['x', '\\\n'],
  ['@pytest.fixture\n', 'def a():\n'],
  ['', '  reporters: [\n'],
  ['', 'lines: 1 '],
  ['lines', ' '],
  ['', '  - run: npm test\n'],
  ['jobs:\n  a:\n    steps:\n', '      - run: npm test || true\n'],
]
const FILES = ['a.test.ts', 'test_a.py', 'a.rs', 'a_test.go', 'vitest.config.ts', 'build.gradle']

describe('Text of a repository, however hostile,', () => {
  it.each(SHAPES)(
    'is read in a time that grows with its length: %j %j',
    (start, part) => {
      for (const path of FILES) {
        const read = (size: number) => {
          const text = start + repeated(part, size)
          findWeakened([{ path, before: text, after: `${text}!` }])
          findWeakened([{ path, before: `${text}!`, after: undefined }])
          withoutNeutral(path, text)
        }
        read(SMALL)
        const large = shortest(() => read(SMALL * 10))
        if (large < NEGLIGIBLE_MS) continue
        const small = shortest(() => {
          for (let n = 0; n < 10; n++) read(SMALL)
        })
        expect(large / small, `${path}: ten times ${small} ms, then ${large} ms`).toBeLessThan(MAX_GROWTH)
      }
    },
    120_000,
  )

  it.each(['a.test.ts', 'a.rs'])('takes hardly more time if its statements are nested: %s', path => {
    const read = (part: string) =>
      shortest(() => findWeakened([{ path, before: repeated(part, 300_000), after: '' }]))
    const [nested, plain] = [read('{return '), read('{returs ')]
    expect(nested / plain, `${nested} ms, without nested statements ${plain} ms`).toBeLessThan(6)
  })
})
