import { expect, it } from 'vitest'
import type { TranscriptItem } from '../../../src/ports/transcript.ts'
import { collectFacts } from '../../../src/session/transcript/collect-facts.ts'
import { readTest } from '../../../src/session/transcript/test-runs.ts'

const FAILS = 'FAILED tests/test_crane.py::test_stays_free - assert 2 == 1\n1 failed, 14 passed in 0.82s'
const run = (command: string, text: string, failed: boolean, id = command): TranscriptItem[] => [
  { kind: 'call', id, tool: 'Bash', action: { kind: 'shell', command }, at: 1 },
  { kind: 'result', id, failed, text, at: 2 },
]
async function collect(...items: TranscriptItem[][]) {
  const pieces = async function* () {
    yield items.flat()
  }
  return collectFacts(pieces(), readTest)
}

it.each([
  ['other tests', 'python -m pytest tests/test_window.py'],
  ['a selected test', 'pytest tests/test_crane.py::test_moves'],
  ['the tests of another program', 'go test ./...'],
])('keeps a failing test although a later run of %s passed', async (_, command) => {
  const { test, stillFailing, facts } = await collect(
    run('python -m pytest tests/test_crane.py', FAILS, true),
    run(command, '6 passed in 0.11s', false),
  )
  expect(test).toMatchObject({ command, passed: true })
  expect(stillFailing).toMatchObject([{ command: 'python -m pytest tests/test_crane.py', passed: false }])
  expect(facts?.failing).toEqual(['tests/test_crane.py::test_stays_free'])
})

it.each([
  ['the same tests', 'python -m pytest tests/test_crane.py'],
  ['the folder', 'pytest tests/'],
  ['all tests', 'pytest'],
  ['the project’s script', 'make test'],
])('a failing test is gone when a later run of %s passed', async (_, command) => {
  const { stillFailing, facts } = await collect(
    run('python -m pytest tests/test_crane.py', FAILS, true, 'first'),
    run(command, '15 passed in 0.11s', false, 'second'),
  )
  expect(stillFailing).toEqual([])
  expect(facts?.failing).toEqual([])
})

it('a run of everything that failed is answered by a run of the file that its output names', async () => {
  const { facts } = await collect(
    run('pytest', FAILS, true),
    run('pytest tests/test_crane.py', '15 passed in 0.11s', false),
  )
  expect(facts?.failing).toEqual([])
})

it('a command that prints nothing but "ok" ran no test', async () => {
  const { test } = await collect(run('wrangler secret put LINE', 'ok', false))
  expect(test).toBeUndefined()
})

it('finds words that the output of one command holds, and not those of two', async () => {
  const pieces = async function* () {
    yield [...run('nproc', '16', false), ...run('squeue -u me', '4417093 short melt R 0:41', false)]
  }
  const together = [
    ['4417093', 'short*'],
    ['4417093', '16'],
    ['441709', 'short*'],
    ['0:41', 'a+b(c'],
  ]
  const { mentioned } = await collectFacts(pieces(), readTest, { together })
  expect([...(mentioned ?? [])]).toEqual(['4417093\0short*'])
})
