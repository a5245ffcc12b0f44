import { expect, it } from 'vitest'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import { scratch } from '../../world/scratch.ts'

it('What a process left half written, when it was killed, is not a file and blocks no one', async () => {
  await using folder = scratch()
  for (let n = 1; n <= 50; n++) folder.write(`kept/a.json.${process.pid}.${n}.tmp`, '{"half":')
  await systemSmallFiles.write(folder.path, 'kept/a.json', '{}')
  expect((await systemSmallFiles.list(folder.path, 'kept')).map(({ name }) => name)).toEqual(['a.json'])
})
