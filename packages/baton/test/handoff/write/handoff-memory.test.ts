import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import { HandoffMemory } from '../../../src/handoff/write/handoff-memory.ts'
import { sessionId } from '../../world/journal.ts'
import { scratch } from '../../world/scratch.ts'

it('Records of old deliveries are deleted, and the rest is kept', async () => {
  await using folder = scratch()
  const memory = new HandoffMemory(systemSmallFiles, folder.path)
  for (const n of [1, 2]) await memory.receive(sessionId(n), { document: `handoff-${n}.md` })
  await memory.await('/p', { document: 'handoff-1.md' })
  await memory.await('/q', { document: 'handoff-2.md' })
  const [old] = readdirSync(join(folder.path, 'handoff/waiting'))
  utimesSync(join(folder.path, 'handoff/waiting', old ?? ''), 1, 1)
  utimesSync(join(folder.path, 'handoff/received', `${sessionId(1)}.json`), 1, 1)
  await memory.tidy(1_000_000)
  expect(await memory.received(sessionId(1))).toBeUndefined()
  expect(await memory.received(sessionId(2))).toEqual({ document: 'handoff-2.md' })
  expect(readdirSync(join(folder.path, 'handoff/waiting'))).toHaveLength(1)
})
