import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FileChange } from '../../src/ports/compare-tests.ts'
import { raisedLimits } from '../../src/proof/raised-limits.ts'
import { mayWeaken } from '../../src/proof/relevant-files.ts'
import { languageOf, stripLiterals } from '../../src/proof/strip-literals.ts'
import { findWeakened } from '../../src/proof/weakened-tests.ts'

const JS = `import { test } from 'node:test'
test('adds', () => { assert.equal(sum(1, 2), 3) })
test('subtracts', { timeout: 1000 }, () => { assert.equal(sum(1, -2), -1) })
`
const PY = `import unittest
class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(f(1), 1)
    def test_b(self):
        assert f(2) == 2
`
const change = (path: string, before: string | undefined, after: string | undefined): FileChange => ({
  path,
  before,
  after,
})
const edit = (path: string, text: string, from: string | RegExp, to: string) =>
  change(path, text, text.replace(from, to))
const rust = '#[test]\nfn a() { assert_eq!(f(), 1); }\n'
const go = 'func TestA(t *testing.T) {\n\tif f() != 1 { t.Fatal("x") }\n}\n'
const java = '@Test\nvoid a() { assertEquals(1, f()); }\n'
const CI = 'jobs:\n  a:\n    steps:\n      - run: npm ci\n      - run: npm test\n'

const ALIASED = `const t = require('node:test'), a = require('node:assert/strict')
import { equal as same, ok } from 'node:assert'
t('adds', () => { a.equal(sum(1, 2), 3) })
t('subtracts', () => { same(sum(1, -2), -1) })
`

describe('coverage thresholds', () => {
  const VITEST = 'export default { test: { coverage: { thresholds: { lines: 80, branches: 70 } } } }\n'
  const JEST = JSON.stringify({ name: 'a', jest: { coverageThreshold: { global: { lines: 80 } } } })
  it.each<[string, FileChange, string[]]>([
    [
      'lowered',
      edit('vitest.config.ts', VITEST, '80', '50'),
      ['the coverage threshold lines lowered from 80 to 50 in vitest.config.ts'],
    ],
    [
      'removed',
      edit('vitest.config.ts', VITEST, ', branches: 70', ''),
      ['the coverage threshold branches removed in vitest.config.ts'],
    ],
    ['raised', edit('vitest.config.ts', VITEST, '80', '90'), []],
    [
      'lowered in package.json',
      edit('package.json', JEST, '80', '8'),
      ['the coverage threshold lines lowered from 80 to 8 in package.json'],
    ],
    ['kept next to another version', edit('package.json', JEST, '"a"', '"b"'), []],
    [
      'lowered in Python',
      change('.coveragerc', '[report]\nfail_under = 90\n', '[report]\nfail_under = 9\n'),
      ['the coverage threshold fail_under lowered from 90 to 9 in .coveragerc'],
    ],
    [
      'lowered in an option',
      change('pytest.ini', 'addopts = --cov --cov-fail-under=90\n', 'addopts = --cov --cov-fail-under=80\n'),
      ['the coverage threshold cov-fail-under lowered from 90 to 80 in pytest.ini'],
    ],
    [
      'gone with its file',
      change('.nycrc', '{"check-coverage": true, "lines": 80}', undefined),
      ['the coverage threshold lines removed in .nycrc'],
    ],
    ['other numbers', change('package.json', '{"lines": 80}', '{"lines": 8}'), []],
  ])('%s', (_, changed, expected) => {
    expect(mayWeaken(changed.path)).toBe(true)
    expect(findWeakened([changed])).toEqual(expected)
  })
})

