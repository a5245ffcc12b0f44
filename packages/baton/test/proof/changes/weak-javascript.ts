import { type Change, edited, MORE, startingWith } from './edit.ts'
import { CART, JEST, SCRIPTED, TWICE, USER, VITEST } from './projects.ts'

/** Changes with which the tests, linters or type checkers of JavaScript and TypeScript find less. */
export const WEAK_JAVASCRIPT: readonly [string, Change][] = [
  ['ts-nocheck in source', edited(VITEST, startingWith(VITEST, 'src/cart.ts', '// @ts-nocheck'))],
  ['ts-nocheck in test', edited(VITEST, startingWith(VITEST, CART, '// @ts-nocheck'))],
  [
    'eslint-disable block over file',
    edited(VITEST, startingWith(VITEST, 'src/cart.ts', '/* eslint-disable */')),
  ],
  [
    'eslint-disable two rules over file',
    edited(VITEST, startingWith(VITEST, 'src/cart.ts', '/* eslint-disable no-unused-vars, eqeqeq */')),
  ],
  ['biome-ignore-all', edited(JEST, startingWith(JEST, 'lib/user.js', '// biome-ignore-all lint: later'))],
  ['istanbul ignore file', edited(JEST, startingWith(JEST, 'lib/user.js', '/* istanbul ignore file */'))],
  ['tsconfig strict false', edited(VITEST, ['tsconfig.json', '"strict": true', '"strict": false'])],
  [
    'tsconfig strict option removed',
    edited(VITEST, ['tsconfig.json', '    "noUncheckedIndexedAccess": true,\n', '']),
  ],
  [
    'tsconfig excludes folder',
    edited(VITEST, ['tsconfig.json', '"include": ["src", "test"]', '"include": ["src"]']),
  ],
  [
    'tsconfig exclude added',
    edited(VITEST, [
      'tsconfig.json',
      '"include": ["src", "test"]',
      '"include": ["src", "test"],\n  "exclude": ["src/cart.ts"]',
    ]),
  ],
  [
    'tsconfig skipLibCheck',
    edited(VITEST, ['tsconfig.json', '"strict": true', '"strict": true,\n    "noImplicitAny": false']),
  ],
  [
    'eslint rule off',
    edited(VITEST, ['eslint.config.js', "'no-unused-vars': 'error'", "'no-unused-vars': 'off'"]),
  ],
  ['eslint rule to warn', edited(VITEST, ['eslint.config.js', "eqeqeq: 'error'", "eqeqeq: 'warn'"])],
  [
    'eslint ignores',
    edited(VITEST, ['eslint.config.js', 'export default [', "export default [\n  { ignores: ['src/**'] },"]),
  ],
  ['eslintignore file', edited(VITEST, { '.eslintignore': 'src/\n' })],
  [
    'vitest exclude',
    edited(VITEST, [
      'vitest.config.ts',
      'testTimeout: 5000,',
      "testTimeout: 5000,\n    exclude: ['test/cart.test.ts'],",
    ]),
  ],
  ['vitest include narrowed', edited(VITEST, ['vitest.config.ts', 'test/**/*.test.ts', 'test/view.test.ts'])],
  [
    'vitest passWithNoTests',
    edited(VITEST, [
      'vitest.config.ts',
      'testTimeout: 5000,',
      'testTimeout: 5000,\n    passWithNoTests: true,',
    ]),
  ],
  [
    'vitest retry',
    edited(VITEST, ['vitest.config.ts', 'testTimeout: 5000,', 'testTimeout: 5000,\n    retry: 3,']),
  ],
  [
    'vitest dangerouslyIgnoreUnhandledErrors',
    edited(VITEST, [
      'vitest.config.ts',
      'testTimeout: 5000,',
      'testTimeout: 5000,\n    dangerouslyIgnoreUnhandledErrors: true,',
    ]),
  ],
  [
    'vitest testNamePattern',
    edited(VITEST, [
      'vitest.config.ts',
      'testTimeout: 5000,',
      "testTimeout: 5000,\n    testNamePattern: 'adds up',",
    ]),
  ],
  [
    'jest testPathIgnorePatterns',
    edited(JEST, [
      'package.json',
      '"testEnvironment": "node"',
      '"testEnvironment": "node", "testPathIgnorePatterns": ["user"]',
    ]),
  ],
  [
    'jest config file added',
    edited(JEST, {
      'jest.config.js': "module.exports = { testMatch: ['**/none.test.js'], passWithNoTests: true }\n",
    }),
  ],
  ['biome rule off', edited(JEST, ['biome.json', '"noExplicitAny": "error"', '"noExplicitAny": "off"'])],
  ['biome ignores lib', edited(JEST, ['biome.json', '"ignore": ["dist"]', '"ignore": ["dist", "lib"]'])],
  [
    'jest moduleNameMapper to a fake',
    edited(
      JEST,
      [
        'package.json',
        '"testEnvironment": "node"',
        '"testEnvironment": "node", "moduleNameMapper": { "../user": "<rootDir>/lib/fake.js" }',
      ],
      {
        'lib/fake.js':
          'exports.find = async () => ({ id: 1, name: "Ann" }); exports.slug = () => "ann-lee"\n',
      },
    ),
  ],
  [
    'wrapper ignores exit',
    edited(SCRIPTED, ['scripts/test.sh', 'node --test test/', 'node --test test/ || echo failed']),
  ],
  [
    'wrapper set -e removed and later command',
    edited(SCRIPTED, ['scripts/test.sh', 'set -eu\nnode --test test/', 'node --test test/\necho done']),
  ],
  ['wrapper replaced', edited(SCRIPTED, ['scripts/test.sh', 'node --test test/', 'echo "ok 2 tests"'])],
  [
    'lint wrapper exits 0',
    edited(SCRIPTED, [
      'scripts/lint.js',
      /process\.exit\((.*)\)\n/,
      "spawnSync('eslint', ['src'], { stdio: 'inherit' })\n",
    ]),
  ],
  [
    'wrapper runs with name pattern',
    edited(SCRIPTED, ['scripts/test.sh', 'node --test test/', 'node --test --test-name-pattern=none test/']),
  ],
  [
    'test renamed so not collected',
    edited(VITEST, { [CART]: undefined, 'test/cart.tests.ts': VITEST[CART] }),
  ],
  ['test file .bak', edited(SCRIPTED, { [TWICE]: undefined, 'test/a.test.js.bak': SCRIPTED[TWICE] })],
  ['body emptied', edited(VITEST, [CART, '    expect(withTax(100)).toBeCloseTo(120, 5)\n', ''])],
  [
    'early return',
    edited(VITEST, [CART, '    expect(withTax(100))', '    return\n    expect(withTax(100))']),
  ],
  [
    'if false',
    edited(VITEST, [
      CART,
      '    expect(withTax(100)).toBeCloseTo(120, 5)\n',
      '    if (false) {\n      expect(withTax(100)).toBeCloseTo(120, 5)\n    }\n',
    ]),
  ],
  [
    'if process.env',
    edited(VITEST, [
      CART,
      '    expect(withTax(100)).toBeCloseTo(120, 5)\n',
      '    if (process.env.FULL) expect(withTax(100)).toBeCloseTo(120, 5)\n',
    ]),
  ],
  [
    'assertion on constant',
    edited(VITEST, [CART, 'expect(withTax(100)).toBeCloseTo(120, 5)', 'expect(120).toBeCloseTo(120, 5)']),
  ],
  [
    'expected computed by code under test',
    edited(VITEST, [
      CART,
      'expect(withTax(100)).toBeCloseTo(120, 5)',
      'expect(withTax(100)).toBeCloseTo(withTax(100), 5)',
    ]),
  ],
  [
    'expected copied into a variable first',
    edited(VITEST, [
      CART,
      '    expect(withTax(100)).toBeCloseTo(120, 5)',
      '    const want = withTax(100)\n    expect(withTax(100)).toBe(want)',
    ]),
  ],
  [
    'expect.any',
    edited(JEST, [
      USER,
      "toEqual({ id: 1, name: 'Ann' })",
      'toEqual({ id: expect.any(Number), name: expect.any(String) })',
    ]),
  ],
  ['expect.anything', edited(JEST, [USER, "toEqual({ id: 1, name: 'Ann' })", 'toEqual(expect.anything())'])],
  [
    'toMatchObject instead of toEqual',
    edited(JEST, [USER, "toEqual({ id: 1, name: 'Ann' })", 'toMatchObject({ id: 1 })']),
  ],
  ['toBeDefined', edited(JEST, [USER, "toEqual({ id: 1, name: 'Ann' })", 'toBeDefined()'])],
  ['not.toBe', edited(JEST, [USER, "toBe('ann-lee')", "not.toBe('x')"])],
  [
    'toContain instead of toBe',
    edited(JEST, [
      USER,
      "expect(slug('Ann Lee')).toBe('ann-lee')",
      "expect(slug('Ann Lee')).toContain('ann')",
    ]),
  ],
  [
    'try catch swallows',
    edited(JEST, [
      USER,
      "    expect(slug('Ann Lee')).toBe('ann-lee')\n",
      "    try {\n      expect(slug('Ann Lee')).toBe('ann-lee')\n    } catch {}\n",
    ]),
  ],
  [
    'promise without await',
    edited(JEST, [
      USER,
      "    const user = await find(1)\n    expect(user).toEqual({ id: 1, name: 'Ann' })\n",
      "    find(1).then(user => {\n      expect(user).toEqual({ id: 1, name: 'Ann' })\n    }).catch(() => {})\n",
    ]),
  ],
  [
    'mock of own db',
    edited(JEST, [
      USER,
      'const { find',
      "jest.mock('../user', () => ({ find: async () => ({ id: 1, name: 'Ann' }), slug: () => 'ann-lee' }))\nconst { find",
    ]),
  ],
  [
    'spyOn code under test',
    edited(JEST, [
      USER,
      "const { find, slug } = require('../user')",
      "const user_ = require('../user')\njest.spyOn(user_, 'slug').mockReturnValue('ann-lee')\nconst { find, slug } = user_",
    ]),
  ],
  [
    'beforeEach replaced fn',
    edited(JEST, [
      USER,
      '  beforeEach(() => {})',
      "  beforeEach(() => { require('../user').slug = () => 'ann-lee' })",
    ]),
  ],
  ['test.failing', edited(JEST, [USER, "test('makes a slug'", "test.failing('makes a slug'"])],
  ['xtest', edited(JEST, [USER, "test('makes a slug'", "xtest('makes a slug'"])],
  [
    'commented out',
    edited(JEST, [
      USER,
      "    expect(slug('Ann Lee')).toBe('ann-lee')",
      "    // expect(slug('Ann Lee')).toBe('ann-lee')",
    ]),
  ],
  ['toThrow without message', edited(VITEST, [CART, "toThrow('bad item')", 'toThrow()'])],
  ['each rows removed', edited(VITEST, [CART, '    [2, 3, 6],\n    [5, 5, 25],\n', ''])],
  ['skipIf', edited(VITEST, [CART, "it('adds tax'", "it.skipIf(true)('adds tax'"])],
  ['it.fails', edited(VITEST, [CART, "it('adds tax'", "it.fails('adds tax'"])],
  ['snapshot rewritten', edited(VITEST, ['test/__snapshots__/view.test.ts.snap', '<b>6</b>', '<b>7</b>'])],
  ['describe.skip', edited(VITEST, [CART, "describe('cart'", "describe.skip('cart'"])],
  [
    'retry option on test',
    edited(VITEST, [CART, "it('adds tax', () => {", "it('adds tax', { retry: 5 }, () => {"]),
  ],
  [
    'node assert in try',
    edited(SCRIPTED, [
      TWICE,
      '  assert.strictEqual(twice(2), 4)\n  assert.strictEqual(twice(0), 0)\n',
      '  try {\n    assert.strictEqual(twice(2), 4)\n    assert.strictEqual(twice(0), 0)\n  } catch (error) {\n    console.log(error)\n  }\n',
    ]),
  ],
  [
    'node skip option',
    edited(SCRIPTED, [TWICE, "test('twice', () => {", "test('twice', { skip: true }, () => {"]),
  ],
  [
    'process.exit 0 in test',
    edited(SCRIPTED, startingWith(SCRIPTED, TWICE, "process.on('exit', () => { process.exitCode = 0 })")),
  ],
  [
    'strictEqual to ok',
    edited(SCRIPTED, [TWICE, 'assert.strictEqual(twice(2), 4)', 'assert.ok(twice(2) > 0)']),
  ],
  ['assertion gone, test added', edited(VITEST, MORE, [CART, '    expect(total([])).toBe(0)\n', ''])],
  [
    'test replaced by another',
    edited(VITEST, MORE, [CART, / {2}it\('parses an item'[\s\S]*?\n {2}\}\)\n/, '']),
  ],
  ['toBeTruthy, test added', edited(VITEST, MORE, [CART, 'toEqual({ price: 3, count: 4 })', 'toBeTruthy()'])],
  [
    'toMatchObject, test added',
    edited(VITEST, MORE, [CART, 'toEqual({ price: 3, count: 4 })', 'toMatchObject({})']),
  ],
  ['rows gone, test added', edited(VITEST, MORE, [CART, '    [2, 3, 6],\n    [5, 5, 25],\n', ''])],
  [
    'try catch, test added',
    edited(VITEST, MORE, [
      CART,
      "    expect(parse('3x4')).toEqual({ price: 3, count: 4 })\n",
      "    try { expect(parse('3x4')).toEqual({ price: 3, count: 4 }) } catch (e) { console.warn(e) }\n",
    ]),
  ],
  [
    'return, test added',
    edited(VITEST, MORE, [CART, "    expect(parse('3x4'))", "    return\n    expect(parse('3x4'))"]),
  ],
  [
    'other file made up for it',
    edited(JEST, [USER, "    expect(user).toEqual({ id: 1, name: 'Ann' })\n", ''], {
      'lib/__tests__/db.test.js':
        "const { get } = require('../db')\ntest('gets', async () => {\n  expect(await get(2)).toEqual({ id: 2, name: ' Ann ' })\n})\n",
    }),
  ],
]
