import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { expect, test } from 'vitest'
import { folderProblem, openStateFolder } from '../../src/config/state-folder.ts'
import { scratch } from '../world/scratch.ts'

test('a state folder below a file is refused in one sentence that says what to do', async () => {
  await using folder = scratch()
  folder.write('home', '')
  const dir = join(folder.path, 'home/.local/state/baton')
  expect(() => openStateFolder(dir)).toThrow(
    expect.objectContaining({ code: 'not_allowed', message: expect.stringContaining(dir) }),
  )
})

test('a home in which nothing can be created ends with the same sentence, and not in a loop', () => {
  // macOS has no /proc, and nothing can be created in its root.
  expect(() => openStateFolder('/proc/home-of-nobody/.local/state/baton')).toThrow(
    expect.objectContaining({
      code: 'not_allowed',
      message: expect.stringContaining('/proc/home-of-nobody'),
      remedy: expect.stringContaining('BATON_HOME'),
    }),
  )
})

test('a state folder several levels deep is created, and one that exists is taken', async () => {
  await using folder = scratch()
  const dir = join(folder.path, 'a/b/c/d')
  for (let times = 0; times < 2; times++) expect(openStateFolder(dir)).toMatchObject({ dir })
})

test.each(['EROFS', 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])(
  '%s while creating the state folder names the folder and BATON_HOME',
  code => {
    const problem = folderProblem('/home/dev/state', Object.assign(new Error(`${code}: mkdir`), { code }))
    expect(problem).toBeInstanceOf(BatonError)
    expect(problem).toMatchObject({
      message: expect.stringContaining('/home/dev/state'),
      remedy: expect.stringContaining('BATON_HOME'),
    })
  },
)

test('another failure keeps its own words', () => {
  const cause = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
  expect(folderProblem('/home/dev/state', cause)).toBe(cause)
})
