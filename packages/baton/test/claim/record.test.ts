import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ClaimRecord, ClaimRecords } from '../../src/claim/record.ts'
import type { SmallFiles } from '../../src/ports/small-files.ts'

const record = ClaimRecord.parse({
  version: 1,
  id: `clm_${'0'.repeat(20)}`,
  issue: 42,
  project: '/p',
  home: '/p',
  repository: 'github.com/o/r',
  branch: 'issue-42',
  agentId: 'me-1',
  claimedAt: 0,
  stage: 'held',
  lease: { kind: 'git', token: 1, renewedAt: 0 },
})

it('Two changes of a claim at once both count, in memory and on disk', async () => {
  const disk = new Map<string, string>()
  let writes = 0
  const files: SmallFiles = {
    read: async () => ({ kind: 'absent' }),
    list: async () => [],
    append: async () => {},
    remove: async (_, name) => disk.delete(name),
    async write(_, name, text) {
      // The first write takes longer than the second.
      if (writes++ === 1) for (let i = 0; i < 5; i++) await turn()
      disk.set(name, text)
    },
  }
  const records = new ClaimRecords(files, '/state')
  await records.put(record)
  await Promise.all([
    records.change(record, known => ({ ...known, lease: { ...known.lease, renewedAt: 9 } })),
    records.change(record, known => ({ ...known, pane: '%1 /s' })),
  ])
  const both = { pane: '%1 /s', lease: { renewedAt: 9 } }
  expect(await records.at('/p')).toMatchObject(both)
  expect(JSON.parse([...disk.values()][0] ?? '')).toMatchObject(both)
})
