import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfigHere } from '../../src/cli/load-config.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

test('a workflow of a project that is not trusted, or is wrong, is named where one looks', async () => {
  await using home = scratch()
  await using repo = await gitRepo()
  const here = { env: {}, home: home.path, cwd: repo.path }
  expect(await loadConfigHere(here)).toMatchObject({ problems: [], notices: [] })
  repo.write('.baton/workflows/release.md', '---\ncommands: [/release]\n---\nGo on.\n')
  const { notices } = await loadConfigHere(here)
  expect(notices).toMatchObject([
    { file: join(repo.path, '.baton/workflows/release.md'), message: expect.stringContaining('not trusted') },
  ])
  home.write('.baton/workflows/mine.md', '---\ngoal: x\ncomands: [/mine]\n---\nGo on.\n')
  expect((await loadConfigHere(here)).problems).toMatchObject([
    { file: join(home.path, '.baton/workflows/mine.md'), line: 3 },
  ])
})
