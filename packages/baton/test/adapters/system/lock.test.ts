import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemFiles } from '../../../src/adapters/system/files.ts'
import { scratch } from '../../world/scratch.ts'

test('work on one file happens one at a time, and nothing is left behind', async () => {
  await using folder = scratch()
  const path = join(folder.path, 'state.json')
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 12 }, () =>
      systemFiles.exclusively(path, async () => {
        most = Math.max(most, ++inside)
        await new Promise(resolve => setImmediate(resolve))
        inside--
      }),
    ),
  )
  expect(most).toBe(1)
  expect(readdirSync(folder.path)).toEqual([])
})

test('a lock whose holder was killed is taken over', async () => {
  await using folder = scratch()
  const path = join(folder.path, 'state.json')
  writeFileSync(`${path}.lock`, '999999999')
  expect(await systemFiles.exclusively(path, async () => 'done')).toBe('done')
  expect(existsSync(`${path}.lock`)).toBe(false)
})
