import { describe, expect, it } from 'vitest'
import type { ChangedFile } from '../../src/ports/checkouts.ts'
import { weakenedTests } from '../../src/proof/read-weakened.ts'
import { findWeakened } from '../../src/proof/weakened-tests.ts'
import { compareHere, treeOf } from './memory-tree.ts'

const NEVER = new AbortController().signal

const found = (path: string, before: string, after: string) => findWeakened([{ path, before, after }])
const json = (value: object) => JSON.stringify(value)

describe('settings', () => {
  it.each([
    ['Cargo.toml', '[workspace]\n', '[workspace.dependencies]\nignore = "0.4"\n'],
    ['pyproject.toml', '', '[tool.poetry.dependencies]\nexceptiongroup = "^1.2"\n'],
    ['pyproject.toml', '', '[tool.setuptools.packages.find]\nexclude = ["tests*"]\n'],
    ['setup.cfg', '', '[options.packages.find]\nexclude = tests\n'],
    ['tox.ini', '[tox]\n', '[tox]\nskip_missing_interpreters = true\n'],
    [
      'vite.config.ts',
      'export default {}',
      "export default { optimizeDeps: { exclude: ['a'], include: ['b'] } }",
    ],
    [
      'playwright.config.ts',
      "export default { use: { trace: 'on' } }",
      "export default { use: { trace: 'off', ignoreHTTPSErrors: true } }",
    ],
    [
      'tsconfig.json',
      json({ compilerOptions: { noImplicitAny: true, strictNullChecks: true } }),
      json({ compilerOptions: { strict: true } }),
    ],
    ['tsconfig.json', json({ extends: '@tsconfig/node18' }), json({ extends: '@tsconfig/node20' })],
    ['tsconfig.json', '{}', json({ exclude: ['packages/*/dist/**', 'storybook-static'] })],
    [
      'jest.config.js',
      'module.exports = {}',
      "module.exports = { testPathIgnorePatterns: ['<rootDir>/dist/'] }",
    ],
    ['pytest.ini', '[pytest]\naddopts = -q\n', '[pytest]\naddopts = -q -p no:cacheprovider\n'],
    ['pytest.ini', '[pytest]\naddopts = -q -x\n', '[pytest]\naddopts = -q\n'],
    ['pyproject.toml', '', '[tool.mypy]\ndisallow_untyped_defs = true\nwarn_unused_ignores = true\n'],
    ['.eslintrc.json', '{}', json({ rules: { 'jest/no-disabled-tests': 'error' } })],
    ['mypy.ini', '[mypy]\n', '[mypy]\nskip_cache_mtime_checks = False\n'],
    [
      'tsconfig.json',
      json({ extends: '@tsconfig/node20' }),
      json({ compilerOptions: { strict: true, target: 'es2022' } }),
    ],
    ['tsconfig.json', json({ extends: '@tsconfig/node20' }), json({ extends: '@tsconfig/strictest' })],
    ['.eslintrc.json', json({ extends: 'airbnb' }), json({ extends: ['@company', 'plugin:a/recommended'] })],
    [
      'eslint.config.js',
      'export default [js.configs.recommended, ...vue.configs["flat/essential"]]',
      "export default [...vue.configs['flat/recommended'], { extends: [ts.configs.strict] }]",
    ],
    [
      'pyproject.toml',
      '[tool.ruff]\nline-length = 100\nselect = ["E", "F"]\nignore = ["E501"]\n\n[tool.ruff.per-file-ignores]\n"tests/*" = ["S101"]\n',
      '[tool.ruff]\nline-length = 100\n\n[tool.ruff.lint]\nselect = ["E", "F", "B"]\nignore = ["E501"]\n\n[tool.ruff.lint.per-file-ignores]\n"tests/*" = ["S101"]\n',
    ],
    ['ruff.toml', 'select = ["E"]\nignore = ["E501"]\n', '[lint]\nselect = ["E"]\nignore = ["E501"]\n'],
  ])('that leave nothing out may change: %s %#', (path, before, after) => {
    expect(found(path, before, after)).toEqual([])
  })

  it.each([
    ['tsconfig.json', '{}', json({ exclude: ['dist/../src/broken.ts'] })],
    ['tsconfig.json', '{}', json({ exclude: ['src/build'] })],
    ['jest.config.js', 'module.exports = {}', "module.exports = { testPathIgnorePatterns: ['dist|src'] }"],
    ['Cargo.toml', '[workspace]\n', '[workspace]\nexclude = ["core"]\n'],
    ['tox.ini', '[pytest]\n', '[pytest]\naddopts = --ignore=tests/a\n'],
    [
      'tsconfig.json',
      json({ compilerOptions: { strict: true } }),
      json({ compilerOptions: { noImplicitAny: true } }),
    ],
    ['.eslintrc.json', json({ extends: ['a', 'b'] }), json({ extends: ['a'] })],
    ['.eslintrc.json', json({ extends: ['plugin:a/strict'] }), json({ extends: ['plugin:a/recommended'] })],
    ['.eslintrc.json', json({ extends: 'eslint:all' }), json({ extends: 'eslint:recommended' })],
    [
      '.eslintrc.json',
      json({ extends: 'plugin:@typescript-eslint/recommended-type-checked' }),
      json({ extends: 'plugin:@typescript-eslint/recommended' }),
    ],
    ['eslint.config.js', 'export default [js.configs.recommended]', 'export default []'],
    [
      'eslint.config.js',
      'export default [...tseslint.configs.strictTypeChecked]',
      'export default [...tseslint.configs.recommended]',
    ],
    ['eslint.config.js', "export default [...vue.configs['flat/recommended']]", 'export default [{}]'],
    ['tsconfig.json', json({ extends: '@tsconfig/strictest' }), json({ extends: '@tsconfig/node20' })],
    ['tsconfig.json', json({ extends: '@tsconfig/node20' }), json({})],
    ['tsconfig.json', json({ extends: '@tsconfig/strictest' }), json({ compilerOptions: { strict: true } })],
    ['pyproject.toml', '[tool.ruff]\nselect = ["E", "F"]\n', '[tool.ruff.lint]\nselect = ["E"]\n'],
    ['ruff.toml', 'ignore = ["E501"]\n', '[lint]\nignore = ["E501", "F401"]\n'],
    ['pyproject.toml', '[tool.mypy]\ndisallow_untyped_defs = true\n', '[tool.mypy]\n'],
    ['mypy.ini', '[mypy]\nstrict = True\n', '[mypy]\nstrict = False\n'],
    ['.eslintrc.json', json({ rules: { 'jest/no-disabled-tests': 'error' } }), json({ rules: {} })],
    ['pytest.ini', '[pytest]\naddopts = -ra\n', '[pytest]\naddopts = -ra -p helper\n'],
    ['pytest.ini', '[pytest]\naddopts = -ra\n', '[pytest]\naddopts = -ra -phelper\n'],
    ['a.ts', 'f()\n', '// @ts-nocheck\n/* eslint-enable */\nf()\n'],
    ['pyproject.toml', '[tool.ty.rules]\na = "error"\n', '[tool.ty.rules]\na = "ignore"\n'],
  ])('that leave something out may not: %s %#', (path, before, after) => {
    expect(found(path, before, after)).toHaveLength(1)
  })

  const inRepository = (before: Record<string, string>, after: Record<string, string>) => {
    const trees = { base: treeOf(before), commit: treeOf(after) }
    const changes = [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter(path => before[path] !== after[path])
      .map((path): ChangedFile => {
        const status =
          before[path] === undefined ? 'added' : after[path] === undefined ? 'removed' : 'changed'
        return { path, status, addedLines: 1, removedLines: 1 }
      })
    const tree = (_: string, commit: string) => (commit === 'base' ? trees.base : trees.commit)
    const about = { project: '/app', base: 'base', commit: 'commit' }
    return weakenedTests({ checkouts: { tree }, compareTests: compareHere }, about, changes, NEVER)
  }
  const old = { 'packages/old/src/a.ts': 'a()\n' }
  it.each([
    ['tsconfig.json', json({ include: ['src'], exclude: ['fixtures'] })],
    ['pyproject.toml', '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n'],
    ['vitest.config.ts', "export default { test: { include: ['test/**'] } }"],
  ])('of a new package are its own: %s', async (name, text) => {
    expect(await inRepository(old, { ...old, [`packages/new/${name}`]: text })).toEqual([])
    expect(await inRepository(old, { ...old, [`packages/old/${name}`]: text })).not.toEqual([])
  })

  const strict = { strict: true, noUncheckedIndexedAccess: true }
  const base = { 'tsconfig.base.json': json({ compilerOptions: strict }) }
  it.each([
    [
      'that move into a file of their own',
      {},
      { compilerOptions: strict },
      base,
      { extends: './tsconfig.base' },
    ],
    ['that come from there', base, { extends: './tsconfig.base.json' }, {}, { compilerOptions: strict }],
    [
      'that another file has, too',
      base,
      { extends: './tsconfig.base.json' },
      { ...base, 'config/tsconfig.all.json': json({ extends: '../tsconfig.base.json' }) },
      { extends: './config/tsconfig.all.json' },
    ],
  ])('%s are still there', async (_, before, was, after, is) => {
    const [from, to] = [json(was), json(is)]
    expect(
      await inRepository({ ...before, 'tsconfig.json': from }, { ...after, 'tsconfig.json': to }),
    ).toEqual([])
  })

  it.each([
    ['that another file no longer gives', base, {}, ['noUncheckedIndexedAccess removed in tsconfig.json']],
    [
      'in place of which another file has looser ones',
      { ...base, 'tsconfig.loose.json': json({ compilerOptions: { strict: true } }) },
      { extends: './tsconfig.loose.json' },
      ['noUncheckedIndexedAccess removed in tsconfig.json'],
    ],
    [
      'in place of which files take over each other',
      { ...base, 'tsconfig.a.json': json({ extends: ['./tsconfig.a.json', './tsconfig.a.json'] }) },
      { extends: './tsconfig.a.json' },
      ['strict removed in tsconfig.json', 'noUncheckedIndexedAccess removed in tsconfig.json'],
    ],
  ])('%s are gone', async (_, files, is, findings) => {
    const own = is && 'extends' in is ? is : { compilerOptions: { strict: true } }
    const from = { ...base, 'tsconfig.json': json({ extends: './tsconfig.base.json' }) }
    expect(await inRepository(from, { ...base, ...files, 'tsconfig.json': json(own) })).toEqual(findings)
  })

  const manifest = (...tools: string[]) =>
    json({ devDependencies: Object.fromEntries(tools.map(each => [each, '1'])) })
  const retries = {
    'playwright.config.ts':
      "export default { testDir: 'e2e', testMatch: '*.ts', retries: process.env.CI ? 2 : 0 }",
  }
  const started = { 'a.test.ts': 'x', 'package.json': manifest('vitest') }
  const both = { ...started, ...retries, 'package.json': manifest('vitest', '@playwright/test') }
  const ci = (run: string) => ({
    '.github/workflows/a.yml': `jobs:\n  a:\n    steps:\n      - run: ${run}\n`,
  })

  it('of a tool that the project did not use before leave nothing out', async () => {
    expect(await inRepository(started, both)).toEqual([])
  })

  it.each([
    ['used before', both, { ...started, 'package.json': both['package.json'] }],
    [
      'started by CI before',
      { ...both, ...ci('npx playwright test') },
      { ...started, ...ci('npx playwright test') },
    ],
    ['in place of another one', { ...both, 'package.json': manifest('playwright') }, started],
    ['not named', { ...both, 'package.json': manifest('vitest', 'x') }, started],
  ])('of a tool that was %s may leave something out', async (_, after, before) => {
    expect(await inRepository(before, after)).not.toEqual([])
  })

  const rules = json({ rules: { eqeqeq: 'error' } })
  it.each<[string, Record<string, string>, Record<string, string>]>([
    [
      'that ESLint read in all folders',
      { '.eslintrc.json': rules, 'docs/.eslintrc.json': json({ extends: '../.eslintrc.json' }) },
      { 'docs/.eslintrc.json': rules },
    ],
    [
      'of the tsconfig.json of the root',
      {
        'tsconfig.json': json({ compilerOptions: strict }),
        'docs/tsconfig.json': json({ extends: '../tsconfig.json' }),
      },
      { 'docs/tsconfig.json': json({ compilerOptions: strict }) },
    ],
    ['that move into another folder', { '.eslintrc.json': rules }, { 'unused/.eslintrc.json': rules }],
    [
      'that move into a file that no tool reads',
      { 'tsconfig.json': json({ compilerOptions: strict }) },
      { 'tsconfig.other.json': json({ compilerOptions: strict }) },
    ],
  ])('%s are gone', async (_, before, after) => {
    expect(await inRepository({ ...before, 'src/a.ts': 'a' }, { ...after, 'src/a.ts': 'a' })).not.toEqual([])
  })

  it('that move into a folder above are still there', async () => {
    expect(
      await inRepository({ 'src/.eslintrc.json': rules }, { '.eslintrc.yml': 'rules:\n  eqeqeq: error\n' }),
    ).toEqual([])
  })

  const scripted = (test: string, ...tools: string[]) =>
    json({ scripts: { test }, devDependencies: Object.fromEntries(tools.map(each => [each, '1'])) })
  const vitest = (settings: string) => ({ 'vitest.config.ts': `export default { test: { ${settings} } }` })
  it.each<[string, string, string, Record<string, string>]>([
    ['runs the tests now', scripted('node --test'), scripted('playwright test', 'playwright'), retries],
    [
      'runs the tests now',
      scripted('mocha', 'mocha'),
      scripted('vitest run', 'vitest', 'mocha'),
      vitest('retry: 2'),
    ],
    [
      'passes without tests',
      scripted('node --test'),
      scripted('node --test', 'vitest'),
      vitest('passWithNoTests: true'),
    ],
    [
      'excludes them',
      scripted('node --test'),
      scripted('node --test', 'vitest'),
      vitest("exclude: ['**/*.test.ts']"),
    ],
    [
      'includes others',
      scripted('node --test'),
      scripted('node --test', 'vitest'),
      vitest("include: ['none/**']"),
    ],
  ])('of a new tool that %s may leave something out', async (_, was, is, files) => {
    expect(await inRepository({ 'package.json': was }, { 'package.json': is, ...files })).not.toEqual([])
  })

  it('of a new folder into which code moved leave nothing out', async () => {
    const moved = { 'packages/new/src/a.ts': 'a()\n' }
    const withText = (settings: object) => ({ ...moved, 'packages/new/tsconfig.json': json(settings) })
    expect(await inRepository(old, withText({ include: ['src'] }))).toEqual([])
    expect(await inRepository(old, withText({ exclude: ['src'] }))).toHaveLength(1)
  })
})

describe('comments that switch a linter off', () => {
  const code = 'a()\n'.repeat(10)
  it.each([
    ['A.java', 'class A {\n}\n', 'class A {\n  @SuppressWarnings("unchecked")\n  void a() {}\n}\n'],
    ['a.go', 'package a\nfunc a() {}\n', 'package a\n//nolint:gocyclo\nfunc a() {}\n'],
    ['a.js', code, `/* eslint-disable a */\na()\n/* eslint-enable a */\n${code}`],
    ['a.js', code, `/* eslint-disable a -- a reason */\na()\n/* eslint-enable */\n${code}`],
  ])('for a part of a file may be there: %s %#', (path, before, after) => {
    expect(found(path, before, after)).toEqual([])
  })

  it.each([
    ['a.go', 'package a\nfunc a() {}\n', '//nolint\npackage a\nfunc a() {}\n'],
    ['a.kt', 'package a\n', '@file:Suppress("X")\npackage a\n'],
    ['a.js', code, `/* eslint-disable */\n/* eslint-enable no-such */\n${code}`],
    ['a.js', code, `/* eslint-disable */\n${code}/* eslint-enable */\n`],
  ])('for a whole file may not: %s %#', (path, before, after) => {
    expect(found(path, before, after)).toHaveLength(1)
  })
})

describe('commands of CI that are stricter, or do the same', () => {
  const ci = (command: string) => `jobs:\n  a:\n    steps:\n      - run: ${command}\n`
  it.each([
    ['npm run lint', 'npm run lint -- --max-warnings 0'],
    ['cargo test', 'cargo test --quiet'],
    ['cargo test', 'cargo test --no-fail-fast'],
    ['pytest', 'pytest -x'],
    ['pytest', 'python -m pytest'],
    ['tsc --noEmit', 'tsc --noEmit -p .'],
    ['make test', 'make -k test'],
    ['go test ./...', 'go test -p 2 ./...'],
  ])('may take the place of others: %s, now %s', (before, after) => {
    expect(found('.github/workflows/a.yml', ci(before), ci(after))).toEqual([])
  })

  it.each([
    ['pytest', 'pytest -k fast'],
    ['pytest', 'pytest -m fast'],
    ['cargo test', 'cargo test -p core'],
  ])('are not those that do less: %s, now %s', (before, after) => {
    expect(found('.github/workflows/a.yml', ci(before), ci(after))).toHaveLength(1)
  })
})
