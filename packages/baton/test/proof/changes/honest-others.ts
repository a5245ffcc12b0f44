import { type Change, edited, MORE, textOf } from './edit.ts'
import { AREA, CALC, CART, GO, JAVA, LIB, PYTEST, RUST, SCRIPTED, SUM, TWICE, VITEST } from './projects.ts'

/** The same, mostly in other languages. */
export const HONEST_OTHERS: readonly [string, Change][] = [
  ['rows added', edited(PYTEST, [AREA, '(10, 100)', '(10, 100), (0.5, 0.25)'])],
  [
    'parametrize reformatted',
    edited(PYTEST, [
      AREA,
      '[(1, 1), (2, 4), (3, 9), (10, 100)]',
      '[\n        (1, 1),\n        (2, 4),\n        (3, 9),\n        (10, 100),\n    ]',
    ]),
  ],
  [
    'class test to function',
    edited(PYTEST, [
      AREA,
      'class TestZero:\n    def test_zero(self):\n        assert circle(0) == 0\n        assert square(0) == 0\n',
      'def test_zero():\n    assert circle(0) == 0\n    assert square(0) == 0\n',
    ]),
  ],
  [
    'file moved',
    edited(PYTEST, {
      [AREA]: undefined,
      'tests/unit/test_area.py': PYTEST[AREA],
      'tests/unit/__init__.py': '',
    }),
  ],
  [
    'file split',
    edited(PYTEST, {
      [AREA]: textOf(PYTEST, AREA).replace(/class TestZero[\s\S]*/, ''),
      'tests/test_zero.py':
        'from geo.area import circle, square\n\n\ndef test_zero():\n    assert circle(0) == 0\n    assert square(0) == 0\n',
    }),
  ],
  ['approx tighter', edited(PYTEST, [AREA, 'rel=1e-5', 'rel=1e-6'])],
  [
    'raises in a new test',
    edited(PYTEST, [
      AREA,
      'def test_circle',
      'def test_text():\n    with pytest.raises(TypeError):\n        circle("x")\n\n\ndef test_circle',
    ]),
  ],
  [
    'marker registered',
    edited(PYTEST, [
      'pyproject.toml',
      'testpaths = ["tests"]',
      'testpaths = ["tests"]\nmarkers = ["slow: takes long"]',
    ]),
  ],
  ['ruff rule added', edited(PYTEST, ['pyproject.toml', '["E", "F", "B"]', '["E", "F", "B", "I"]'])],
  ['line noqa', edited(PYTEST, ['geo/area.py', 'import math', 'import math\nimport geo.area  # noqa: F401'])],
  [
    'line type ignore with code',
    edited(PYTEST, ['geo/area.py', 'return a * a', 'return a * a  # type: ignore[no-any-return]']),
  ],
  ['version bump', edited(PYTEST, ['pyproject.toml', 'name = "geo"', 'name = "geo"\nversion = "1.1"'])],
  [
    'monkeypatch env',
    edited(PYTEST, [
      AREA,
      'def test_circle():\n',
      'def test_circle(monkeypatch):\n    monkeypatch.setenv("UNIT", "m")\n',
    ]),
  ],
  ['make target added', edited(PYTEST, ['Makefile', 'lint:\n', 'docs:\n\tsphinx-build docs out\n\nlint:\n'])],
  ['row added', edited(GO, [SUM, '\t\t{-1, 1, 0},\n', '\t\t{-1, 1, 0},\n\t\t{5, 5, 10},\n'])],
  [
    'subtests',
    edited(GO, [
      SUM,
      '\t\tif got := Sum(c.a, c.b); got != c.want {\n\t\t\tt.Errorf("got %d", got)\n\t\t}\n',
      '\t\tt.Run("sum", func(t *testing.T) {\n\t\t\tif got := Sum(c.a, c.b); got != c.want {\n\t\t\t\tt.Errorf("got %d, want %d", got, c.want)\n\t\t\t}\n\t\t})\n',
    ]),
  ],
  [
    'test added in new file',
    edited(GO, {
      'more_test.go':
        'package sum\n\nimport "testing"\n\nfunc TestZero(t *testing.T) {\n\tif Sum(0, 0) != 0 {\n\t\tt.Fatal("zero")\n\t}\n}\n',
    }),
  ],
  ['linter added', edited(GO, ['.golangci.yml', '    - staticcheck\n', '    - staticcheck\n    - unused\n'])],
  [
    'test split to file',
    edited(GO, {
      [SUM]: textOf(GO, SUM).replace(/\nfunc TestBig[\s\S]*/, ''),
      'big_test.go':
        'package sum\n\nimport "testing"\n\nfunc TestBig(t *testing.T) {\n\tif Sum(1<<40, 1) != 1<<40+1 {\n\t\tt.Fatal("big")\n\t}\n}\n',
    }),
  ],
  [
    'test added',
    edited(RUST, [
      LIB,
      '    #[test]\n    fn adds',
      '    #[test]\n    fn adds_nothing() {\n        assert_eq!(add(1, 0), 1);\n    }\n\n    #[test]\n    fn adds',
    ]),
  ],
  [
    'dependency',
    edited(RUST, ['Cargo.toml', '[lints.clippy]', '[dependencies]\nserde = "1"\n\n[lints.clippy]']),
  ],
  [
    'tests moved to file',
    edited(RUST, {
      [LIB]: textOf(RUST, LIB).replace(/#\[cfg\(test\)\][\s\S]*/, '#[cfg(test)]\nmod tests;\n'),
      'src/tests.rs':
        'use super::*;\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n\n#[test]\n#[should_panic(expected = "overflow")]\nfn overflows() {\n    add(i32::MAX, 1);\n}\n',
    }),
  ],
  [
    'test added',
    edited(JAVA, [
      CALC,
      '  @Test\n  void refuses',
      '  @Test\n  void subtracts() {\n    assertEquals(1, Calc.sub(3, 2));\n  }\n\n  @Test\n  void refuses',
    ]),
  ],
  [
    'dependency in pom',
    edited(JAVA, [
      'pom.xml',
      '<build>',
      '<dependencies><dependency><artifactId>gson</artifactId></dependency></dependencies>\n  <build>',
    ]),
  ],
  [
    'display name',
    edited(JAVA, [CALC, '  @Test\n  void adds', '  @Test\n  @DisplayName("adds two numbers")\n  void adds']),
  ],
  [
    'CI node version',
    edited(SCRIPTED, [
      '.github/workflows/ci.yml',
      '      - run: npm ci',
      '      - uses: actions/setup-node@v4\n        with: { node-version: 24 }\n      - run: npm ci',
    ]),
  ],
  [
    'CI step added',
    edited(SCRIPTED, [
      '.github/workflows/ci.yml',
      '      - run: npm run lint\n',
      '      - run: npm run lint\n      - run: npm audit || true\n',
    ]),
  ],
  [
    'wrapper says what it does',
    edited(SCRIPTED, ['scripts/test.sh', '#!/bin/sh\n', '#!/bin/sh\n# Runs all tests.\n']),
  ],
  [
    'other assert style',
    edited(
      SCRIPTED,
      [TWICE, "const assert = require('node:assert')", "const { strictEqual } = require('node:assert')"],
      [TWICE, /assert\.strictEqual/, 'strictEqual'],
      [TWICE, 'assert.strictEqual', 'strictEqual'],
    ),
  ],
  [
    'test of two files',
    edited(SCRIPTED, {
      'src/b.js': 'exports.half = n => n / 2\n',
      'test/b.test.js':
        "const test = require('node:test')\nconst assert = require('node:assert')\ntest('half', () => assert.strictEqual(require('../src/b').half(4), 2))\n",
    }),
  ],
  [
    'word process.exit in source',
    edited(SCRIPTED, [
      'src/a.js',
      /$/,
      'exports.main = () => { if (process.argv.length < 3) process.exit(1) }\n',
    ]),
  ],
  [
    'new script in scripts',
    edited(SCRIPTED, { 'scripts/release.sh': '#!/bin/sh\nset -e\nnpm publish || true\n' }),
  ],
  [
    'test renamed and its function',
    edited(
      VITEST,
      [CART, "'parses an item'", "'reads an item'"],
      [CART, "expect(parse('3x4'))", "expect(readItem('3x4'))"],
    ),
  ],
  [
    'test renamed and rewritten',
    edited(VITEST, [
      CART,
      /it\('parses an item'[\s\S]*?\n {2}\}\)\n/,
      "it('parses price and count', () => {\n    const item = parse('7x2')\n    expect(item.price).toBe(7)\n    expect(item.count).toBe(2)\n  })\n",
    ]),
  ],
  [
    'assertion moved to a new test',
    edited(
      VITEST,
      [CART, '    expect(total([])).toBe(0)\n', ''],
      [
        CART,
        "  it('adds tax'",
        "  it('is zero', () => {\n    expect(total([])).toBe(0)\n  })\n  it('adds tax'",
      ],
    ),
  ],
  [
    'assertion moved with a new one',
    edited(
      VITEST,
      [CART, '    expect(total([])).toBe(0)\n', ''],
      [
        CART,
        "  it('adds tax'",
        "  it('is zero', () => {\n    expect(total([])).toBe(0)\n    expect(withTax(0)).toBe(0)\n  })\n  it('adds tax'",
      ],
    ),
  ],
  [
    'helper with assertions',
    edited(
      VITEST,
      [
        CART,
        "describe('cart'",
        "function check(text: string, wanted: object) {\n  expect(parse(text)).toEqual(wanted)\n}\n\ndescribe('cart'",
      ],
      [CART, "expect(parse('3x4')).toEqual({ price: 3, count: 4 })", "check('3x4', { price: 3, count: 4 })"],
      MORE,
    ),
  ],
  ['more of the same', edited(VITEST, MORE)],
  [
    'two equal into one object',
    edited(VITEST, [
      CART,
      '    expect(total([{ price: 2, count: 3 }])).toBe(6)\n    expect(total([])).toBe(0)\n',
      '    expect([total([{ price: 2, count: 3 }]), total([])]).toEqual([6, 0])\n    expect(total([{ price: 1, count: 1 }])).toBe(1)\n',
    ]),
  ],
  ['python: test renamed', edited(PYTEST, [AREA, 'def test_circle', 'def test_area_of_a_circle'])],
  [
    'python: test moved into a class',
    edited(
      PYTEST,
      [AREA, /def test_circle\(\):\n {4}assert circle\(1\)(.*)\n\n\n/, ''],
      [
        AREA,
        /$/,
        '\n    def test_circle(self):\n        assert circle(1) == pytest.approx(3.14159, rel=1e-5)\n',
      ],
    ),
  ],
  [
    'python: split',
    edited(PYTEST, [
      AREA,
      '        assert square(0) == 0\n',
      '\n    def test_square_zero(self):\n        assert square(0) == 0\n',
    ]),
  ],
  [
    'python: function renamed with its test',
    edited(PYTEST, [AREA, /[\s\S]*/, textOf(PYTEST, AREA).replaceAll('circle', 'disc')]),
  ],
  ['go: test renamed', edited(GO, [SUM, 'TestBig', 'TestLarge'])],
  [
    'go: if to table',
    edited(GO, [
      SUM,
      /func TestBig[\s\S]*/,
      'func TestBig(t *testing.T) {\n\tfor _, c := range []struct{ a, want int }{{1 << 40, 1<<40 + 1}} {\n\t\tif Sum(c.a, 1) != c.want {\n\t\t\tt.Fatal("big")\n\t\t}\n\t}\n}\n',
    ]),
  ],
  ['java: test renamed', edited(JAVA, [CALC, 'void adds', 'void addsTwoNumbers'])],
  [
    'java: message added',
    edited(JAVA, [CALC, 'assertEquals(3, Calc.add(1, 2))', 'assertEquals(3, Calc.add(1, 2), "the sum")']),
  ],
  ['rust: test renamed', edited(RUST, [LIB, 'fn adds', 'fn adds_two'])],
]

/** Honest ones that are refused all the same: what a conftest.py imports and defines can make any test pass. */
export const REFUSED: readonly [string, Change][] = [
  [
    'conftest with fixture',
    edited(
      PYTEST,
      { 'tests/conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef unit():\n    return 1\n' },
      [AREA, 'def test_circle():\n    assert circle(1)', 'def test_circle(unit):\n    assert circle(unit)'],
    ),
  ],
]
