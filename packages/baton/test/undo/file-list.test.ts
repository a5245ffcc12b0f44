import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  listFiles,
  listIgnoredNames,
  listWorktree,
  recallList,
} from '../../src/adapters/git/snapshot/file-list.ts'
import { type Place, Places } from '../../src/adapters/git/snapshot/place.ts'
import { gitRepo, scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

/** As if everything had been written long ago. */
const LATER = Date.now() + 3_600_000

test.each<[string, (at: (path: string) => string) => void]>([
  ['a new file', at => writeFileSync(at('src/new.txt'), 'x')],
  ['a new file in a folder that was empty', at => writeFileSync(at('empty/deep/new.txt'), 'x')],
  ['a deleted file', at => rmSync(at('src/untracked.txt'))],
  ['a renamed folder', at => renameSync(at('src'), at('other'))],
  ['an ignore rule, changed in place', at => writeFileSync(at('src/.gitignore'), '*.txt\n')],
  ['a rule of the repository', at => writeFileSync(at('.git/info/exclude'), 'untracked.txt\n')],
  [
    'a setting that names another file with rules',
    at => writeFileSync(at('.git/config'), `[core]\n\tbare = false\n\texcludesFile = ${at('rules')}\n`),
  ],
  ['a file with rules that a setting names', at => writeFileSync(at('named-rules'), 'untracked.txt\n')],
  [
    'a link to itself in the place of a folder with rules',
    at => {
      rmSync(at('src'), { recursive: true })
      symlinkSync('src', at('src'))
    },
  ],
  ['a folder that becomes a repository', at => mkdirSync(at('empty/deep/.git/objects'), { recursive: true })],
])('git is asked again after %s', async (_, change) => {
  await using folder = scratch('bl-')
  await using repo = await gitRepo(join(folder.path, 'work'))
  const at = (path: string) => join(repo.path, path)
  mkdirSync(at('src'))
  mkdirSync(at('empty/deep'), { recursive: true })
  mkdirSync(at('.git/info'), { recursive: true })
  writeFileSync(at('src/.gitignore'), '*.log\n')
  writeFileSync(at('src/untracked.txt'), 'x')
  writeFileSync(at('src/a.log'), 'x')
  writeFileSync(at('named-rules'), '*.none\n')
  writeFileSync(at('rules'), 'untracked.txt\n')
  await repo.git('config', 'core.excludesFile', at('named-rules'))
  const place = (await new Places().find(repo.path)) ?? expect.fail()
  const list = () => listAgain(place, 'index', LATER)
  const remembered = () =>
    until(
      async () => {
        const [first, second] = [await list(), await list()]
        return first === second ? first : undefined
      },
      { what: 'the listing to be remembered' },
    )
  const listing = await list()
  const known = await remembered()
  expect(known).toMatchObject(listing)
  expect([...((await recallList(place, 'index', { sinceMs: LATER }))?.folders ?? [])].sort()).toEqual([
    '',
    'empty',
    'empty/deep',
    'src',
  ])
  // Another index is another answer.
  expect(await listAgain(place, 'other', LATER)).not.toBe(known)

  // The clock of a file system goes in steps.
  await until(() => isLater(at('.git/clock'), repo.path), { what: 'the clock of the file system' })
  const before = await remembered()
  change(at)
  const after = await list()
  expect(after).not.toBe(before)
  expect(after.files).toEqual(await listFiles(place))
  expect(after.ignored).toEqual(await listIgnoredNames(place))
})

test('a file that replaces another of the same name changes nothing about the list', async () => {
  await using repo = await gitRepo()
  const at = (path: string) => join(repo.path, path)
  mkdirSync(at('src'))
  writeFileSync(at('src/a.txt'), 'x')
  const place = (await new Places().find(repo.path)) ?? expect.fail()
  const list = () => listAgain(place, 'index', LATER)
  const known = await until(
    async () => {
      const [first, second] = [await list(), await list()]
      return first === second ? first : undefined
    },
    { what: 'the listing to be remembered' },
  )
  await until(() => isLater(at('.git/clock'), at('src')), { what: 'the clock of the file system' })
  const before = statSync(at('src')).ctimeMs
  writeFileSync(at('.git/draft'), 'y')
  renameSync(at('.git/draft'), at('src/a.txt'))
  expect(statSync(at('src')).ctimeMs).toBeGreaterThan(before)
  expect(await list()).toBe(known)
  // Its times are known now, and what comes next shows.
  await until(() => isLater(at('.git/clock'), at('src')), { what: 'the clock of the file system' })
  renameSync(at('src/a.txt'), at('src/b.txt'))
  expect((await list()).files).toContain('src/b.txt')
})

test('what changed just before is not remembered', async () => {
  await using repo = await gitRepo()
  const place = (await new Places().find(repo.path)) ?? expect.fail()
  const list = () => listAgain(place, 'index', Date.now())
  expect(await list()).not.toBe(await list())
})

const listAgain = async (place: Place, index: string, sinceMs: number) =>
  (await recallList(place, index, { sinceMs })) ?? (await listWorktree(place, index, { sinceMs }))

function isLater(clock: string, folder: string): boolean {
  writeFileSync(clock, 'x')
  return statSync(clock).ctimeMs > statSync(folder).ctimeMs + 20
}
