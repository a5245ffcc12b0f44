import { expect, test } from 'vitest'
import { MergeRecord } from '../../src/fleet/job-record.ts'
import { MachineLeases } from '../../src/fleet/machine-leases.ts'
import { MergeAttempts } from '../../src/fleet/merge-attempt.ts'
import type { MergePorts } from '../../src/fleet/merge-ports.ts'
import { baseOf } from '../../src/fleet/merge-steps.ts'
import { memoryLeases } from './memory-leases.ts'

const record = (issue: number, attempt?: { via: 'baton' | 'forge' }) =>
  MergeRecord.parse({
    version: 1,
    data: { repository: 'h/a/one', project: '/p', issue },
    pull: issue,
    base: 'main',
    since: 0,
    lineage: ['c1'],
    ...(attempt ? { attempt: { ...attempt, head: 'c1', startedAt: 0, hasChecks: true } } : {}),
  })

test('a pull request that leaves the queue gives up the base branch only if it had it', async () => {
  const leases = memoryLeases(() => 0)
  const machine = (id: string) =>
    new MachineLeases({
      leases,
      machine: async () => ({ id, name: id }),
      ttlMs: () => 600_000,
      clock: { elapsed: () => 0 },
    })
  const [bases, other] = [machine('one'), machine('two')]
  const remove = async () => {}
  const attempts = new MergeAttempts({
    bases,
    git: { remove },
    answers: { remove },
    records: { remove },
  } as unknown as MergePorts)
  const merging = record(1, { via: 'baton' })
  await bases.takeBase(baseOf(merging))
  await attempts.forget(record(2))
  await attempts.forget(record(3, { via: 'forge' }))
  expect(await other.takeBase(baseOf(merging))).toBe('one')
  await attempts.forget(merging)
  expect(await other.takeBase(baseOf(merging))).toBeUndefined()
})
