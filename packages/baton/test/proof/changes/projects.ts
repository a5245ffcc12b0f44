/** The files of small projects with tests, linters and type checkers in several languages. */
export type Files = Readonly<Record<string, string>>

export const CART = 'test/cart.test.ts'
export const USER = 'lib/__tests__/user.test.js'
export const AREA = 'tests/test_area.py'
export const SUM = 'sum_test.go'
export const LIB = 'src/lib.rs'
export const CALC = 'src/test/java/CalcTest.java'
export const TWICE = 'test/a.test.js'

export const VITEST: Files = {
  'package.json':
    JSON.stringify(
      { name: 'shop', scripts: { test: 'vitest run', lint: 'eslint .', typecheck: 'tsc --noEmit' } },
      null,
      2,
    ) + '\n',
  'tsconfig.json':
    '{\n  "compilerOptions": {\n    "strict": true,\n    "noUncheckedIndexedAccess": true,\n    "target": "es2022"\n  },\n  "include": ["src", "test"]\n}\n',
  'vitest.config.ts':
    "import { defineConfig } from 'vitest/config'\nexport default defineConfig({\n  test: {\n    include: ['test/**/*.test.ts'],\n    testTimeout: 5000,\n  },\n})\n",
  'eslint.config.js':
    "import js from '@eslint/js'\nexport default [\n  js.configs.recommended,\n  { rules: { 'no-unused-vars': 'error', eqeqeq: 'error' } },\n]\n",
  'src/cart.ts':
    "import { rate } from './tax'\nexport interface Item { price: number; count: number }\nexport function total(items: Item[]): number {\n  return items.reduce((sum, i) => sum + i.price * i.count, 0)\n}\nexport function withTax(n: number): number {\n  return n * (1 + rate())\n}\nexport function parse(text: string): Item {\n  const [price, count] = text.split('x').map(Number)\n  if (Number.isNaN(price) || Number.isNaN(count)) throw new Error('bad item')\n  return { price: price!, count: count! }\n}\n",
  'src/tax.ts': 'export const rate = (): number => 0.2\n',
  'test/cart.test.ts': `import { describe, expect, it } from 'vitest'
import { parse, total, withTax } from '../src/cart'

describe('cart', () => {
  it('adds up', () => {
    expect(total([{ price: 2, count: 3 }])).toBe(6)
    expect(total([])).toBe(0)
  })
  it('adds tax', () => {
    expect(withTax(100)).toBeCloseTo(120, 5)
  })
  it('parses an item', () => {
    expect(parse('3x4')).toEqual({ price: 3, count: 4 })
  })
  it('refuses a bad item', () => {
    expect(() => parse('ax4')).toThrow('bad item')
  })
  it.each([
    [1, 1, 1],
    [2, 3, 6],
    [5, 5, 25],
  ])('%i times %i', (price, count, sum) => {
    expect(total([{ price, count }])).toBe(sum)
  })
})
`,
  'test/__snapshots__/view.test.ts.snap':
    '// Vitest Snapshot v1\n\nexports[`view 1`] = `<b>6</b>`;\n\nexports[`view 2`] = `<b>0</b>`;\n',
  'test/view.test.ts':
    "import { expect, it } from 'vitest'\nimport { total } from '../src/cart'\nit('view', () => {\n  expect(`<b>${total([{ price: 2, count: 3 }])}</b>`).toMatchSnapshot()\n  expect(`<b>${total([])}</b>`).toMatchSnapshot()\n})\n",
}
export const JEST: Files = {
  'package.json':
    JSON.stringify(
      {
        name: 'api',
        scripts: { test: 'jest', lint: 'biome check .' },
        jest: { testEnvironment: 'node', coverageThreshold: { global: { lines: 80 } } },
      },
      null,
      2,
    ) + '\n',
  'biome.json':
    '{\n  "linter": { "rules": { "recommended": true, "suspicious": { "noExplicitAny": "error" } } },\n  "files": { "ignore": ["dist"] }\n}\n',
  'lib/user.js':
    "const db = require('./db')\nexports.find = async id => {\n  const row = await db.get(id)\n  if (!row) throw new Error('not found')\n  return { id: row.id, name: row.name.trim() }\n}\nexports.slug = name => name.toLowerCase().replaceAll(' ', '-')\n",
  'lib/db.js': 'exports.get = async id => ({ id, name: " Ann " })\n',
  'lib/__tests__/user.test.js': `const { find, slug } = require('../user')

describe('user', () => {
  beforeEach(() => {})
  test('finds a user', async () => {
    const user = await find(1)
    expect(user).toEqual({ id: 1, name: 'Ann' })
  })
  test('makes a slug', () => {
    expect(slug('Ann Lee')).toBe('ann-lee')
  })
  test('slug of two spaces', () => {
    expect(slug('a  b')).toBe('a--b')
  })
})
`,
}
export const PYTEST: Files = {
  'pyproject.toml':
    '[project]\nname = "geo"\n\n[tool.pytest.ini_options]\naddopts = "--strict-markers -W error"\ntestpaths = ["tests"]\n\n[tool.mypy]\nstrict = true\n\n[tool.ruff.lint]\nselect = ["E", "F", "B"]\n',
  Makefile: 'test:\n\tpython3 -m pytest -q\n\nlint:\n\truff check .\n\ntypes:\n\tmypy geo\n',
  'geo/__init__.py': '',
  'geo/area.py':
    'import math\n\n\ndef circle(r: float) -> float:\n    if r < 0:\n        raise ValueError("negative")\n    return math.pi * r * r\n\n\ndef square(a: float) -> float:\n    return a * a\n',
  'tests/test_area.py': `import pytest

from geo.area import circle, square


@pytest.mark.parametrize("a,expected", [(1, 1), (2, 4), (3, 9), (10, 100)])
def test_square(a, expected):
    assert square(a) == expected


def test_circle():
    assert circle(1) == pytest.approx(3.14159, rel=1e-5)


def test_negative():
    with pytest.raises(ValueError, match="negative"):
        circle(-1)


class TestZero:
    def test_zero(self):
        assert circle(0) == 0
        assert square(0) == 0
`,
}
export const GO: Files = {
  'go.mod': 'module example.com/sum\n\ngo 1.22\n',
  Makefile: 'test:\n\tgo test -race ./...\n\nlint:\n\tgolangci-lint run\n',
  '.golangci.yml':
    'linters:\n  enable:\n    - errcheck\n    - govet\n    - staticcheck\nissues:\n  max-issues-per-linter: 0\n',
  'sum.go': 'package sum\n\nfunc Sum(a, b int) int { return a + b }\n',
  'sum_test.go':
    'package sum\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tcases := []struct{ a, b, want int }{\n\t\t{1, 2, 3},\n\t\t{0, 0, 0},\n\t\t{-1, 1, 0},\n\t}\n\tfor _, c := range cases {\n\t\tif got := Sum(c.a, c.b); got != c.want {\n\t\t\tt.Errorf("got %d", got)\n\t\t}\n\t}\n}\n\nfunc TestBig(t *testing.T) {\n\tif Sum(1<<40, 1) != 1<<40+1 {\n\t\tt.Fatal("big")\n\t}\n}\n',
}
export const RUST: Files = {
  'Cargo.toml': '[package]\nname = "calc"\nversion = "0.1.0"\n\n[lints.clippy]\nunwrap_used = "deny"\n',
  'src/lib.rs':
    'pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n\n    #[test]\n    #[should_panic(expected = "overflow")]\n    fn overflows() {\n        add(i32::MAX, 1);\n    }\n}\n',
}
export const JAVA: Files = {
  'pom.xml':
    '<project>\n  <modelVersion>4.0.0</modelVersion>\n  <artifactId>calc</artifactId>\n  <build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin></plugins></build>\n</project>\n',
  'src/test/java/CalcTest.java':
    'import static org.junit.jupiter.api.Assertions.*;\nimport org.junit.jupiter.api.Test;\n\nclass CalcTest {\n  @Test\n  void adds() {\n    assertEquals(3, Calc.add(1, 2));\n  }\n\n  @Test\n  void refuses() {\n    assertThrows(IllegalArgumentException.class, () -> Calc.div(1, 0));\n  }\n}\n',
  'src/main/java/Calc.java':
    'class Calc {\n  static int add(int a, int b) { return a + b; }\n  static int div(int a, int b) { if (b == 0) throw new IllegalArgumentException(); return a / b; }\n}\n',
}
export const SCRIPTED: Files = {
  'package.json':
    JSON.stringify({ name: 'tool', scripts: { test: 'sh scripts/test.sh', lint: 'node scripts/lint.js' } }) +
    '\n',
  'scripts/test.sh': '#!/bin/sh\nset -eu\nnode --test test/\n',
  'scripts/lint.js':
    "const { spawnSync } = require('node:child_process')\nprocess.exit(spawnSync('eslint', ['src'], { stdio: 'inherit' }).status)\n",
  'src/a.js': 'exports.twice = n => n * 2\n',
  'test/a.test.js':
    "const test = require('node:test')\nconst assert = require('node:assert')\nconst { twice } = require('../src/a')\ntest('twice', () => {\n  assert.strictEqual(twice(2), 4)\n  assert.strictEqual(twice(0), 0)\n})\n",
  '.github/workflows/ci.yml':
    'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm ci\n      - run: npm test\n      - run: npm run lint\n',
}
