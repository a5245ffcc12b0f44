import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemGit } from '../../../src/adapters/git/git.ts'
import { gitRepo, scratch } from '../../world/scratch.ts'

it('The worktree is told by its head, its branch and what is not committed', async () => {
  await using repo = await gitRepo()
  const look = async () => (await systemGit.worktree(repo.path)) ?? { head: '', tree: '', branch: '' }
  const clean = await look()
  expect(clean).toMatchObject({ root: repo.path, branch: 'main', head: await repo.git('rev-parse', 'HEAD') })
  repo.write('new.txt', 'one')
  const one = await look()
  repo.write('new.txt', 'two')
  const two = await look()
  expect(new Set([clean.tree, one.tree, two.tree]).size).toBe(3)
  repo.write('new.txt', 'one')
  expect((await look()).tree).toBe(one.tree)
  repo.write('README.md', 'changed')
  expect((await look()).tree).not.toBe(one.tree)
  await repo.commit({})
  expect((await look()).tree).toBe(clean.tree)
  expect((await look()).head).not.toBe(clean.head)
})

it("Baton's own files are not a change, and are hidden from git", async () => {
  await using repo = await gitRepo()
  const before = await systemGit.worktree(repo.path)
  repo.write('.tmp/hooked-sessions/a.json', '{}')
  expect((await systemGit.worktree(repo.path))?.tree).toBe(before?.tree)
  await systemGit.exclude(repo.path, '/.tmp/')
  await systemGit.exclude(repo.path, '/.tmp/')
  expect(await repo.git('status', '--porcelain')).toBe('')
  const lines = readFileSync(join(repo.path, '.git/info/exclude'), 'utf8').split('\n')
  expect(lines.filter(line => line === '/.tmp/')).toHaveLength(1)
})

it('Pipes, links and huge files in the place of what Baton reads hold nothing up', async () => {
  await using repo = await gitRepo()
  const own = (name: string) => join(repo.path, '.git', name)
  rmSync(own('info/exclude'), { force: true })
  mkdirSync(own('info'), { recursive: true })
  execFileSync('mkfifo', [own('info/exclude')])
  await systemGit.exclude(repo.path, '/.tmp/')
  rmSync(own('info/exclude'))
  repo.write('target.txt', 'as it was')
  symlinkSync(join(repo.path, 'target.txt'), own('info/exclude'))
  await systemGit.exclude(repo.path, '/.tmp/')
  expect(readFileSync(join(repo.path, 'target.txt'), 'utf8')).toBe('as it was')
  mkdirSync(own('rebase-merge'))
  execFileSync('mkfifo', [own('rebase-merge/head-name')])
  await repo.git('checkout', '-q', '--detach')
  execFileSync('mkfifo', [join(repo.path, 'pipe')])
  expect((await systemGit.worktree(repo.path))?.branch).toBeFalsy()
  rmSync(own('rebase-merge/head-name'))
  writeFileSync(own('rebase-merge/head-name'), 'refs/heads/x')
  truncateSync(own('rebase-merge/head-name'), 3_000_000_000)
  expect((await systemGit.worktree(repo.path))?.branch).toBeFalsy()
})

it('A linked worktree, an empty repository and no repository at all are understood', async () => {
  await using repo = await gitRepo()
  const linked = join(repo.path, '../linked')
  await repo.git('worktree', 'add', '-q', '-b', 'issue-1', linked)
  expect(await systemGit.worktree(linked)).toMatchObject({ root: linked, branch: 'issue-1' })
  await systemGit.exclude(linked, '/.tmp/')
  await using empty = scratch()
  expect(await systemGit.worktree(empty.path)).toBeUndefined()
  await systemGit.exclude(empty.path, '/.tmp/')
  await repo.git('init', '-q', join(empty.path, 'new'))
  expect(await systemGit.worktree(join(empty.path, 'new'))).toMatchObject({ head: '' })
})

it('The remote is origin, or the only one', async () => {
  await using repo = await gitRepo()
  expect(await systemGit.remoteUrl(repo.path)).toBeUndefined()
  await repo.git('remote', 'add', 'fork', 'https://github.com/me/app.git')
  expect(await systemGit.remoteUrl(repo.path)).toBe('https://github.com/me/app.git')
  await repo.git('remote', 'add', 'origin', 'https://github.com/acme/app.git')
  expect(await systemGit.remoteUrl(repo.path)).toBe('https://github.com/acme/app.git')
})

it("A repository's own settings run nothing", async () => {
  await using repo = await gitRepo()
  await repo.commit({ 'other.txt': 'as it was' })
  const trap = repo.write('.git/trap.sh', `#!/bin/sh\ntouch ${repo.path}/.git/sprung\n`, 0o755)
  await repo.git('config', 'core.fsmonitor', trap)
  await repo.git('config', 'diff.external', trap)
  await repo.git('config', 'diff.trap.textconv', trap)
  await repo.git('config', 'filter.trap.clean', trap)
  await repo.git('config', 'filter.a=b.c.process', trap)
  await repo.git('config', 'filter.a=b.c.required', 'true')
  writeFileSync(join(repo.path, '.git/info/attributes'), '* diff=trap filter=trap\nother.txt filter=a=b.c\n')
  repo.write('README.md', 'changed')
  repo.write('other.txt', 'changed')
  expect(await systemGit.worktree(repo.path)).toBeDefined()
  expect((await systemGit.readPosition(repo.path))?.dirty.sort()).toEqual(['README.md', 'other.txt'])
  expect(() => readFileSync(join(repo.path, '.git/sprung'))).toThrow()
})

