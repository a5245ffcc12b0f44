import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gitUnnamedWrites } from '../../../src/adapters/git/unnamed-writes.ts'
import { isGuarded } from '../../../src/permission/paths/protected.ts'
import { gitRepo, type Repository } from '../../world/scratch.ts'

const SETTINGS = '.claude/settings.json'
const GUARDED = { folders: [], ports: [], pids: [] }
const brings = ({ path }: Repository, command: string) =>
  gitUnnamedWrites.mayChange(path, [command.split(' ')], file => isGuarded(file, GUARDED))

/** On main: no hooks, hooks on `evil`, another file on `fine`. */
async function branches(): Promise<Repository> {
  const repo = await gitRepo()
  await repo.git('switch', '-qc', 'evil')
  await repo.commit({ [SETTINGS]: '{"disableAllHooks": true}' })
  await repo.git('switch', '-qc', 'fine', 'main')
  await repo.commit({ 'src/a.ts': 'a' })
  await repo.git('switch', '-q', 'main')
  return repo
}

it.each([
  'checkout evil',
  'checkout -f evil',
  'checkout -b new evil',
  'checkout evil -- .',
  'switch evil',
  'switch --detach evil~0',
  'restore --source=evil .',
  'restore -s evil .',
  'reset --hard evil',
  'merge evil',
  'cherry-pick evil',
  'cherry-pick main..evil',
  'checkout main...evil',
  'worktree add ../x evil',
  'pull',
  'rebase evil',
  'am x.patch',
  'read-tree -u --reset evil',
  'submodule update',
  'apply',
  'tar',
  'unknown',
])('git %s may bring hooks', async command => {
  await using repo = await branches()
  expect(await brings(repo, command)).toBe(true)
})

it.each([
  'checkout fine',
  'checkout -b new',
  'checkout -b new fine',
  'checkout fine -- src/a.ts',
  'checkout -- README.md',
  'switch fine',
  'switch -c another',
  'restore README.md',
  'reset --hard HEAD~0',
  'merge fine',
  'cherry-pick fine',
  'revert HEAD',
  'commit -am x',
  'stash',
  'stash list',
  'rm README.md',
  'clean -fd',
])('git %s brings none', async command => {
  await using repo = await branches()
  repo.write('README.md', 'changed')
  repo.write('new.txt', 'new')
  expect(await brings(repo, command)).toBe(false)
})

const inside = ({ path }: Repository, command: string) =>
  gitUnnamedWrites.mayChange(path, [command.split(' ')], file => isGuarded(file, GUARDED), false)

it.each([
  ['rebase evil', true],
  ['rebase -q fine', false],
  ['rebase --autostash fine', false],
  ['rebase', false],
  ['pull --rebase origin fine', false],
  ['pull origin evil', true],
  ['rebase -x make fine', true],
  ['rebase --onto fine main', true],
  ['rebase main fine', false],
  ['rebase fine evil', true],
  ['rebase evil fine', true],
  ['rebase -i --autosquash fine', false],
  ['rebase -i evil', true],
  ['rebase --continue', false],
  ['rebase --abort', false],
  ['reset evil', false],
  ['reset --soft evil', false],
  ['reset --hard evil', true],
  ['reset --hard fine', false],
  ['apply new.patch', false],
  ['apply --index new.patch', true],
  // Git takes it for --index.
  ['apply --ind new.patch', true],
  ['reset --har evil', true],
  ['update-index --chmod=+x README.md', false],
  ['rebase main..evil', true],
  ['pull --strategy=ours', true],
  ['switch evil', true],
  ['switch fine', false],
])('in the sandbox, whether git %s may bring hooks: %s', async (command, may) => {
  await using repo = await branches()
  await repo.remote()
  await repo.git('push', '-q', 'origin', 'evil', 'fine')
  await repo.git('fetch', '-q')
  expect(await inside(repo, command)).toBe(may)
})

it('in the sandbox, an unfinished rebase onto other hooks may bring them', async () => {
  await using repo = await branches()
  await repo.commit({ [SETTINGS]: '{}' })
  await expect(repo.git('rebase', 'evil')).rejects.toThrow()
  expect(await inside(repo, 'rebase --continue')).toBe(true)
  expect(await inside(repo, 'rebase --abort')).toBe(true)
})

