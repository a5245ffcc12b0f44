import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failingTests } from '../../../src/session/transcript/failing-tests.ts'
import { readReport } from '../../../src/session/transcript/test-report.ts'
import { readTest } from '../../../src/session/transcript/test-runs.ts'

/** What the runner prints at the end, how many tests failed, and which. */
const OUTPUTS: readonly (readonly [string, string, number | undefined, string[]])[] = [
  [
    'vitest',
    ' FAIL  test/a.test.ts > limits > rejects\n\n Test Files  1 failed (1)\n      Tests  1 failed | 20 passed (21)',
    1,
    ['test/a.test.ts > limits > rejects'],
  ],
  ['jest', '  ● limits › rejects\n\nTests:       1 failed, 20 passed, 21 total', 1, ['limits › rejects']],
  ['mocha', '  20 passing (12ms)\n  1 failing\n\n  1) limits rejects:\n     Error: x', 1, ['limits rejects']],
  [
    'pytest',
    'FAILED tests/test_a.py::test_limit - assert 1\n1 failed, 3 passed in 0.41s',
    1,
    ['tests/test_a.py::test_limit'],
  ],
  [
    'unittest',
    'FAIL: test_limit (tests.test_a.LimitTest)\n----\nRan 4 tests in 0.001s\n\nFAILED (failures=1)',
    1,
    ['test_limit (tests.test_a.LimitTest)'],
  ],
  [
    'go',
    '--- FAIL: TestLimit (0.00s)\n    x_test.go:12: got 1\nFAIL\nexit status 1',
    undefined,
    ['TestLimit'],
  ],
  [
    'cargo',
    'test limits::rejects ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out',
    1,
    ['limits::rejects'],
  ],
  [
    'nextest',
    '        FAIL [   0.005s] shop limits::rejects\n     Summary [   0.1s] 4 tests run: 3 passed, 1 failed, 0 skipped',
    1,
    ['shop limits::rejects'],
  ],
  [
    'bazel',
    '//api:limit_test                 FAILED in 0.3s\nExecuted 4 out of 4 tests: 1 fails locally.',
    1,
    ['//api:limit_test'],
  ],
  ['TAP', 'ok 1 - starts\nnot ok 2 - stops in time\n1..2\n# pass 1\n# fail 1', 1, ['stops in time']],
  [
    'Ceedling',
    'test/t_a.c:8:test_opens:PASS\ntest/t_a.c:21:test_shuts:FAIL: Expected 1 Was 2\nsrc/b.c:4:test_ends:FAIL\nTESTED:  3\nPASSED:  1\nFAILED:   2',
    2,
    ['test_shuts', 'test_ends'],
  ],
  ['bats', 'ok 1 starts\nnot ok 2 stops\n', undefined, ['stops']],
  [
    'gradle',
    'LimitTest > rejects() FAILED\n    java.lang.AssertionError\n\n5 tests completed, 1 failed\n\n> Task :test FAILED\n\nBUILD FAILED in 2s',
    1,
    ['LimitTest > rejects()'],
  ],
  [
    'maven',
    '[ERROR]   LimitTest.rejects:12 expected: <1>\n[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0',
    1,
    ['LimitTest.rejects'],
  ],
  [
    'dotnet',
    '  Failed Shop.LimitTest.Rejects [12 ms]\nFailed!  - Failed:     1, Passed:     9, Skipped:     0, Total:    10',
    1,
    ['Shop.LimitTest.Rejects'],
  ],
  ['gtest', '[  FAILED  ] Limit.Rejects (0 ms)\n[  PASSED  ] 3 tests.\n 1 FAILED TEST', 1, ['Limit.Rejects']],
  [
    'ctest',
    '75% tests passed, 1 tests failed out of 4\n\nThe following tests FAILED:\n\t  2 - limit_rejects (Failed)',
    1,
    ['limit_rejects'],
  ],
  [
    'rspec',
    'rspec ./spec/limit_spec.rb:3 # Limit rejects\n\n4 examples, 1 failure',
    1,
    ['./spec/limit_spec.rb:3'],
  ],
  [
    'phpunit',
    '1) LimitTest::testRejects\nFAILURES!\nTests: 4, Assertions: 4, Failures: 1.',
    1,
    ['LimitTest::testRejects'],
  ],
  ['deno', 'limits rejects ... FAILED (5ms)\n\nFAILED | 3 passed | 1 failed (12ms)', 1, ['limits rejects']],
  [
    'a script of its own',
    'PASS limits accept\nFAIL limits reject\n1 of 2 tests failed',
    1,
    ['limits reject'],
  ],
]

describe('A failed run is read by the structure of its output, whatever command ran it:', () => {
  it.each(OUTPUTS)('%s', (_, output, failing, names) => {
    for (const command of ['just verify', './scripts/all.sh', 'make test', 'bazel test //...']) {
      expect(readTest(command, true, output)).toMatchObject({
        passed: false,
        ...(failing ? { failing } : {}),
      })
      // The exit code may be that of another command.
      expect(readTest(`${command} | tail -50`, false, output)).toMatchObject({ passed: false })
    }
    expect(failingTests(output)).toEqual(names)
  })
})

describe('A passing run is not read as a failed one:', () => {
  it.each([
    ' ✓ maps 404 errors to null (2 ms)\n ✓ reports 3 failures\n Tests  2 passed (2)',
    'test maps_404_errors ... ok\n\ntest result: ok. 5 passed; 0 failed; 0 ignored; 0 measured',
    'ok  \texample/errors\t0.011s\nok  \texample/failed\t(cached)',
    'Ran 12 tests in 0.3s\n\nOK',
    'OK (12 tests, 30 assertions)',
    '12 examples, 0 failures',
    '100% tests passed, 0 tests failed out of 5',
    'Passed!  - Failed:     0, Passed:    10, Skipped:     0, Total:    10',
    '[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0',
    '//api:errors_test        PASSED in 0.3s\nExecuted 1 out of 1 test: 1 test passes.',
    'ok 1 - handles 500 errors\n1..1\n# pass 1\n# fail 0',
  ])('%s', output => {
    expect(readTest('just test', false, output)).toMatchObject({ passed: true })
    expect(readTest('npm test', false, output)).toMatchObject({ passed: true })
    expect(failingTests(output)).toEqual([])
  })
})

describe('Unknown is an answer:', () => {
  it.each([
    ['npm run deploy', 'deployed 3 functions'],
    ['cat test.log', 'Tests  2 failed | 39 passed'],
    ['git log --oneline', 'a1b2c3 Fix 2 failed tests'],
    ['npm test | tail -1', 'Done in 2s'],
    ['./run.sh', 'Retrying: 3 attempts failed so far, next in 5s'],
    ['curl localhost', '{"passed": 3, "failed": 1}'],
  ])('%s: %s', (command, output) => {
    expect(readTest(command, false, output)).toBeUndefined()
  })
})

it('Any output is read in bounded time', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 300 }),
      fc.constantFrom(' ', '.', '1 failed ', ' > ', '\n'),
      (text, unit) => {
        const output = `${unit.repeat(2000)}${text}${unit.repeat(2000)}FAILED`
        expect(() => [readReport(output), failingTests(output)]).not.toThrow()
      },
    ),
    { numRuns: 30 },
  )
})