it("A submodule's own settings run nothing, and its commits still count", async () => {
  await using repo = await gitRepo()
  await using other = await gitRepo()
  await repo.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', other.path, 'part')
  await repo.git('commit', '-qm', 'a part')
  const part = join(repo.path, 'part')
  const inner = join(repo.path, '.git/modules/part')
  const trap = repo.write('.git/trap.sh', `#!/bin/sh\ntouch ${repo.path}/.git/sprung\ncat\n`, 0o755)
  for (const key of ['core.fsmonitor', 'diff.external', 'diff.trap.textconv', 'filter.trap.clean'])
    await repo.git('-C', part, 'config', key, trap)
  await repo.git('config', 'diff.submodule', 'diff')
  writeFileSync(join(inner, 'info/attributes'), '* diff=trap filter=trap\n')
  repo.write('part/README.md', 'changed!')
  const before = await systemGit.worktree(repo.path)
  const standing = await systemGit.readPosition(repo.path)
  expect(existsSync(join(repo.path, '.git/sprung'))).toBe(false)
  expect(standing?.dirty).toEqual([])
  expect(standing?.submodules).toEqual(['part'])
  expect(standing?.state).toEqual(['The submodule part has uncommitted changes in README.md'])

  rmSync(join(inner, 'info/attributes'))
  await repo.git(
    '-C',
    part,
    '-c',
    'core.fsmonitor=false',
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b',
    'commit',
    '-qam',
    'more',
  )
  expect((await systemGit.worktree(repo.path))?.tree).not.toBe(before?.tree)
  expect((await systemGit.readPosition(repo.path))?.dirty).toEqual(['part'])
  expect(existsSync(join(repo.path, '.git/sprung'))).toBe(false)
})

it('An unfinished rebase is named with its branch, although HEAD is detached', async () => {
  await using repo = await gitRepo()
  await repo.git('checkout', '-qb', 'topic')
  await repo.commit({ 'README.md': 'one' })
  await repo.git('checkout', '-q', 'main')
  await repo.commit({ 'README.md': 'two' })
  await repo.git('checkout', '-q', 'topic')
  await expect(repo.git('rebase', 'main')).rejects.toThrow()
  const position = await systemGit.readPosition(repo.path)
  expect(position).toMatchObject({ branch: undefined, rebased: 'topic' })
  expect(position?.state).toEqual([
    'A rebase is in progress (`git rebase --continue` or `--abort`)',
    'The rebase is of the branch topic',
    'Conflicts in README.md',
  ])
})

it('A folder of files that looks like a repository is none', async () => {
  await using planted = scratch()
  await using repo = await gitRepo()
  for (const name of ['HEAD', 'objects', 'refs'])
    cpSync(join(repo.path, '.git', name), join(planted.path, name), { recursive: true })
  const config = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${planted.path}\n`
  writeFileSync(join(planted.path, 'config'), config)
  expect(await systemGit.readPosition(planted.path)).toBeUndefined()
  expect(await systemGit.worktree(planted.path)).toBeUndefined()
})

it('Commits are found by whole or shortened ids, and branches and tags by their names', async () => {
  await using repo = await gitRepo()
  await repo.commit({ 'a.txt': 'one' })
  await repo.git('branch', 'feature/x')
  await repo.git('tag', 'v1')
  const head = (await systemGit.readPosition(repo.path))?.head ?? ''
  const found = await systemGit.lookUp(repo.path, [head, head.slice(0, 7), 'deadbee', '--help'])
  expect(found?.commits).toEqual([head, head.slice(0, 7)])
  expect(found?.refs).toEqual(expect.arrayContaining(['feature/x', 'v1']))
  expect(found?.remotes).toEqual([])
  await repo.commit({ 'a.txt': 'two' }, 'Second thoughts')
  await repo.git('remote', 'add', 'fork', 'https://example.com/x.git')
  expect(await systemGit.lookUp(repo.path, [])).toMatchObject({
    subject: 'Second thoughts',
    remotes: ['fork'],
  })
})

it('Words are found in tracked files, names, branches and commits, but not in files for secrets or files git does not track', async () => {
  await using repo = await gitRepo()
  repo.write('src/app.ts', "const mode = 'Zebra-X9'\n")
  repo.write('docs/Okapi-B7.md', '')
  repo.write('deploy/.env.prod', 'PASS=Tiger-K3x\n')
  await repo.commit({}, 'Rename Lynx-C4')
  await repo.git('branch', 'Puma-D5')
  repo.write('notes.txt', 'Hyena-E6')
  const words = ['Zebra-X9', 'Okapi-B7', 'Tiger-K3x', 'Lynx-C4', 'Puma-D5', 'Hyena-E6', '--help']
  expect(await systemGit.findWords(repo.path, words)).toEqual(['Zebra-X9', 'Okapi-B7', 'Lynx-C4', 'Puma-D5'])
  await using empty = scratch()
  expect(await systemGit.findWords(empty.path, words)).toEqual([])
})
