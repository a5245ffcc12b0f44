import { type Change, edited, MORE, textOf } from './edit.ts'
import { AREA, CALC, CART, GO, JAVA, JEST, LIB, PYTEST, RUST, SUM, USER, VITEST } from './projects.ts'

const MAX = 'max_test.go'
const MAX_TESTS = `package sum

import "testing"

func TestMaxFirst(t *testing.T) {
	if got := Max(2, 1); got != 2 {
		t.Errorf("got %d", got)
	}
}

func TestMaxSecond(t *testing.T) {
	if got := Max(1, 2); got != 2 {
		t.Errorf("got %d", got)
	}
}

func TestMaxEqual(t *testing.T) {
	if got := Max(3, 3); got != 3 {
		t.Errorf("got %d", got)
	}
}
`
const TWO_FILES = { ...GO, [MAX]: MAX_TESTS }
const table = (type: string, rows: string, loop: string) =>
  `package sum\n\nimport "testing"\n\nfunc TestMax(t *testing.T) {\n\tcases := ${type}{\n${rows}\t}\n\tfor ${loop} {\n\t\tif got := Max(c.a, c.b); got != c.want {\n\t\t\tt.Errorf("got %d", got)\n\t\t}\n\t}\n}\n`
const ROWS = '\t\t{2, 1, 2},\n\t\t{1, 2, 2},\n\t\t{3, 3, 3},\n'
/** The assertions of several tests in one loop, after other lines. */
const loop = (rows: string, body: string) =>
  `package sum\n\nimport "testing"\n\nfunc TestMax(t *testing.T) {\n\tfor _, c := range ${rows} {\n\t\t${body}\n\t}\n}\n`
/** All assertions in one test. */
const ONE_TEST = { ...GO, [MAX]: MAX_TESTS.replaceAll(/\n\}\n\nfunc TestMax(?:Second|Equal).*/g, '') }
const STRUCT = '[]struct{ a, b, want int }'