describe('weakened tests under other names', () => {
  it.each([
    ['a todo', "t('adds'", "t.todo('adds'", ['skipped tests in a.test.js']],
    ['a skipped one', "t('adds'", "t.skip('adds'", ['skipped tests in a.test.js']],
    ['only one', "t('adds'", "t.only('adds'", ['tests that exclude the others (only) in a.test.js']],
    ['an assertion is gone', 'a.equal(sum(1, 2), 3)', 'sum(1, 2)', ['1 strict assertion fewer']],
    ['an assertion compares nothing', 'a.equal(sum(1, 2), 3)', 'a.ok(true)', ['1 strict assertion fewer']],
    ['a named one compares nothing', 'same(sum(1, -2), -1)', 'ok(true)', ['1 strict assertion fewer']],
    ['a deleted test', /t\('sub.*\n/, '', ['1 test fewer (a.test.js)', '1 strict assertion fewer']],
    ['another value', 'sum(1, 2), 3', 'sum(2, 2), 4', []],
    ['another name', "'adds'", "'adds two'", []],
  ])('%s', (_, from, to, expected) => {
    expect(findWeakened([edit('a.test.js', ALIASED, from, to)])).toEqual(expected)
  })
})

describe('weakened tests', () => {
  it.each<[string, FileChange[], string[]]>([
    [
      'a deleted file',
      [change('a.test.ts', JS, undefined)],
      ['2 tests fewer (a.test.ts)', '2 strict assertions fewer'],
    ],
    [
      'an emptied file',
      [change('a.test.ts', JS, '')],
      ['2 tests fewer (a.test.ts)', '2 strict assertions fewer'],
    ],
    [
      'a deleted test',
      [edit('a.test.ts', JS, /test\('sub.*\n/, '')],
      ['1 test fewer (a.test.ts)', '1 strict assertion fewer'],
    ],
    [
      'a test in a comment',
      [edit('a.test.ts', JS, "test('sub", "// test('sub")],
      ['1 test fewer (a.test.ts)', '1 strict assertion fewer'],
    ],
    [
      'a skipped test',
      [edit('a.test.ts', JS, "test('adds", "test.skip('adds")],
      ['skipped tests in a.test.ts'],
    ],
    [
      'a test that is still to do',
      [edit('a.test.ts', JS, "test('adds'", "test('adds', { todo: true }")],
      ['skipped tests in a.test.ts'],
    ],
    [
      'only one test',
      [edit('a.test.ts', JS, "test('adds", "test.only('adds")],
      ['tests that exclude the others (only) in a.test.ts'],
    ],
    [
      'an assertion that is always true',
      [edit('a.test.ts', JS, 'assert.equal(sum(1, 2), 3)', 'assert(true)')],
      ['1 strict assertion fewer'],
    ],
    [
      'a loose assertion',
      [
        change(
          'a.test.ts',
          "test('a', () => expect(f()).toBe(1))",
          "test('a', () => expect(f()).toBeTruthy())",
        ),
      ],
      ['1 strict assertion fewer'],
    ],
    [
      'a raised time limit',
      [edit('a.test.ts', JS, '1000', '60_000')],
      ['a limit raised from 1000 to 60000 in a.test.ts'],
    ],
    [
      'a mock of the code',
      [edit('a.test.ts', JS, 'import', "vi.mock('../src/sum.ts')\nimport")],
      ['mocks of modules of the project in a.test.ts'],
    ],
    [
      'a test under another name',
      [
        change(
          'a.test.js',
          "const t = require('node:test')\nt('a', f)\n",
          "const t = require('node:test')\n",
        ),
      ],
      ['1 test fewer (a.test.js)'],
    ],
    [
      'python: a deleted test',
      [edit('test_a.py', PY, / {4}def test_b[\s\S]*/, '')],
      ['1 test fewer (test_a.py)', '1 strict assertion fewer'],
    ],
    [
      'python: a skipped test',
      [edit('test_a.py', PY, '    def test_b', '    @unittest.skip("x")\n    def test_b')],
      ['skipped tests in test_a.py'],
    ],
    [
      'python: an assertion that is always true',
      [edit('test_a.py', PY, 'assert f(2) == 2', 'assert True')],
      ['1 strict assertion fewer'],
    ],
    [
      'python: a test in a string',
      [edit('test_a.py', PY, /( {4}def test_b[\s\S]*)/, '    """\n$1"""\n')],
      ['1 test fewer (test_a.py)', '1 strict assertion fewer'],
    ],
    [
      'an assertion in python that compares nothing',
      [edit('test_a.py', PY, 'assert f(2) == 2', 'assert f(2)')],
      ['1 strict assertion fewer'],
    ],
    [
      'an assertion in unittest that compares nothing',
      [edit('test_a.py', PY, 'assertEqual(f(1), 1)', 'assertTrue(f(1))')],
      ['1 strict assertion fewer'],
    ],
    [
      'an assertion that compares nothing',
      [edit('a.test.ts', JS, 'assert.equal(sum(1, 2), 3)', 'assert.ok(sum(1, 2))')],
      ['1 strict assertion fewer'],
    ],
    [
      'a mock of what a python test imports',
      [change('test_a.py', `from app import f\n${PY}`, `from app import f\n@patch("app.f")\n${PY}`)],
      ['mocks of modules of the project in test_a.py'],
    ],
    [
      'CI that runs something else',
      [edit('.github/workflows/a.yml', CI, 'npm test', 'echo npm test')],
      ['CI no longer runs "npm test" (.github/workflows/a.yml)'],
    ],
    ['rust', [edit('src/a.rs', rust, '#[test]', '#[test]\n#[ignore]')], ['skipped tests in src/a.rs']],
    ['go', [edit('a_test.go', go, '\tif', '\tt.Skip()\n\tif')], ['skipped tests in a_test.go']],
    ['java', [edit('ATest.java', java, '@Test', '@Disabled @Test')], ['skipped tests in ATest.java']],
    ['ruby, which Baton cannot count', [change('a_spec.rb', 'it "x"', undefined)], ['a_spec.rb removed']],
    [
      'a rewritten snapshot',
      [change('__snapshots__/a.snap', 'a\nb\n', 'a\nc\n')],
      ['snapshots rewritten in __snapshots__/a.snap'],
    ],
    [
      'a step that CI lost',
      [edit('.github/workflows/a.yml', CI, /.*npm test\n/, '')],
      ['steps of CI removed in .github/workflows/a.yml'],
    ],
    [
      'a failure that CI ignores',
      [edit('.github/workflows/a.yml', CI, 'npm test', 'npm test || true')],
      ['failures of CI ignored in .github/workflows/a.yml'],
    ],
  ])('are found: %s', (_, changes, findings) => {
    expect(findWeakened(changes)).toEqual(findings)
  })

  it.each<[string, FileChange[]]>([
    [
      'retries as a setting that is tested',
      [edit('a.test.ts', JS, /$/, "test('more', () => { run({ retries: 3 }) })\n")],
    ],
    ['a new test', [edit('a.test.ts', JS, /$/, "test('more', () => { assert.equal(1, 1) })\n")]],
    ['a new file', [change('b.test.ts', undefined, JS)]],
    ['tests that moved', [change('a.test.ts', JS, undefined), change('b.test.ts', undefined, JS)]],
    ['another expected value', [edit('a.test.ts', JS, '3)', '4)')]],
    ['another name', [edit('a.test.ts', JS, "'adds'", "'adds two numbers'")]],
    ['words in a string', [edit('a.test.ts', JS, "'adds'", "'test.skip( .only('")]],
    ['words in a comment', [edit('a.test.ts', JS, 'import', '// test.skip(\n/* it.only( */\nimport')]],
    ['a regular expression', [edit('a.test.ts', JS, 'import', 'const x = /it.only("/\nimport')]],
    ...['e instanceof TypeError', "'a' in sum"].map((held): [string, FileChange[]] => [
      `an assertion that ${held}`,
      [
        edit(
          'a.test.ts',
          JS.replace('assert.equal(sum(1, 2), 3)', 'assert(sum(1, 2) > 2)'),
          'assert(sum(1, 2) > 2)',
          `assert(${held})`,
        ),
      ],
    ]),
    ['a mock of a package', [edit('a.test.ts', JS, 'import', "vi.mock('undici')\nimport")]],
    ['a lower time limit', [edit('a.test.ts', JS, '1000', '10')]],
    ['a new snapshot', [change('__snapshots__/a.snap', 'a\n', 'a\nb\n')]],
    [
      'a CI step with more arguments',
      [edit('.github/workflows/a.yml', CI, 'npm test', 'npm test -- --coverage')],
    ],
    ['another install step in CI', [edit('.github/workflows/a.yml', CI, 'npm ci', 'npm install')]],
    [
      'a CI step that moved into a block',
      [edit('.github/workflows/a.yml', CI, '- run: npm test', '- run: |\n          npm test')],
    ],
    ['a step that CI got', [edit('.github/workflows/a.yml', CI, /$/, '      - run: npm run lint\n')]],
    ['a new python test', [edit('test_a.py', PY, /$/, '    def test_c(self):\n        assert f(3) == 3\n')]],
  ])('are not: %s', (_, changes) => {
    expect(findWeakened(changes)).toEqual([])
  })

  it('are not found in a file that did not change', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 500 }),
        fc.constantFrom('a.test.ts', 'test_a.py', 'a.rs', 'a_test.go'),
        (text, path) => {
          expect(findWeakened([change(path, text, text)])).toEqual([])
        },
      ),
    )
  })

  it.each([
    ['a.test.ts', true],
    ['.github/workflows/ci.yml', true],
    ['src/lib.rs', true],
    ['src/a.ts', true],
    ['src/a.css', false],
  ])('are looked for in %s: %s', (path, does) => {
    expect(mayWeaken(path)).toBe(does)
  })
})

