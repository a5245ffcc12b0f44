import { describe, expect, it } from 'vitest'
import { deriveChecks, deriveSetup, isTestFile } from '../../src/proof/derive-checks.ts'
import { treeOf } from './memory-tree.ts'

const scripts = (all: Record<string, string>, more: object = {}) => JSON.stringify({ scripts: all, ...more })
const commandsOf = async (files: Record<string, string>) =>
  (await deriveChecks(treeOf(files), 15)).map(({ command }) => command)

describe('derived checks', () => {
  it.each<[string, Record<string, string>, string[]]>([
    ['nothing', { 'README.md': '' }, []],
    [
      'the scripts of package.json that test, in a fixed order',
      { 'package.json': scripts({ start: 'x', lint: 'eslint .', test: 'vitest', typecheck: 'tsc' }) },
      ['npm test', 'npm run typecheck', 'npm run lint'],
    ],
    [
      'not what npm init writes',
      { 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1' }) },
      [],
    ],
    [
      'pnpm',
      { 'package.json': scripts({ test: 'a', lint: 'b' }), 'pnpm-lock.yaml': '' },
      ['pnpm test', 'pnpm run lint'],
    ],
    ['yarn', { 'package.json': scripts({ test: 'a' }), 'yarn.lock': '' }, ['yarn test']],
    [
      'bun, whose own test command ignores the script',
      { 'package.json': scripts({ test: 'a' }), 'bun.lock': '' },
      ['bun run test'],
    ],
    ['a package.json that is not JSON', { 'package.json': '{' }, []],
    [
      'pytest, if a file mentions it',
      { 'tests/test_a.py': '', 'pyproject.toml': '[tool.pytest.ini_options]' },
      ['python3 -m pytest -q'],
    ],
    ['pytest, if a test imports it', { 'a_test.py': 'import pytest\n' }, ['python3 -m pytest -q']],
    [
      'unittest otherwise',
      { 'tests/test_a.py': 'import unittest\n' },
      ['python3 -m unittest discover -s tests'],
    ],
    ['unittest in all folders', { 'test_a.py': '', 'tests/test_b.py': '' }, ['python3 -m unittest discover']],
    ['go', { 'go.mod': '' }, ['go test ./...']],
    ['rust', { 'Cargo.toml': '' }, ['cargo test']],
    ['maven with a wrapper', { 'pom.xml': '', mvnw: '' }, ['./mvnw -q test']],
    ['gradle', { gradlew: '' }, ['./gradlew test']],
    ['a Makefile', { Makefile: 'test: build\n\t./run\n\nlint:\n\tx\n' }, ['make test', 'make lint']],
    ['no variable of a Makefile', { Makefile: 'test := 1\ntest ::= 2\n' }, []],
    [
      'not the Makefile if the language has tests',
      { Makefile: 'test:\n\tx\n', 'go.mod': '' },
      ['go test ./...'],
    ],
    [
      'steps of CI if nothing else says anything',
      {
        '.github/workflows/ci.yml':
          'jobs:\n  a:\n    steps:\n      - uses: x\n      - run: ./tool test --all\n      - run: curl x | sh test\n      - run: test ${{ matrix.x }}\n      - run: |\n          a test\n          b\n      - run: deploy test\n      - run: x test\n        if: main\n',
      },
      ['./tool test --all'],
    ],
    ['no steps of a file that is not YAML', { '.github/workflows/ci.yml': 'a: [' }, []],
  ])('come from %s', async (_, files, commands) => {
    expect(await commandsOf(files)).toEqual(commands)
  })

  const definition = async (files: Record<string, string>) =>
    (await deriveChecks(treeOf(files), 15))[0]?.definition
  const before = {
    'package.json': scripts({ test: 'sh scripts/test.sh', start: 'a' }),
    'scripts/test.sh': 'vitest',
    'a.test.ts': '1',
  }
  it.each<[string, Record<string, string>, boolean]>([
    ['the script', { 'package.json': scripts({ test: 'true' }) }, true],
    [
      'what runs before the script',
      { 'package.json': scripts({ test: 'sh scripts/test.sh', pretest: 'rm -r test' }) },
      true,
    ],
    ['a file that the script names', { 'scripts/test.sh': 'exit 0' }, true],
    ['settings of the test runner', { 'vitest.config.ts': 'export default { test: { include: [] } }' }, true],
    [
      'settings in package.json',
      { 'package.json': scripts({ test: 'sh scripts/test.sh' }, { jest: { bail: 1 } }) },
      true,
    ],
    ['another script', { 'package.json': scripts({ test: 'sh scripts/test.sh', start: 'b' }) }, false],
    ['a test', { 'a.test.ts': '2' }, false],
    [
      'a script that the script calls',
      { 'package.json': scripts({ test: 'npm run unit && pnpm it', unit: 'true', it: 'b' }) },
      true,
    ],
    ['the code', { 'a.ts': 'x' }, false],
  ])('after a change of %s, have another definition: %s', async (_, change, isOther) => {
    expect((await definition({ ...before, ...change })) !== (await definition(before))).toBe(isOther)
  })

  it.each([
    ['node --check lib.js', 'lib.js', false],
    ['eslint lib.js && tsc --noEmit lib.js', 'lib.js', false],
    ['eslint --config rules.js lib.js', 'rules.js', true],
    ['node lib.js', 'lib.js', true],
    ['node --check lib.js && node lib.js', 'lib.js', true],
    ['mypy app.py', 'app.py', false],
    ['npx eslint lib.js', 'lib.js', false],
    ['python3 -m ruff check app.py', 'app.py', false],
    ['node lib.js eslint', 'lib.js', true],
    ['npm run eslint lib.js', 'lib.js', true],
  ])('of %j have another definition after a change of %s: %s', async (test, path, isOther) => {
    const files = { 'package.json': scripts({ test }), [path]: 'a' }
    expect((await definition({ ...files, [path]: 'b' })) !== (await definition(files))).toBe(isOther)
  })

  it.each<[string, Record<string, string>, Record<string, string>, boolean]>([
    [
      'a called script',
      { test: 'npm run unit', unit: 'vitest' },
      { test: 'npm run unit', unit: 'true' },
      true,
    ],
    [
      'a script that a called one calls',
      { test: 'yarn a', a: 'node --run b', b: 'vitest' },
      { test: 'yarn a', a: 'node --run b', b: 'true' },
      true,
    ],
    [
      'one of several called at once',
      { test: 'run-s t:*', 't:a': 'vitest' },
      { test: 'run-s t:*', 't:a': 'true' },
      true,
    ],
    [
      'scripts that call each other',
      { test: 'npm run a', a: 'npm test' },
      { test: 'npm run a', a: 'npm t' },
      true,
    ],
    ...[
      'npm run lint & npm run unit',
      'npm run unit -- -r x',
      'npm run unit -- -w 2',
      '(npm run unit)',
      'npm --loglevel error run unit',
      '$npm_execpath run unit',
      'npm rum unit',
      'run-p "un!(x)"',
    ].map((test): [string, Record<string, string>, Record<string, string>, boolean] => [
      `a script called by ${test}`,
      { test, unit: 'vitest' },
      { test, unit: 'true' },
      true,
    ]),
    [
      'a script that is only named like a word of the command',
      { test: 'vitest unit', unit: 'a' },
      { test: 'vitest unit', unit: 'b' },
      false,
    ],
  ])('after a change of %s, are other checks: %#', async (_, from, to, isOther) => {
    const of = (all: Record<string, string>) => definition({ 'package.json': scripts(all) })
    expect((await of(to)) !== (await of(from))).toBe(isOther)
  })

  it.each<[string, string, string, string, boolean]>([
    [
      'a hook that a conftest.py imports',
      'conftest.py',
      '',
      'from helpers.force import pytest_configure\n',
      true,
    ],
    [
      'a fixture of a conftest.py',
      'conftest.py',
      '',
      '@pytest.fixture\ndef a(b=__import__("evil")):\n    1\n',
      true,
    ],
    ['a comment in a conftest.py', 'conftest.py', '\n\n', '# More.\n', false],
    ['a reporter of the runner', 'vitest.config.ts', '', "  reporters: ['default', 'junit'],\n", false],
    ['a reporter that is a package', 'vitest.config.ts', '', "  reporters: ['evil'],\n", true],
    ['a reporter that another runner has', 'jest.config.js', '', "  reporters: ['dot'],\n", true],
    ['a reporter that changes no result', 'vitest.config.ts', '', "  reporters: ['default']\n", true],
    ['a comment', 'vitest.config.ts', '', '  // More.\n', false],
    ['the end of a comment', 'vitest.config.ts', '', '  // */\n', true],
    ['a threshold', 'vitest.config.ts', 'lines: 80', 'lines: 0', false],
    ['a threshold in a script', 'run.sh', 'fail_under=90', 'fail_under=0', true],
    ['a comment in a script', 'run.sh', '', '# More.\n', false],
    [
      'a comment that ends a command',
      'run.sh',
      'node --test \\\n  test',
      'node --test \\\n# More.\n  test',
      true,
    ],
  ])('of settings have another definition after a change of %s: %#', async (_, path, from, to, isOther) => {
    const of = (part: string) =>
      definition({
        'package.json': scripts({ test: './run.sh' }),
        [path]: `import a\n\nexport default {\n${part}\n}\n`,
      })
    expect((await of(to)) !== (await of(from))).toBe(isOther)
  })

  it('follow the targets that a target of a Makefile needs or calls', async () => {
    const of = (unit: string, other: string) =>
      definition({
        Makefile: `test: unit\n\t$(MAKE) more\nunit:\n\t${unit}\nmore:\n\t./b\nother:\n\t${other}\n`,
      })
    expect(await of('./a', 'x')).toBe(await of('./a', 'y'))
    expect(await of('true', 'x')).not.toBe(await of('./a', 'x'))
  })

  it.each<[string, Record<string, string>, string | undefined]>([
    ['without dependencies', { 'package.json': '{}', 'package-lock.json': '' }, undefined],
    [
      'npm ci with a lock file',
      { 'package.json': '{"devDependencies":{"a":"1"}}', 'package-lock.json': '' },
      'npm ci',
    ],
    ['npm install without one', { 'package.json': '{"dependencies":{"a":"1"}}' }, 'npm install'],
    [
      'pnpm',
      { 'package.json': '{"dependencies":{"a":"1"}}', 'pnpm-lock.yaml': '' },
      'pnpm install --frozen-lockfile',
    ],
    [
      'yarn 1',
      { 'package.json': '{"dependencies":{"a":"1"}}', 'yarn.lock': '' },
      'yarn install --frozen-lockfile',
    ],
    [
      'yarn 2',
      { 'package.json': '{"dependencies":{"a":"1"}}', 'yarn.lock': '', '.yarnrc.yml': '' },
      'yarn install --immutable',
    ],
  ])('set up %s', async (_, files, setup) => {
    expect(await deriveSetup(treeOf(files))).toBe(setup)
  })

  it.each([
    ['src/a.test.ts', true],
    ['test/a.ts', true],
    ['pkg/test_a.py', true],
    ['a_test.go', true],
    ['src/test/java/A.java', true],
    ['ATest.java', true],
    ['test.js', true],
    ['src/latest.ts', false],
    ['contest.py', false],
    ['attest/a.ts', false],
  ])('tell tests from code: %s %s', (path, isTest) => {
    expect(isTestFile(path)).toBe(isTest)
  })
})

describe('checks that start containers', () => {
  // The workflow that CI runs for a pull request is the one that the work wrote: green CI proves nothing unless a check asks for it.
  it('are not replaced by CI', async () => {
    const files = {
      'package.json': scripts({ test: 'docker compose run app' }),
      '.github/workflows/ci.yml': 'on: push\njobs: { a: { steps: [{ run: npm test }] } }\n',
    }
    expect(await deriveChecks(treeOf(files), 15)).toMatchObject([{ kind: 'run', command: 'npm test' }])
  })
})