/** Assertions that moved into functions, and tests that became tables: as many as before. */
export const HONEST_HELPERS: readonly [string, Change][] = [
  ['go: tests into a table', edited(TWO_FILES, { [MAX]: table(STRUCT, ROWS, '_, c := range cases') })],
  [
    'go: tests into a table by name',
    edited(TWO_FILES, {
      [MAX]: table(
        'map[string]struct{ a, b, want int }',
        '\t\t"first": {2, 1, 2},\n\t\t"second": {1, 2, 2},\n\t\t"equal": {3, 3, 3},\n',
        'name, c := range cases',
      ),
    }),
  ],
  [
    'go: tests into subtests with rows',
    edited(TWO_FILES, {
      [MAX]: table(STRUCT, ROWS, '_, c := range cases').replace(
        /\t\tif[\s\S]*?\n\t\t\}\n/,
        '\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tassert.Equal(t, c.want, Max(c.a, c.b))\n\t\t})\n',
      ),
    }),
  ],
  [
    'go: table into subtests',
    edited(
      { ...GO, [MAX]: table(STRUCT, ROWS, '_, c := range cases') },
      {
        [MAX]:
          'package sum\n\nimport "testing"\n\nfunc TestMax(t *testing.T) {\n\tcheck := func(a, b, want int) {\n\t\tif got := Max(a, b); got != want {\n\t\t\tt.Errorf("got %d", got)\n\t\t}\n\t}\n\tt.Run("first", func(t *testing.T) {\n\t\tif Max(2, 1) != 2 {\n\t\t\tt.Error("first")\n\t\t}\n\t})\n\tt.Run("second", func(t *testing.T) {\n\t\tif Max(1, 2) != 2 {\n\t\t\tt.Error("second")\n\t\t}\n\t})\n\tcheck(3, 3, 3)\n}\n',
      },
    ),
  ],
  [
    'go: helper',
    edited(TWO_FILES, {
      [MAX]: `package sum\n\nimport "testing"\n\nfunc check(t *testing.T, got, want int) {\n\tt.Helper()\n\tif got != want {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n\nfunc TestMaxFirst(t *testing.T) {\n\tcheck(t, Max(2, 1), 2)\n}\n\nfunc TestMaxSecond(t *testing.T) {\n\tcheck(t, Max(1, 2), 2)\n}\n\nfunc TestMaxEqual(t *testing.T) {\n\tcheck(t, Max(3, 3), 3)\n}\n`,
    }),
  ],
  [
    'helper for several tests',
    edited(
      JEST,
      [
        USER,
        "describe('user'",
        "const expectSlug = (name, wanted) => {\n  expect(slug(name)).toBe(wanted)\n}\n\ndescribe('user'",
      ],
      [USER, "expect(slug('Ann Lee')).toBe('ann-lee')", "expectSlug('Ann Lee', 'ann-lee')"],
      [USER, "expect(slug('a  b')).toBe('a--b')", "expectSlug('a  b', 'a--b')"],
    ),
  ],
  [
    'helper in a new file',
    edited(
      VITEST,
      {
        'test/check.ts':
          "import { expect } from 'vitest'\nimport { total } from '../src/cart'\n\nexport function expectTotal(items: Item[], sum: number): void {\n  expect(total(items)).toBe(sum)\n}\n",
      },
      [CART, 'import { parse', "import { expectTotal } from './check'\nimport { parse"],
      [CART, 'expect(total([{ price: 2, count: 3 }])).toBe(6)', 'expectTotal([{ price: 2, count: 3 }], 6)'],
      [CART, 'expect(total([])).toBe(0)', 'expectTotal([], 0)'],
      [CART, 'expect(total([{ price, count }])).toBe(sum)', 'expectTotal([{ price, count }], sum)'],
    ),
  ],
  [
    'python: helper in a new file',
    edited(
      PYTEST,
      { 'tests/helpers.py': 'def verify(one, other):\n    assert one == other\n' },
      [AREA, 'import pytest', 'import pytest\nfrom .helpers import verify'],
      [AREA, 'assert circle(0) == 0', 'verify(circle(0), 0)'],
    ),
  ],
  [
    'python: method',
    edited(
      PYTEST,
      [AREA, 'assert circle(0) == 0', 'self.verify(circle(0), 0)'],
      [
        AREA,
        '    def test_zero',
        '    def verify(self, one, other):\n        assert one == other\n\n    def test_zero',
      ],
    ),
  ],
  [
    'python: helper',
    edited(
      PYTEST,
      [AREA, '\n\n@pytest', '\n\ndef check(shape, size, area):\n    assert shape(size) == area\n\n\n@pytest'],
      [AREA, 'assert square(a) == expected', 'check(square, a, expected)'],
      [AREA, 'assert circle(0) == 0', 'check(circle, 0, 0)'],
      [AREA, 'assert square(0) == 0', 'check(square, 0, 0)'],
    ),
  ],
  [
    'java: helper',
    edited(
      {
        ...JAVA,
        [CALC]: textOf(JAVA, CALC).replace(
          'add(1, 2));',
          'add(1, 2));\n    assertEquals(5, Calc.add(2, 3));',
        ),
      },
      [CALC, 'assertEquals(3, Calc.add(1, 2))', 'check(3, 1, 2)'],
      [CALC, 'assertEquals(5, Calc.add(2, 3))', 'check(5, 2, 3)'],
      [
        CALC,
        /\}\n$/,
        '\n  private static void check(int sum, int a, int b) {\n    assertEquals(sum, Calc.add(a, b));\n  }\n}\n',
      ],
    ),
  ],
  [
    'rust: helper',
    edited(
      { ...RUST, [LIB]: textOf(RUST, LIB).replace('2), 3);', '2), 3);\n        assert_eq!(add(2, 3), 5);') },
      [LIB, 'assert_eq!(add(1, 2), 3)', 'check(1, 2, 3)'],
      [LIB, 'assert_eq!(add(2, 3), 5)', 'check(2, 3, 5)'],
      [
        LIB,
        '    #[test]\n    fn adds',
        '    fn check(a: i32, b: i32, sum: i32) {\n        assert_eq!(add(a, b), sum);\n    }\n\n    #[test]\n    fn adds',
      ],
    ),
  ],
]