describe('the commands of CI', () => {
  const file = (lines: string) => `jobs:\n  a:\n    steps:\n      - uses: x\n${lines}\n`
  const step = (run: string) => file(`      - run: ${run}`)
  const ci = (before: string, after: string, path = '.github/workflows/a.yml') => change(path, before, after)

  it.each([
    ['docker compose up --exit-code-from app', 'echo ok'],
    ['make e2e', 'echo ok'],
    ['npm run e2e', 'echo ok'],
    ['./run-tests.sh', 'echo ok'],
    ['poetry run pytest', 'echo ok'],
    ['bundle exec rspec', 'echo ok'],
    ['npm test', 'echo npm test'],
    ['npm test', 'true || npm test'],
    ['npm test', '"# npm test"'],
    ['npm test', 'npm test --if-present'],
    ['pytest tests/', 'pytest --collect-only tests/'],
    ['npm run test:unit', 'npm run test:nothing'],
    ['npm test', 'npm run test:noop'],
    ['eslint .', 'echo ok'],
    ['ruff format --diff', 'echo ok'],
    ['mypy src', 'echo ok'],
    ['npx biome ci', 'echo ok'],
    ['npx tsc', 'echo ok'],
  ])('that are gone are found: %s, now %s', (before, after) => {
    const found = findWeakened([ci(step(before), step(after))])
    expect(found).toEqual([`CI no longer runs "${before}" (.github/workflows/a.yml)`])
  })

  it('that are gone are found although another file of CI has such a step', () => {
    const other = change('.github/workflows/b.yml', step('./verify'), step('./verify'))
    const joined = ci(file('      - run: ./verify\n      - run: ./a'), step('./a && ./b'))
    expect(findWeakened([joined, other])).toEqual(['steps of CI removed in .github/workflows/a.yml'])
  })

  it('that are gone are found in a line with others, and in other files of CI', () => {
    expect(findWeakened([ci(step('cd app && npm test'), step('cd app && npm run build'))])).toEqual([
      'CI no longer runs "npm test" (.github/workflows/a.yml)',
    ])
    const gitlab = (run: string) => `a:\n  script:\n    - npm ci\n    - ${run}\n`
    expect(findWeakened([ci(gitlab('npm test'), gitlab('date'), '.gitlab-ci.yml')])).toEqual([
      'CI no longer runs "npm test" (.gitlab-ci.yml)',
    ])
    expect(findWeakened([ci(step('npm test'), `${step('npm test')}}`)])).not.toEqual([])
  })

  it.each([
    ['run: npm ci\n      - run: npm test', 'run: npm ci && npm test'],
    [
      'run: npm ci\n      - run: git diff --exit-code',
      'run: |\n          npm ci\n          git diff --exit-code',
    ],
    [
      'uses: a/b@v1\n      - uses: a/c@v1\n      - run: ./verify',
      'uses: a/c@v2\n      - uses: a/b@v1\n      - run: ./verify',
    ],
  ])('in steps that are joined are all there: %s, now %s', (before, after) => {
    expect(findWeakened([ci(file(`      - ${before}`), file(`      - ${after}`))])).toEqual([])
  })

  it.each([
    ['run: npm ci\n      - run: npm test', 'run: npm ci'],
    ['run: ./verify\n      - run: npm test', 'run: npm test && npm run build'],
    ['run: npm ci\n      - run: git diff --exit-code', 'run: npm ci'],
    ['run: git diff --exit-code\n      - run: npm ci', 'run: npm ci && git diff --exit-code || true'],
    ['run: ./a\n      - run: ./b', 'run: ./a; ./b || echo'],
    ['run: ./a\n      - run: ./a', 'run: ./a'],
    ['uses: a/codeql@v1\n      - run: ./a', 'run: ./a && ./b'],
    ['uses: a/codeql@v1\n      - uses: a/b@v1', 'uses: a/b@v1'],
    [
      'run: npm ci\n      - run: npm test',
      "run: npm ci && npm test\n        if: github.event_name == 'schedule'",
    ],
    ['run: npm ci\n      - run: npm test', 'run: npm ci && npm test\n        working-directory: docs'],
    ['run: npm ci\n      - run: npm test', 'run: npm ci && npm test\n    if: github.event_name == 0'],
    [
      'run: npm ci\n      - run: ./a\n      - uses: a/lint@v3\n        with: { args: --strict }',
      'run: npm ci && ./a\n      - uses: a/lint@v3\n        with: { args: --help }',
    ],
  ])('in steps that are joined may not be fewer: %s, now %s', (before, after) => {
    expect(findWeakened([ci(file(`      - ${before}`), file(`      - ${after}`))])).not.toEqual([])
  })

  it.each([
    ['go test ./...', 'go test -race ./...'],
    ['pytest tests/', 'pytest -n auto tests/'],
    ['npm run test', 'pnpm test'],
    ['poetry run pytest', 'uv run pytest'],
    ['npm test', 'cd app && timeout 600 npm test'],
    ['pip install pytest', 'pip install -r dev.txt'],
    ['mkdir test-results', 'mkdir results'],
    ['docker pull app:latest', 'docker pull app:1'],
  ])('that do at least the same are not: %s, now %s', (before, after) => {
    expect(findWeakened([ci(step(before), step(after))])).toEqual([])
  })

  it.each([
    [
      'a path filter',
      "on:\n  push:\n    paths:\n      - 'tests/**'\n",
      "on:\n  push:\n    paths:\n      - 'test/**'\n",
    ],
    ['what a job needs', 'b:\n  needs:\n    - lint\n', 'b:\n  needs: [lint, test]\n'],
  ])('do not include %s', (_, before, after) => {
    expect(findWeakened([ci(before + step('npm test'), after + step('npm test'))])).toEqual([])
  })

  const manifest = (scripts: Record<string, string>) => JSON.stringify({ scripts })
  const SCRIPTS = {
    test: 'vitest run',
    'test:noop': 'true',
    'test:all': 'vitest run --coverage',
    e2e: 'playwright test',
  }
  it.each([
    ['another script that does nothing', 'npm test', 'npm run test:noop', SCRIPTS, true],
    ['another script that tests more', 'npm test', 'npm run test:all', SCRIPTS, false],
    ['the command of the script itself', 'npm test', 'npx vitest run', SCRIPTS, false],
    ['a script that now does nothing', 'npm run e2e', 'npm run e2e', { ...SCRIPTS, e2e: 'true' }, true],
    [
      'a script that calls one that does nothing',
      'npm test',
      'npm test',
      { ...SCRIPTS, test: 'npm run test:noop' },
      true,
    ],
    [
      'a script that calls another with the same command',
      'npm test',
      'npm test',
      { ...SCRIPTS, test: 'run-s unit:*', 'unit:a': 'vitest run' },
      false,
    ],
    [
      'a script of another package',
      'npm --prefix app test',
      'npm --prefix app test',
      { test: 'true' },
      false,
    ],
  ])('are followed into package.json: %s', (_, before, after, scripts, isGone) => {
    const changed = change('package.json', manifest(SCRIPTS), manifest(scripts))
    expect(findWeakened([ci(step(before), step(after)), changed])).toEqual(
      isGone ? [`CI no longer runs "${before}" (.github/workflows/a.yml)`] : [],
    )
  })

  const SHELL = '#!/bin/bash\nset -e\nnpm ci\nvitest run\necho done\n'
  const MAKE = 'ci: build\n\tvitest run\n\t@echo done\nbuild:\n\ttsc -b\n'
  const called: [string, string, string][] = [
    ['npm test', 'package.json', manifest({ test: 'vitest run' })],
    ['npm run ci', 'package.json', manifest({ ci: 'npm run unit', unit: 'vitest run' })],
    ['./scripts/all.sh', 'scripts/all.sh', SHELL],
    ['bash scripts/all.sh', 'scripts/all.sh', SHELL],
    ['make ci', 'Makefile', MAKE],
  ]
  const changed = ([command, path, text]: (typeof called)[number], from: string, to: string) =>
    findWeakened([ci(step(command), step(command)), change(path, text, text.replace(from, to))])

  it.each(called)('are followed into what hides their failures: %s', (...file) => {
    const found = [`CI ignores failures of "${file[0]}" (.github/workflows/a.yml)`]
    for (const hidden of [
      'vitest run || true',
      'vitest run || :',
      'vitest run || echo no',
      'vitest run | cat',
    ])
      expect([hidden, changed(file, 'vitest run', hidden)]).toEqual([hidden, found])
    expect(changed(file, 'vitest run', 'vitest run --passWithNoTests')).toEqual([
      `CI no longer runs "${file[0]}" (.github/workflows/a.yml)`,
    ])
    for (const more of [
      'vitest run --coverage',
      'vitest run || exit 1',
      'vitest run || { echo no; exit 1; }',
    ])
      expect([more, changed(file, 'vitest run', more)]).toEqual([more, []])
  })

  it.each([
    ['set -e', 'set +e', SHELL, './scripts/all.sh', 'scripts/all.sh'],
    ['set -e', '', SHELL, './scripts/all.sh', 'scripts/all.sh'],
    ['npm ci', "trap 'exit 0' EXIT", SHELL, './scripts/all.sh', 'scripts/all.sh'],
    ['\tvitest', '\t-vitest', MAKE, 'make ci', 'Makefile'],
    ['ci:', '.IGNORE:\nci:', MAKE, 'make ci', 'Makefile'],
  ])('are followed into what hides their failures: %j, now %j', (from, to, text, command, path) => {
    expect(changed([command, path, text], from, to)).toEqual([
      `CI ignores failures of "${command}" (.github/workflows/a.yml)`,
    ])
  })

  it.each([
    ['make ci', 'make -i ci'],
    ['npm test', '"npm test; echo done"', '\n        shell: bash {0}'],
    ['npm test', 'npm test | tee log'],
    ['npm test', '"if npm test; then echo ok; fi"'],
    ['npm test', 'npm test', '\n        shell: "true {0}"'],
    ['npm test', 'npm test', '\n        shell: cat {0}'],
    ['npm test', 'npm test', '\n        shell: bash -n {0}'],
    ['npm test', 'npm test', '\n        shell: bash -e -c true {0}'],
    ['npm test', 'npm test', '\n        shell: bash -o noexec {0}'],
    ['npm test', 'f() { npm test || true; }; f; (('],
  ])('count only if CI fails with them: %s, now %s', (before, after, shell = '') => {
    const files = [
      change('Makefile', MAKE, MAKE),
      change('package.json', manifest(SCRIPTS), manifest(SCRIPTS)),
    ]
    expect(findWeakened([ci(step(before), step(after + shell)), ...files])).toEqual([
      `CI ignores failures of "${before}" (.github/workflows/a.yml)`,
    ])
  })

  it.each(['pwsh', 'bash -e {0}', 'bash --noprofile --norc -eo pipefail {0}'])(
    'may have the shell %s, if they had it before',
    shell => {
      const text = (run: string) => step(`${run}\n        shell: ${shell}`)
      expect(findWeakened([ci(text('npm test'), text('npm test -- --coverage'))])).toEqual([])
    },
  )

  it('are read in the Makefile that make prefers', () => {
    const files = [
      change('Makefile', MAKE, MAKE),
      change('GNUmakefile', undefined, MAKE.replace('vitest run', 'vitest run || true')),
    ]
    expect(findWeakened([ci(step('make ci'), step('make ci')), ...files])).toEqual([
      'CI ignores failures of "make ci" (.github/workflows/a.yml)',
    ])
  })

  it.each([
    ['$(MAKE) test || true', 'ci:\n\t$(MAKE) test\ntest:\n\tvitest run\n'],
    ['$(MAKE) test\nci: more\n\techo', 'ci:\n\t$(MAKE) test\ntest:\n\tvitest run\n'],
  ])('are followed through the targets that a target calls: %j', (to, make) => {
    expect(changed(['make ci', 'Makefile', make], '$(MAKE) test', to)).toHaveLength(1)
  })

  it.each<[string, string, string]>([
    [
      './scripts/all.sh',
      'scripts/all.sh',
      Array.from({ length: 50 }, (_, n) => `./scripts/all.sh ${n}\n`).join(''),
    ],
    [
      'npm run ci',
      'package.json',
      manifest({ ci: Array.from({ length: 50 }, (_, n) => `npm run ci -- ${n}`).join(' && ') }),
    ],
    ['make ci', 'Makefile', `ci:\n${Array.from({ length: 50 }, (_, n) => `\t$(MAKE) ci X=${n}\n`).join('')}`],
    [
      'make t0',
      'Makefile',
      Array.from(
        { length: 200 },
        (_, n) => `t${n}: t${n + 1}\n${`\t$(MAKE) t${n + 1} X=1\n\t-$(MAKE) t${n + 2}\n`.repeat(20)}`,
      ).join(''),
    ],
    ['./scripts/all.sh', 'scripts/all.sh', `f() { ${'f;'.repeat(8)} }; f\n`],
  ])('that call each other without end are followed only so far: %s', (command, path, text) => {
    const files = [ci(step(command), step(command)), change(path, text, `${text}\n`)]
    expect(findWeakened(files)).toEqual([])
  })

  it('count in after_script of GitLab only if they were there before', () => {
    const gitlab = (key: string) => `a:\n  script:\n    - npm ci\n  ${key}:\n    - npm test\n`
    const moved = (from: string, to: string) => findWeakened([ci(gitlab(from), gitlab(to), '.gitlab-ci.yml')])
    expect(moved('before_script', 'after_script')).toEqual([
      'CI ignores failures of "npm test" (.gitlab-ci.yml)',
    ])
    expect(moved('after_script', 'after_script')).toEqual([])
  })

  it('may be built and prepared in another way', () => {
    const before = { test: 'npm run build && vitest run', build: 'tsup src', pretest: 'node generate.js' }
    const run = (after: Record<string, string>) =>
      findWeakened([
        ci(step('npm test'), step('npm test')),
        change('package.json', manifest(before), manifest({ ...before, ...after })),
      ])
    expect(run({ build: 'tsc -b', pretest: 'node make.js' })).toEqual([])
    expect(run({ test: 'npm run build' })).toEqual(['CI no longer runs "npm test" (.github/workflows/a.yml)'])
  })

  it('that move to another file are not gone', () => {
    const text = step('npm test')
    const moved = [
      change('.github/workflows/a.yml', text, undefined),
      change('.github/workflows/b.yml', undefined, text),
    ]
    expect(findWeakened(moved)).toEqual([])
    expect(findWeakened(moved.slice(0, 1))).toEqual(['steps of CI removed in .github/workflows/a.yml'])
  })
})

