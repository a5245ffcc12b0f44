import { type Change, edited, startingWith, textOf } from './edit.ts'
import { AREA, CART, JEST, PYTEST, USER, VITEST } from './projects.ts'

/** Changes after which the tests, linters and type checkers of JavaScript and TypeScript find at least as much. */
export const HONEST_JAVASCRIPT: readonly [string, Change][] = [
  [
    'new function and test',
    edited(
      VITEST,
      ['src/cart.ts', /$/, 'export const count = (items: Item[]): number => items.length\n'],
      [
        CART,
        "  it('adds tax'",
        "  it('counts', () => {\n    expect(count([])).toBe(0)\n  })\n  it('adds tax'",
      ],
      [CART, '{ parse', '{ count, parse'],
    ),
  ],
  ['test renamed', edited(VITEST, [CART, "'adds up'", "'adds up the prices of all items'"])],
  [
    'test file moved',
    edited(VITEST, {
      [CART]: undefined,
      'test/shop/cart.test.ts': textOf(VITEST, CART).replace('../src', '../../src'),
    }),
  ],
  [
    'test file split',
    edited(VITEST, {
      [CART]: textOf(VITEST, CART)
        .replace(/ {2}it\('parses an item'[\s\S]*?(?= {2}it\.each)/, '')
        .replace('parse, ', ''),
      'test/parse.test.ts':
        "import { describe, expect, it } from 'vitest'\nimport { parse } from '../src/cart'\n\ndescribe('parse', () => {\n  it('parses an item', () => {\n    expect(parse('3x4')).toEqual({ price: 3, count: 4 })\n  })\n  it('refuses a bad item', () => {\n    expect(() => parse('ax4')).toThrow('bad item')\n  })\n})\n",
    }),
  ],
  [
    'two files joined',
    edited(VITEST, {
      'test/view.test.ts': undefined,
      'test/__snapshots__/view.test.ts.snap': undefined,
      'test/__snapshots__/cart.test.ts.snap': VITEST['test/__snapshots__/view.test.ts.snap'],
      [CART]:
        VITEST[CART] +
        "it('view', () => {\n  expect(`<b>${total([{ price: 2, count: 3 }])}</b>`).toMatchSnapshot()\n  expect(`<b>${total([])}</b>`).toMatchSnapshot()\n})\n",
    }),
  ],
  [
    'stricter: toThrow with class',
    edited(VITEST, [CART, "toThrow('bad item')", "toThrow(new Error('bad item'))"]),
  ],
  ['row added', edited(VITEST, [CART, '    [5, 5, 25],\n', '    [5, 5, 25],\n    [7, 1, 7],\n'])],
  [
    'rows reformatted on one line',
    edited(VITEST, [
      CART,
      '    [1, 1, 1],\n    [2, 3, 6],\n    [5, 5, 25],\n',
      '    [1, 1, 1], [2, 3, 6], [5, 5, 25],\n',
    ]),
  ],
  [
    'test body reformatted',
    edited(VITEST, [
      CART,
      "  it('adds tax', () => {\n    expect(withTax(100)).toBeCloseTo(120, 5)\n  })",
      "  it('adds tax', () => {\n    const sum = withTax(100)\n\n    expect(sum).toBeCloseTo(120, 5)\n  })",
    ]),
  ],
  [
    'expected value in a constant',
    edited(VITEST, [
      CART,
      'expect(total([{ price: 2, count: 3 }])).toBe(6)',
      'const expected = 6\n    expect(total([{ price: 2, count: 3 }])).toBe(expected)',
    ]),
  ],
  [
    'test split into two',
    edited(VITEST, [
      CART,
      '    expect(total([])).toBe(0)\n  })',
      "  })\n  it('is 0 without items', () => {\n    expect(total([])).toBe(0)\n  })",
    ]),
  ],
  ['strictEqual', edited(VITEST, [CART, 'toEqual({ price: 3', 'toStrictEqual({ price: 3'])],
  [
    'changed expected value',
    edited(VITEST, ['src/tax.ts', '0.2', '0.25'], [CART, 'toBeCloseTo(120, 5)', 'toBeCloseTo(125, 5)']),
  ],
  [
    'describe wraps',
    edited(
      VITEST,
      [CART, "describe('cart', () => {", "describe('shop', () => {\n describe('cart', () => {"],
      [CART, /\}\)\n$/, ' })\n})\n'],
    ),
  ],
  [
    'async test with try finally',
    edited(VITEST, [
      CART,
      "  it('adds tax'",
      "  it('cleans up', () => {\n    try {\n      expect(total([])).toBe(0)\n    } finally {\n      globalThis.gc?.()\n    }\n  })\n  it('adds tax'",
    ]),
  ],
  [
    'catch to assert the error',
    edited(VITEST, [
      CART,
      "    expect(() => parse('ax4')).toThrow('bad item')\n",
      "    expect(() => parse('ax4')).toThrow('bad item')\n    let message = ''\n    try {\n      parse('4xa')\n    } catch (error) {\n      message = (error as Error).message\n    }\n    expect(message).toBe('bad item')\n",
    ]),
  ],
  [
    'strict option added',
    edited(VITEST, ['tsconfig.json', '"strict": true', '"strict": true,\n    "noUnusedLocals": true']),
  ],
  ['tsconfig target', edited(VITEST, ['tsconfig.json', 'es2022', 'es2023'])],
  [
    'tsconfig include more',
    edited(VITEST, ['tsconfig.json', '["src", "test"]', '["src", "test", "scripts"]']),
  ],
  [
    'eslint rule added',
    edited(VITEST, ['eslint.config.js', "eqeqeq: 'error'", "eqeqeq: 'error', 'no-console': 'error'"]),
  ],
  [
    'eslint rule to error reformatted',
    edited(VITEST, [
      'eslint.config.js',
      "{ rules: { 'no-unused-vars': 'error', eqeqeq: 'error' } }",
      "{\n    rules: {\n      'no-unused-vars': 'error',\n      eqeqeq: 'error',\n    },\n  }",
    ]),
  ],
  [
    'eslint-disable-next-line with reason',
    edited(VITEST, [
      'src/cart.ts',
      'export function withTax',
      '// eslint-disable-next-line no-console -- shown on purpose\nconsole.log(1)\nexport function withTax',
    ]),
  ],
  [
    'ts-expect-error in a new test',
    edited(VITEST, [
      CART,
      "  it('adds tax'",
      "  it('refuses text', () => {\n    // @ts-expect-error a text is not a list\n    expect(() => total('x')).toThrow(TypeError)\n  })\n  it('adds tax'",
    ]),
  ],
  [
    'vitest reporter',
    edited(VITEST, [
      'vitest.config.ts',
      'testTimeout: 5000,',
      "testTimeout: 5000,\n    reporters: ['default'],",
    ]),
  ],
  [
    'dependency added',
    edited(VITEST, ['package.json', '"scripts"', '"dependencies": { "zod": "^3.0.0" },\n  "scripts"']),
  ],
  [
    'build script added',
    edited(VITEST, ['package.json', '"lint"', '"build": "tsc -p tsconfig.build.json",\n    "lint"'], {
      'tsconfig.build.json': '{ "extends": "./tsconfig.json", "exclude": ["test"] }\n',
    }),
  ],
  [
    'new snapshot',
    edited(
      VITEST,
      ['test/__snapshots__/view.test.ts.snap', /$/, '\nexports[`view 3`] = `<i>1</i>`;\n'],
      ['test/view.test.ts', /\}\)\n$/, "  expect('<i>1</i>').toMatchSnapshot()\n})\n"],
    ),
  ],
  [
    'source moved, import changed',
    edited(
      VITEST,
      {
        'src/cart.ts': undefined,
        'src/shop/cart.ts': textOf(VITEST, 'src/cart.ts').replace('./tax', '../tax'),
      },
      [CART, '../src/cart', '../src/shop/cart'],
      ['test/view.test.ts', '../src/cart', '../src/shop/cart'],
    ),
  ],
  [
    'function renamed',
    edited(
      VITEST,
      ['src/cart.ts', 'function total', 'function sumOf'],
      { [CART]: textOf(VITEST, CART).replaceAll('total', 'sumOf') },
      { 'test/view.test.ts': textOf(VITEST, 'test/view.test.ts').replaceAll('total', 'sumOf') },
    ),
  ],
  [
    'tests to each',
    edited(VITEST, [
      CART,
      "  it('adds up', () => {\n    expect(total([{ price: 2, count: 3 }])).toBe(6)\n    expect(total([])).toBe(0)\n  })",
      "  it.each([\n    [[{ price: 2, count: 3 }], 6],\n    [[], 0],\n  ])('adds up %j', (items, sum) => {\n    expect(total(items)).toBe(sum)\n  })",
    ]),
  ],
  [
    'eslint ignore of generated folder',
    edited(
      VITEST,
      [
        'eslint.config.js',
        'export default [',
        "export default [\n  { ignores: ['dist/**', 'src/generated/**'] },",
      ],
      { 'src/generated/api.ts': 'export {}\n' },
    ),
  ],
  [
    'mock of network',
    edited(JEST, [USER, 'const { find', "jest.mock('node-fetch', () => jest.fn())\nconst { find"]),
  ],
  [
    'new test with expect.any for a new field',
    edited(
      JEST,
      ['lib/user.js', 'name: row.name.trim()', 'name: row.name.trim(), at: new Date()'],
      [USER, "toEqual({ id: 1, name: 'Ann' })", "toEqual({ id: 1, name: 'Ann', at: expect.any(Date) })"],
    ),
  ],
  [
    'more assertions',
    edited(JEST, [USER, "toBe('ann-lee')", "toBe('ann-lee')\n    expect(slug('')).toBe('')"]),
  ],
  [
    'helper extracted in same file',
    edited(
      JEST,
      [
        USER,
        "describe('user'",
        "const expectSlug = (name, wanted) => expect(slug(name)).toBe(wanted)\n\ndescribe('user'",
      ],
      [USER, "expect(slug('Ann Lee')).toBe('ann-lee')", "expectSlug('Ann Lee', 'ann-lee')"],
    ),
  ],
  [
    'to resolves',
    edited(JEST, [
      USER,
      "    const user = await find(1)\n    expect(user).toEqual({ id: 1, name: 'Ann' })",
      "    await expect(find(1)).resolves.toEqual({ id: 1, name: 'Ann' })",
    ]),
  ],
  ['coverage threshold raised', edited(JEST, ['package.json', '"lines": 80', '"lines": 90'])],
  [
    'biome rule added',
    edited(JEST, [
      'biome.json',
      '"noExplicitAny": "error"',
      '"noExplicitAny": "error", "noDebugger": "error"',
    ]),
  ],
  [
    'comment added on top',
    edited(JEST, startingWith(JEST, USER, '// Tests of users. Nothing is skipped here.')),
  ],
  ['fixture added', edited(JEST, { 'lib/__tests__/fixtures/user.json': '{ "id": 1 }\n' })],
  [
    'rejects test added',
    edited(JEST, [
      USER,
      "  test('makes a slug'",
      "  test('misses', async () => {\n    await expect(find(undefined)).rejects.toThrow()\n  })\n  test('makes a slug'",
    ]),
  ],
  [
    'converted to ESM',
    edited(JEST, [
      USER,
      "const { find, slug } = require('../user')",
      "import { find, slug } from '../user.js'",
    ]),
  ],
  [
    'new function and test',
    edited(
      PYTEST,
      ['geo/area.py', /$/, '\n\ndef cube(a: float) -> float:\n    return a**3\n'],
      [AREA, 'circle, square', 'circle, cube, square'],
      [AREA, 'def test_negative', 'def test_cube():\n    assert cube(2) == 8\n\n\ndef test_negative'],
    ),
  ],
]