/** Assertions that are gone, for which functions, tables and calls make up in number. */
export const WEAK_HELPERS: readonly [string, Change][] = [
  [
    'go: row lost with the tests',
    edited(TWO_FILES, { [MAX]: table(STRUCT, '\t\t{2, 1, 2},\n\t\t{1, 2, 2},\n', '_, c := range cases') }),
  ],
  ...['if got := Max(2, 1); got != 2 {', 'if Max(2, 1) != 2 {'].map((condition): [string, Change] => [
    `go: rows that no assertion looks at: ${condition}`,
    edited(ONE_TEST, { [MAX]: loop('[]int{1, 2, 3}', `${condition}\n\t\t\tt.Errorf("got %d", c)\n\t\t}`) }),
  ]),
  [
    'go: rows in a message',
    edited(ONE_TEST, { [MAX]: loop('[]int{1, 2, 3}', 'assert.True(t, Max(2, 1) == 2, c)') }),
  ],
  [
    'go: rows of another function',
    edited(ONE_TEST, {
      [MAX]: `${loop('cases', 'if Max(c, 1) != c {\n\t\t\tt.Errorf("got %d", c)\n\t\t}')}\nfunc other() {\n\tcases := []int{1, 2, 3}\n}\n`,
    }),
  ],
  [
    'go: rows that are replaced',
    edited(ONE_TEST, {
      [MAX]: loop('cases', 'if Max(c, 1) != c {\n\t\t\tt.Errorf("got %d", c)\n\t\t}').replace(
        '\tfor',
        '\tcases := []int{1, 2, 3}\n\tcases = cases[:1]\n\tfor',
      ),
    }),
  ],
  [
    'go: assertion gone, rows added',
    edited(
      GO,
      [SUM, 'if Sum(1<<40, 1) != 1<<40+1 {\n\t\tt.Fatal("big")\n\t}', 'Sum(1<<40, 1)'],
      [SUM, '\t\t{-1, 1, 0},\n', '\t\t{-1, 1, 0},\n\t\t{5, 5, 10},\n\t\t{6, 5, 11},\n'],
    ),
  ],
  [
    'assertion gone, helper added for others',
    edited(
      VITEST,
      [CART, '    expect(total([])).toBe(0)\n', ''],
      [
        CART,
        "describe('cart'",
        "function check(text: string, wanted: object) {\n  expect(parse(text)).toEqual(wanted)\n}\n\ndescribe('cart'",
      ],
      [
        CART,
        "    expect(parse('3x4')).toEqual({ price: 3, count: 4 })\n",
        "    check('3x4', { price: 3, count: 4 })\n    check('1x1', { price: 1, count: 1 })\n",
      ],
      MORE,
    ),
  ],
  [
    'the same helper called again',
    edited(
      VITEST,
      [CART, "describe('cart'", "function check() {\n  expect(total([])).toBe(0)\n}\n\ndescribe('cart'"],
      [
        CART,
        '    expect(total([{ price: 2, count: 3 }])).toBe(6)\n    expect(total([])).toBe(0)\n',
        '    check()\n    check()\n',
      ],
      MORE,
    ),
  ],
  [
    'looser helper',
    edited(
      JEST,
      [
        USER,
        "describe('user'",
        "const expectSlug = (name, wanted) => expect(slug(name)).toContain(wanted)\n\ndescribe('user'",
      ],
      [USER, "expect(slug('Ann Lee')).toBe('ann-lee')", "expectSlug('Ann Lee', 'ann-lee')"],
      [USER, "expect(slug('a  b')).toBe('a--b')", "expectSlug('a  b', 'a--b')"],
    ),
  ],
  [
    'helper that checks nothing',
    edited(
      JEST,
      [
        USER,
        "describe('user'",
        "function expectSlug(name, wanted) {\n  if (name === wanted) expect(slug(name)).toBe(wanted)\n}\n\ndescribe('user'",
      ],
      [USER, "expect(slug('Ann Lee')).toBe('ann-lee')", "expectSlug('Ann Lee', 'ann-lee')"],
    ),
  ],
  [
    'helper that is not always called',
    edited(
      JEST,
      [
        USER,
        "describe('user'",
        "const expectSlug = (name, wanted) => expect(slug(name)).toBe(wanted)\n\ndescribe('user'",
      ],
      [USER, "expect(slug('Ann Lee')).toBe('ann-lee')", "expectSlug('Ann Lee', 'ann-lee')"],
      [USER, "expect(slug('a  b')).toBe('a--b')", "if (process.env.ALL) expectSlug('a  b', 'a--b')"],
    ),
  ],
  [
    'helper that compares a value with itself',
    edited(
      JEST,
      [USER, "describe('user'", "const same = (one, other) => expect(one).toBe(other)\n\ndescribe('user'"],
      [USER, "expect(slug('Ann Lee')).toBe('ann-lee')", "same(slug('Ann Lee'), 'ann-lee')"],
      [USER, "expect(slug('a  b')).toBe('a--b')", "same(slug('a  b'), slug('a  b'))"],
    ),
  ],
  [
    'rows of a list make up for an assertion',
    edited(
      {
        ...JEST,
        [USER]: `const SLUGS = [['A', 'a'], ['B', 'b']]\n${textOf(JEST, USER)}\ntest.each(SLUGS)('slug of %s', (name, wanted) => {\n  expect(slug(name)).toBe(wanted)\n})\n`,
      },
      [USER, "['B', 'b']]", "['B', 'b'], ['C', 'c'], ['D', 'd']]"],
      [USER, "expect(slug('Ann Lee')).toBe('ann-lee')", "slug('Ann Lee')"],
    ),
  ],
  [
    'java: test with the name of what it tests',
    edited({ ...JAVA, [CALC]: textOf(JAVA, CALC).replace('void adds', 'void add') }, [
      CALC,
      '    assertEquals(3, Calc.add(1, 2));\n',
      '    Calc.add(1, 2);\n',
    ]),
  ],
  [
    'rust: test with the name of what it tests',
    edited(
      { ...RUST, [LIB]: textOf(RUST, LIB).replace('fn adds', 'fn add').replace('(add(1', '(super::add(1') },
      [LIB, 'assert_eq!(super::add(1, 2), 3);', 'super::add(1, 2);'],
    ),
  ],
  ...(
    [
      ['another of that name', 'const check = (...values) => values', 'check(slug'],
      ['a method of that name', "const { log } = require('./log')", 'log.check(slug'],
      ['one of another file', "const { check } = require('./other')", 'check(slug'],
      [
        'one that is replaced',
        'let check = (one, other) => {\n  expect(one).toBe(other)\n}\ncheck = () => {}',
        'check(slug',
      ],
      [
        'a helper with literals',
        'const check = (one, other) => expect(one).toBe(other)',
        "slug('');check(('a')",
      ],
    ] as const
  ).map(([what, line, call]): [string, Change] => [
    `in place of a helper, ${what}`,
    edited(
      JEST,
      {
        'test/check.js':
          'exports.check = check\nfunction check(one, other) {\n  expect(one).toBe(other)\n}\n',
      },
      { 'lib/check.js': 'x' },
      [USER, "describe('user'", `${line}\n\ndescribe('user'`],
      [USER, "expect(slug('Ann Lee')).toBe('ann-lee')", `${call}('Ann Lee'), 'ann-lee')`],
    ),
  ]),
  [
    'python: method of another object',
    edited(PYTEST, { 'tests/helpers.py': 'def verify(one, other):\n    assert one == other\n' }, [
      AREA,
      'assert circle(0) == 0',
      'log.verify(circle(0), 0)',
    ]),
  ],
  [
    'python: helper that is not imported',
    edited(
      PYTEST,
      { 'tests/helpers.py': 'def verify(one, other):\n    assert one == other\n' },
      [AREA, 'import pytest', 'import pytest\nfrom noop import verify'],
      [AREA, 'assert circle(0) == 0', 'verify(circle(0), 0)'],
    ),
  ],
  ...['v != v', 'got != got'].map((condition): [string, Change] => [
    `go: helper that compares a value with itself: ${condition}`,
    edited(TWO_FILES, {
      [MAX]: `${MAX_TESTS.replace('if got := Max(2, 1); got != 2 {\n\t\tt.Errorf("got %d", got)\n\t}', 'same(t, Max(2, 1))')}\nfunc same(t *testing.T, v int) {\n\tif ${condition} {\n\t\tt.Errorf("got %d", v)\n\t}\n}\n`,
    }),
  ]),
  [
    'python: helper for fewer',
    edited(
      PYTEST,
      [AREA, '\n\n@pytest', '\n\ndef check(shape, size, area):\n    assert shape(size) == area\n\n\n@pytest'],
      [AREA, '        assert circle(0) == 0\n        assert square(0) == 0', '        check(circle, 0, 0)'],
    ),
  ],
]
