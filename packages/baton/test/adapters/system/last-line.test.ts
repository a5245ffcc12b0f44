import { expect, test } from 'vitest'
import { lastLineWith } from '../../../src/adapters/system/last-line.ts'
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
