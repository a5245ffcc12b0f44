import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lastLineWith, waitForLine } from '../../../src/adapters/system/last-line.ts'
import { scratch } from '../../world/scratch.ts'

test('finds the last line with a text, however far back and however long it is', async () => {
  await using folder = scratch()
  const long = 'x'.repeat(700_000)
  const file = (...lines: string[]) => folder.write('file', lines.join('\n'))
  expect(lastLineWith(file('a 1', 'a 2', 'b'), 'a')).toBe('a 2')
  expect(lastLineWith(file('a 1', long, long), 'a')).toBe('a 1')
  expect(lastLineWith(file('b', `a ${long} ä`, long, ''), 'a ')).toBe(`a ${long} ä`)
  expect(lastLineWith(file(long), 'a')).toBeUndefined()
  expect(lastLineWith(file(''), 'a')).toBeUndefined()
  expect(lastLineWith(`${folder.path}/absent`, 'a')).toBeUndefined()
})

test('waits for a whole line that another program is writing, and no longer than it may', async () => {
  await using folder = scratch()
  const file = folder.write('file', 'a\n{"call_id":"b"')
  const waiting = waitForLine(file, '"call_id":"b"', 60_000)
  expect(await waitForLine(file, '"call_id":"b"', 20)).toBe(false)
  appendFileSync(file, '}\n')
  expect(await waiting).toBe(true)
  expect(await waitForLine(`${folder.path}/absent`, 'a', 60_000)).toBe(false)
})