it('in the sandbox, a stash that the command itself makes first brings back what is here now', async () => {
  await using repo = await branches()
  repo.write('src/a.ts', 'changed')
  expect(await inside(repo, 'stash pop')).toBe(false)
  expect(await inside(repo, 'stash apply 1')).toBe(true)
  repo.write(SETTINGS, '{}')
  await repo.git('add', SETTINGS)
  expect(await inside(repo, 'stash pop')).toBe(true)
})

it('A branch with the same hooks brings nothing new, one that lacks them takes them away', async () => {
  await using repo = await branches()
  await repo.git('merge', '-q', 'evil')
  await repo.git('branch', '-f', 'fine', 'HEAD')
  expect(await brings(repo, 'checkout fine')).toBe(false)
  expect(await brings(repo, 'checkout evil~1')).toBe(true)
  expect(await brings(repo, 'revert HEAD')).toBe(true)
  expect(await brings(repo, 'rm -r .')).toBe(true)
  expect(await brings(repo, 'rm README.md')).toBe(false)
})

it('A branch that only the remote has, a stash, the index and untracked files are looked into', async () => {
  await using repo = await branches()
  await repo.remote()
  await repo.git('push', '-q', 'origin', 'evil:far')
  expect(await brings(repo, 'switch far')).toBe(true)
  repo.write(SETTINGS, '{}')
  expect(await brings(repo, 'clean -fd')).toBe(true)
  expect(await brings(repo, 'stash -u')).toBe(true)
  await repo.git('stash', '-qu')
  expect(await brings(repo, 'stash pop')).toBe(true)
  expect(await brings(repo, 'stash apply 0')).toBe(true)
  await repo.git('stash', 'drop', '-q')
  expect(await brings(repo, 'stash pop')).toBe(true)
  const blob = await repo.git('rev-parse', `evil:${SETTINGS}`)
  await repo.git('update-index', '--add', '--cacheinfo', `100644,${blob},${SETTINGS}`)
  expect(await brings(repo, 'checkout -- .')).toBe(true)
  expect(await brings(repo, 'restore .')).toBe(true)
})

it('A patch is read: what it names, what it quotes, where it is put', async () => {
  await using repo = await branches()
  const patch = async (text: string, more = '') => {
    writeFileSync(join(repo.path, 'x.patch'), text)
    return await brings(repo, `apply ${more}${join(repo.path, 'x.patch')}`)
  }
  const change = (path: string) =>
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`
  expect(await patch(change('src/a.ts'))).toBe(false)
  expect(await patch(change('src/a.ts'), '--directory=.claude ')).toBe(true)
  expect(await patch(change('src/a.ts') + change(SETTINGS))).toBe(true)
  expect(await patch('--- /dev/null\n+++ "b/\\056claude/settings.json"\n@@ -0,0 +1 @@\n+b\n')).toBe(true)
  expect(await patch(`rename from x\nrename to ${SETTINGS}\n`)).toBe(true)
  expect(await brings(repo, 'apply /nowhere.patch')).toBe(true)
})

it('Hooks among the files that were changed run nothing with the next commit', async () => {
  await using repo = await branches()
  await repo.commit({ '.husky/pre-commit': '#!/bin/sh\n' })
  await repo.git('config', 'core.hooksPath', '.husky')
  expect(await brings(repo, 'commit -m x')).toBe(false)
  repo.write('.husky/pre-commit', '#!/bin/sh\nevil\n')
  expect(await brings(repo, 'commit -m x')).toBe(true)
  expect(await brings(repo, 'commit --no-verify -m x')).toBe(true)
})

it('a pipe or a link in the place of a patch may bring anything, and holds nothing up', async () => {
  await using repo = await branches()
  const [pipe, link] = [join(repo.path, 'pipe.patch'), join(repo.path, 'link.patch')]
  execFileSync('mkfifo', [pipe])
  symlinkSync('/dev/zero', link)
  for (const patch of [pipe, link]) expect(await brings(repo, `apply ${patch}`)).toBe(true)
})
