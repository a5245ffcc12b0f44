import { describe, expect, it } from 'vitest'
import { readTest } from '../../../src/session/transcript/test-runs.ts'
import { NO_EVIDENCE, observe } from '../../../src/work/workflows/evidence.ts'
import { MIXED_STUCK, MIXED_WORKING } from './traces/mixed.ts'
import { WORKING } from './traces/progress-made.ts'
import { BUSY, STUCK } from './traces/stuck.ts'
import { errorRates } from './traces/trace.ts'
import { event, shell } from './world.ts'

it('On labelled traces, working runs are rarely ended and stuck ones rarely continue', () => {
  const rates = errorRates([...WORKING, ...MIXED_WORKING, ...STUCK, ...BUSY, ...MIXED_STUCK])
  expect(rates.traces).toBeGreaterThanOrEqual(60)
  expect(rates.falseAlarms.rate, rates.falseAlarms.names.join(', ')).toBeLessThanOrEqual(0.04)
  expect(rates.misses.rate, rates.misses.names.join(', ')).toBeLessThanOrEqual(0.04)
})

describe('A test run is read from its command and output', () => {
  it.each([
    ['npm test', false, ' Tests  41 passed', true, undefined],
    ['npx vitest run', true, ' Tests  2 failed | 39 passed', false, 2],
    ['npm test | tail -5', false, ' Tests  2 failed | 39 passed', false, 2],
    ['python -m pytest -q', true, '3 failed, 10 passed in 0.12s', false, 3],
    ['go test ./...', true, 'FAIL\texample.com/x\t0.2s', false, undefined],
    ['cd app && cargo test', false, 'test result: ok. 5 passed; 0 failed', true, 0],
    ['make check', true, 'make: *** [check] Error 1', false, undefined],
  ])('%s', (command, failed, output, passed, failing) => {
    expect(readTest(command, failed, { stdout: output })).toMatchObject({
      passed,
      ...(failing === undefined ? {} : { failing }),
    })
  })
  it.each(['ls test', 'cat package.json', 'git commit -m "test"', 'vim test.ts'])('%s runs none', command => {
    expect(readTest(command, false, '')).toBeUndefined()
  })
  it('and two runs that differ only in their times are the same', () => {
    const run = (ms: number) => readTest('npm test', true, ` FAIL a.test.ts (${ms} ms)\n 1 failed`)?.signature
    expect(run(12)).toBe(run(345))
  })
})

it("A todo list is understood in either of Claude Code's forms", () => {
  const list = event('ToolFinished', 's', {
    tool: 'TodoWrite',
    input: { todos: [{ status: 'completed' }, { status: 'pending' }] },
  })
  expect(observe(NO_EVIDENCE, list).todo).toBe(1)
  const point = event('ToolFinished', 's', {
    tool: 'TaskUpdate',
    input: { taskId: '2', status: 'completed' },
  })
  expect(observe(observe(NO_EVIDENCE, point), point).todo).toBe(2)
})

it('Hostile tool output is parsed quickly', () => {
  const began = performance.now()
  for (const output of [
    'FAIL '.repeat(1e6),
    '1 failed\n'.repeat(1e5),
    '\x1b[31m'.repeat(1e5),
    `${'9'.repeat(1e6)} failed`,
  ])
    observe(NO_EVIDENCE, shell('s', `npm test ${'&& npm test '.repeat(1000)}`, output, true))
  expect(performance.now() - began).toBeLessThan(3000)
})
