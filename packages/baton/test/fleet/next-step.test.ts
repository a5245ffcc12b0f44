import { describe, expect, test } from 'vitest'
import { JobRecord } from '../../src/fleet/job-record.ts'
import { type JobFacts, nextJobStep } from '../../src/fleet/next-step.ts'

const NOW = 1_800_000_000_000
const MINUTE = 60_000
const record = (more: Partial<JobRecord>): JobRecord =>
  JobRecord.parse({
    version: 1,
    job: 'job-1',
    data: { repository: 'h/a/one', project: '/p', issue: 42, priority: 0 },
    agent: 'claude-code',
    clone: '/p-fleet/issue-42',
    objects: '/p-fleet/shared.git/objects',
    stage: 'working',
    takenAt: NOW - 10 * MINUTE,
    startedAt: NOW - 9 * MINUTE,
    terminal: 'issue-42-abcd',
    ...more,
  })
const pull = { number: 7, url: 'https://example.com/7', state: 'open' as const }
const coding: JobFacts = { agent: 'alive', claim: { phase: 'coding', isLost: false } }
const end = (kind: string, minutesAgo = 1) => ({ kind, reason: 'because', at: NOW - minutesAgo * MINUTE })

describe('the next step of a job', () => {
  test.each<[string, Partial<JobRecord>, JobFacts, object]>([
    ['a job that was taken is prepared', { stage: 'taken' }, { agent: 'never' }, { do: 'prepare' }],
    ['a claimed clone gets an agent', { stage: 'claimed' }, coding, { do: 'start' }],
    ['an agent that works is left alone', {}, coding, { do: 'wait' }],
    [
      'an agent that just started is left alone',
      { startedAt: NOW - 1000 },
      { ...coding, agent: 'never' },
      { do: 'wait' },
    ],
    [
      'an agent that was never started, because the daemon was killed, is started',
      {},
      { ...coding, agent: 'never' },
      { do: 'start' },
    ],
    [
      'a pull request ends the work',
      {},
      { agent: 'gone', claim: { phase: 'pr_created', isLost: false, pull } },
      { do: 'opened', pull },
    ],
    [
      'a branch that was handed off waits for its proof, although the agent has gone',
      {},
      { agent: 'gone', claim: { phase: 'ready_for_pr', isLost: false } },
      { do: 'wait', note: 'Baton checks the branch' },
    ],
    [
      'an agent that went away without a result fails',
      {},
      { ...coding, agent: 'gone' },
      { do: 'fail', reason: 'The agent ended without handing the branch off' },
    ],
    [
      'a run that stalled fails with its reason',
      {},
      { ...coding, runEnd: end('stalled') },
      { do: 'fail', reason: 'The run ended as stalled: because' },
    ],
    [
      'the end of an earlier attempt does not count',
      {},
      { ...coding, runEnd: end('stalled', 30) },
      { do: 'wait' },
    ],
    [
      'a run that waits for a usage limit waits',
      {},
      { ...coding, runEnd: end('limit-parked') },
      { do: 'wait', note: 'because' },
    ],
    [
      'a released claim puts the job back',
      {},
      { agent: 'alive' },
      { do: 'put-back', reason: 'The claim of the issue was released' },
    ],
    [
      'a lost claim puts the job back',
      {},
      { agent: 'alive', claim: { phase: 'coding', isLost: true } },
      { do: 'put-back', reason: 'Another session took the issue over' },
    ],
    [
      'a lost claim ends the work here if another machine may have the issue',
      {},
      { agent: 'alive', isShared: true, claim: { phase: 'coding', isLost: true } },
      { do: 'fence', reason: 'Another session took the issue over' },
    ],
    ['a job that waits in the queue is left alone', { stage: 'waiting' }, { agent: 'gone' }, { do: 'wait' }],
    [
      'a failure that passes is waited out',
      { stage: 'taken', notBefore: NOW + 1 },
      { agent: 'never' },
      { do: 'wait' },
    ],
    [
      'a pull request in review is followed',
      { stage: 'review', pull },
      { agent: 'alive', claim: { phase: 'pr_created', isLost: false, pull } },
      { do: 'wait' },
    ],
    [
      'a merge is noted',
      { stage: 'review', pull },
      { agent: 'alive', claim: { phase: 'pr_created', isLost: false, pull: { ...pull, state: 'merged' } } },
      { do: 'note-pull', pull: { ...pull, state: 'merged' } },
    ],
    [
      'after the merge, the end of the claim cleans up',
      { stage: 'review', pull: { ...pull, state: 'merged' } },
      { agent: 'gone' },
      { do: 'clean' },
    ],
    [
      'a merge and the end of the claim between two looks clean up, too',
      { stage: 'review', pull },
      { agent: 'gone', pullState: 'merged' },
      { do: 'clean' },
    ],
    [
      'without a merge, the clone stays',
      { stage: 'review', pull },
      { agent: 'gone' },
      { do: 'keep', reason: 'The claim ended without a merge' },
    ],
  ])('%s', (_, more, facts, expected) => {
    expect(nextJobStep(record(more), facts, NOW)).toEqual(expected)
  })
})