describe('returns before the assertions of a test', () => {
  const js = (more: string) => `it('a', () => {\n${more}  assert.equal(f(1), 2)\n})\n`
  const py = (more: string) => `def test_a():\n${more}    assert f(1) == 2\n`
  it.each([
    '  if (process.env.CI) {\n    return\n  }\n',
    '  if (process.env.CI) { return }\n',
    '  if (process.env.CI) return\n',
    '  if (true) {\n return\n }\n',
  ])('are found: %j', guard => {
    expect(findWeakened([change('a.test.js', js(''), js(guard))])).toEqual(['1 strict assertion fewer'])
  })
  it.each(["    if os.environ.get('CI'): return\n", '    if x:\n        return\n'])(
    'are found in Python: %j',
    guard => {
      expect(findWeakened([change('test_a.py', py(''), py(guard))])).toEqual(['1 strict assertion fewer'])
    },
  )
  it.each([
    [change('a.test.js', js('  if (a) {\n    return\n  }\n'), js('  if (a) return\n'))],
    [change('a.test.js', js('  if (a) return\n'), js('  if (a) { return }\n'))],
    [change('a.test.js', js(''), js("  if (!f) {\n    assert.fail('no f')\n    return\n  }\n"))],
    [change('a.test.js', js('  g()\n'), js('  [1].map(a => {\n    if (a) {\n      return\n    }\n  })\n'))],
    [change('test_a.py', py('    if a:\n        return\n'), py('    if a: return\n'))],
  ])('are not, if they were there or fail: %#', file => {
    expect(findWeakened([file])).toEqual([])
  })
  it('are not what compares two objects that must differ', () => {
    const two = '  const a = f()\n  const b = f()\n'
    expect(
      findWeakened([
        change('a.test.js', js('  assert.equal(f(2), 3)\n'), js(`${two}  assert.notEqual(a, b)\n`)),
        change('b.test.js', js('  expect(f(2)).toBe(3)\n'), js(`${two}  expect(a).not.toBe(b)\n`)),
      ]),
    ).toEqual(['2 assertions less exact'])
  })
})

