import { expect, test } from 'vitest'
import type { DecodedEvent } from '../../../src/ports/agent.ts'
import type { Driver, ScreenReading } from '../../../src/ports/driver.ts'
import type { Transcripts } from '../../../src/ports/transcript.ts'
import { reportSilentFailures } from '../../../src/work/workflows/mode.ts'
import { Run, runsInMemory } from '../../../src/work/workflows/run.ts'

const run = Run.parse({
  version: 1,
  session: 'ses_0123456789abcdef',
  nativeSession: 'n-1',
  agent: 'codex',
  project: '/p',
  root: '/p',
  workflow: 'issue-to-impl',
  startedAt: 0,
  seenAt: 0,
  transcript: '/t.jsonl',
  pane: '%1 /s',
})

async function toldOf({
  error = '429 Too Many Requests' as string,
  state = 'waiting' as ScreenReading['state'],
  silent = true,
  kept = run,
  paused = false,
}): Promise<DecodedEvent[]> {
  const runs = runsInMemory()
  await runs.put(kept)
  const told: DecodedEvent[] = []
  const transcripts: Transcripts = {
    ...(silent ? { failsSilently: true } : {}),
    usage: async () => undefined,
    tail: async () => ({ text: '', error: error || undefined }),
  }
  const driver = { readScreen: async () => ({ state, lines: [] }) } as Partial<Driver> as Driver
  await reportSilentFailures({
    runs,
    transcriptsOf: () => transcripts,
    driverAt: () => driver,
    tell: async (_, event) => void told.push(event),
    paused: () => paused,
  })
  return told
}

test('a failed turn without a hook is detected by the error at the end of its transcript', async () => {
  expect(await toldOf({})).toMatchObject([
    { type: 'TurnFailed', nativeSession: 'n-1', message: '429 Too Many Requests' },
  ])
})

test.each([
  ['no error', { error: '' }],
  ['a turn that tries again', { state: 'working' }],
  ['a person at the keys', { state: 'person' }],
  ['an agent that has a hook for it', { silent: false }],
  ['a run that has ended', { kept: { ...run, end: { kind: 'failed', reason: 'x', at: 0 } } }],
  ['a run that is paused', { paused: true }],
  ['a run without a terminal', { kept: { ...run, pane: undefined } }],
] as const)('%s is not a failure', async (_, given) => {
  expect(await toldOf(given)).toEqual([])
})
