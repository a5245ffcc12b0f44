import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitRepo, scratch } from './scratch.ts'

test('a scratch folder has a short path and is gone after use', async () => {
  let path: string
  {
    await using folder = scratch()
    path = folder.path
    expect(readFileSync(folder.write('deep/er/file.txt', 'x'), 'utf8')).toBe('x')
  }
  expect(path.length).toBeLessThan(60)
  expect(existsSync(path)).toBe(false)
})

test('a repository is real git with its own identity and a bare remote on demand', async () => {
  await using repository = await gitRepo()
  const head = await repository.commit({ 'src/a.ts': 'export {}\n' }, 'Add a')
  const bare = await repository.remote()

  expect(await repository.git('log', '-1', '--format=%an <%ae> %s')).toBe('Dev <dev@example.com> Add a')
  expect(await repository.git('rev-parse', 'origin/main')).toBe(head)
  expect(await repository.remote()).toBe(bare)
  expect(existsSync(join(bare, 'HEAD'))).toBe(true)
  expect(await repository.git('status', '--porcelain')).toBe('')
})