describe('the limits of tests', () => {
  const TWO = "test('a', { timeout: 100 }, f)\ntest('b', { timeout: 5000 }, f)\n"
  const LONG = "  it('a', async () => {\n    if (x) {\n      y()\n    }\n  }, 5_000)\n"
  const T = "import { test as t } from 'node:test'\n"
  const raised = (path: string, from: number, to: number) => [
    `a limit raised from ${from} to ${to} in ${path}`,
  ]
  const lowered = (path: string, from: number, to: number) => [
    `a precision lowered from ${from} to ${to} in ${path}`,
  ]
  it.each<[string, FileChange, string[]]>([
    ['a smaller one, raised', edit('a.test.ts', TWO, '100', '4000'), raised('a.test.ts', 100, 4000)],
    ['the largest, raised', edit('a.test.ts', TWO, '5000', '6000'), raised('a.test.ts', 5000, 6000)],
    ['in the other order', edit('a.test.ts', TWO, /(.*\n)(.*\n)/, '$2$1'), []],
    ['of a new test', edit('a.test.ts', TWO, /$/, "test('c', { timeout: 60_000 }, f)\n"), []],
    [
      'new in a test that was there',
      change('a.test.ts', `${TWO}test('c', f)\n`, `${TWO}test('c', { timeout: 60_000 }, f)\n`),
      raised('a.test.ts', 5000, 60_000),
    ],
    [
      'of a test that has another name now',
      edit('a.test.ts', TWO, "'a', { timeout: 100", "'aa', { timeout: 4000"),
      raised('a.test.ts', 100, 4000),
    ],
    [
      'of a function that has another name now',
      change('test_a.py', 'def test_a():\n    f(timeout=1)\n', 'def test_b():\n    f(timeout=9)\n'),
      raised('test_a.py', 1, 9),
    ],
    [
      'of a call in a comparison',
      change(
        'a.test.ts',
        'assert.equal(await f({ timeout: 1 }), 2)',
        'assert.equal(await f({ timeout: 9 }), 2)',
      ),
      raised('a.test.ts', 1, 9),
    ],
    [
      'before the first test',
      change(
        'a.test.ts',
        `vi.setConfig({ testTimeout: 1 })\n${TWO}`,
        `vi.setConfig({ testTimeout: 9 })\n${TWO}`,
      ),
      raised('a.test.ts', 1, 9),
    ],
    [
      'of a test under an imported name',
      change(
        'a.test.js',
        `${T}t('a', { timeout: 1 }, f)\nt('b', f)`,
        `${T}t('a', { timeout: 1 }, f)\nt('b', { timeout: 9 }, f)`,
      ),
      raised('a.test.js', 1, 9),
    ],
    [
      'of a test in the place of another',
      edit('a.test.ts', TWO, /test\('a'.*/, "test('c', { timeout: 3000 }, () => g())"),
      [],
    ],
    [
      'lowered, next to a new test',
      edit('a.test.ts', TWO, /5000(.*\n)/, "1000$1test('c', { timeout: 60_000 }, f)\n"),
      [],
    ],
    [
      'as an expected value',
      change(
        'a.test.ts',
        'expect(f()).toEqual({\n  timeout: 5000,\n})',
        'expect(f()).toEqual({\n  timeout: 9000,\n})',
      ),
      [],
    ],
    [
      'of a new call in a test that was there',
      edit(
        'a.test.ts',
        "test('a', () => {\n  f(AbortSignal.timeout(10))\n})",
        '\n}',
        '\n  g({ timeout: 20 })\n}',
      ),
      [],
    ],
    ['the last argument', edit('a.test.ts', LONG, '5_000', '60_000'), raised('a.test.ts', 5000, 60_000)],
    ['of a timer inside', edit('a.test.ts', LONG, 'y()', 'setTimeout(() => {}, 99_000)'), []],
    [
      'an exponent',
      change('a.test.js', 'const epsilon = 1e-6', 'const epsilon = 1e-3'),
      raised('a.test.js', 1e-6, 1e-3),
    ],
    [
      'approx',
      change('test_a.py', 'assert f() == approx(2, rel=1e-6)', 'assert f() == approx(2, rel=0.5)'),
      raised('test_a.py', 1e-6, 0.5),
    ],
    [
      'digits',
      change('a.test.ts', 'expect(f(1, 2)).toBeCloseTo(3.1, 5)', 'expect(f(1, 2)).toBeCloseTo(3.1, 1)'),
      lowered('a.test.ts', 5, 1),
    ],
    [
      'digits that are left out',
      change('a.test.ts', 'expect(x).toBeCloseTo(f(3), 5)', 'expect(x).toBeCloseTo(f(3))'),
      lowered('a.test.ts', 5, 2),
    ],
    ['more digits', change('a.test.ts', 'expect(x).toBeCloseTo(3)', 'expect(x).toBeCloseTo(3, 6)'), []],
    [
      'places',
      change('test_a.py', 'self.assertAlmostEqual(x, 3, places=7)', 'self.assertAlmostEqual(x, 3, places=1)'),
      lowered('test_a.py', 7, 1),
    ],
  ])('%s', (_, file, expected) => {
    expect(findWeakened([file])).toEqual(expected)
  })

  it('are found in time in hostile text', () => {
    const words = ['it(\n', 'toBeCloseTo(', 'approx(rel=', 'assert.ok(', 'self.assertTrue(']
    const nested = ['.then(', '&& expect(', 'for (const a of [', 'try {', 'expect(a).toBe(expect.any(']
    const long = [...words, ...nested].map(word => word.repeat(10_000)).join('')
    const started = process.cpuUsage()
    for (const name of ['a.test.ts', 'test_a.py', 'vitest.config.ts', '.eslintrc.json'])
      findWeakened([change(name, long, `${long} `)])
    // Three seconds of the processor; without bounds in the patterns, minutes.
    expect(process.cpuUsage(started).user).toBeLessThan(30_000_000)
  })

  it('are compared in time, however many there are', () => {
    const lines = (count: number, line: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => line(n)).join('\n')
    const compare = (before: string, after: string) =>
      raisedLimits('a.test.ts', { text: before, code: before }, { text: after, code: after })
    const started = process.cpuUsage()
    const limits = (more: number) => lines(130_000, n => `f({ timeout: ${n + more} })`)
    expect(compare(limits(0), limits(200_000))).toEqual(raised('a.test.ts', 129_999, 329_999))
    const tests = (more: number) => lines(20_000, n => `test("${n + more}", { timeout: ${n} }, f)`)
    expect(compare(tests(0), tests(100_000))).toEqual([])
    // Two seconds of the processor; if each is looked for in a list, minutes.
    expect(process.cpuUsage(started).user).toBeLessThan(20_000_000)
  })
})

describe('code without literals', () => {
  it.each([
    ['a.ts', "f('it(') // it(\n", 'f("")  \n'],
    ['a.ts', 'a / b / c', 'a / b / c'],
    ['a.ts', 'x = /["\'`]/.test(y)', 'x = "".test(y)'],
    ['a.ts', '`a ${b ? `c` : "d"} e` + f', '"" + f'],
    ['a.ts', '/* a\nb */c', ' \nc'],
    ['a.py', 'x = """a\n"b" \'\'\'\n""" # c\ny', 'x = ""\n\n  \ny'],
    ['a.py', "f('a\\'b', \"c\")", 'f("", "")'],
    ['a.rs', 'fn f<\'a>(x: &\'a str) { "q" }', 'fn f<\'a>(x: &\'a str) { "" }'],
  ])('of %s: %j', (path, text, code) => {
    expect(stripLiterals(text, languageOf(path))).toBe(code)
  })

  it('keeps every line', () => {
    fc.assert(
      fc.property(
        fc.string({
          maxLength: 300,
          unit: fc.constantFrom('a', '"', "'", '`', '/', '*', '\\', '\n', '$', '{', '}', '#', '('),
        }),
        fc.constantFrom('a.ts', 'a.py', 'a.go'),
        (text, path) => {
          const lines = (all: string) => all.split('\n').length
          expect(lines(stripLiterals(text, languageOf(path)))).toBe(lines(text))
        },
      ),
    )
  })
})
