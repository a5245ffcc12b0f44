import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratch } from '../world/scratch.ts'
import { DAY, gitState, indexBytes, storedRefs, treeOf, undoWorld } from './world.ts'

const occasion = { label: 'rm -rf src', session: 'ses_1', event: 'evt_1' }

describe('a snapshot', () => {
  it('is not taken where there is no git worktree', async () => {
    await using world = await undoWorld()
    await using folder = scratch()
    expect(await world.undo.take(folder.path, occasion)).toBeUndefined()
  })

  it('leaves index, stash, branches, HEAD, reflog and status of the person alone', async () => {
    await using world = await undoWorld()
    const { repo } = world
    await repo.git('config', 'core.logAllRefUpdates', 'always')
    repo.write('staged.txt', 'staged')
    await repo.git('add', 'staged.txt')
    repo.write('staged.txt', 'edited')
    repo.write('new.txt', 'untracked')
    const facts = async () => ({
      index: indexBytes(repo),
      refs: await repo.git('for-each-ref', 'refs/heads', 'refs/tags', 'refs/remotes', 'refs/stash'),
      head: readFileSync(join(repo.path, '.git/HEAD'), 'utf8'),
      reflog: await repo.git('reflog', 'show', '--all'),
      logs: await repo.git('log', '--oneline'),
    })
    const before = await facts()
    await world.undo.take(repo.path, occasion)
    await world.undo.take(repo.path, occasion)
    expect(await facts()).toEqual(before)
    expect(await repo.git('status', '--porcelain')).toBe('AM staged.txt\n?? new.txt')
  })

  it('is not pushed by default', async () => {
    await using world = await undoWorld()
    const bare = await world.repo.remote()
    await world.undo.take(world.repo.path, occasion)
    await world.repo.commit({ a: '1' })
    await world.repo.git('push', '-q')
    await world.repo.git('push', '-q', '--all')
    expect(await world.repo.git('-C', bare, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
  })

  it('says what it left out: large files and repositories inside', async () => {
    await using world = await undoWorld({ limits: { fileBytes: 100 } })
    const { repo } = world
    repo.write('large.bin', 'x'.repeat(101))
    repo.write('small.txt', 'x')
    mkdirSync(join(repo.path, 'inner'))
    await repo.git('init', '-q', join(repo.path, 'inner'))
    repo.write('inner/file', 'theirs')
    const snapshot = await world.undo.take(repo.path, occasion)
    expect([...(snapshot?.leftOut ?? [])].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'inner', why: 'nested' },
      { path: 'large.bin', why: 'large' },
    ])
    expect(snapshot?.complete).toBe(false)
    expect(await snapshot?.covers(['small.txt', join(repo.path, 'README.md')])).toBe(true)
    expect(await snapshot?.covers(['small.txt', 'large.bin'])).toBe(false)
    expect(await snapshot?.covers(['inner/file'])).toBe(false)
    expect(await snapshot?.covers(['inner'])).toBe(false)
  })

  it('covers what an undo brings back, and nothing that is built, outside, special or in .git', async () => {
    await using world = await undoWorld()
    await using outside = scratch()
    const { repo } = world
    repo.write('.gitignore', 'build/\n*.log\n')
    repo.write('build/out.js', 'built')
    repo.write('src/a.ts', 'a')
    repo.write('src/b.ts', 'b')
    repo.write('mixed/a.ts', 'a')
    repo.write('mixed/debug.log', 'log')
    symlinkSync('src/a.ts', join(repo.path, 'link'))
    symlinkSync('build', join(repo.path, 'to-build'))
    symlinkSync(outside.path, join(repo.path, 'away'))
    const snapshot = await world.undo.take(repo.path, occasion)
    const covers = (...paths: string[]) => snapshot?.covers(paths)
    expect(await covers()).toBe(true)
    expect(await covers('src', 'src/a.ts', 'new.ts', 'new/deep.ts', 'link')).toBe(true)
    expect(await covers('build/out.js')).toBe(false)
    expect(await covers('build/new.js')).toBe(false)
    expect(await covers('to-build/new.js')).toBe(false)
    expect(await covers('build')).toBe(false)
    expect(await covers('to-build')).toBe(false)
    expect(await covers('new.log', 'mixed', 'mixed/debug.log')).toBe(true)
    expect(await covers('mixed/a.ts')).toBe(true)
    expect(await covers('.')).toBe(false)
    expect(await covers('away/x')).toBe(false)
    expect(await covers('../x')).toBe(false)
    expect(await covers(outside.path)).toBe(false)
    expect(await covers('.git/config')).toBe(false)
    expect(await covers('sub/.GIT/config')).toBe(false)
  })

  it('refuses a worktree with too many files, and says what to do', async () => {
    await using world = await undoWorld({ limits: { files: 2 } })
    for (const name of ['a', 'b', 'c']) world.repo.write(name, name)
    await expect(world.undo.take(world.repo.path, occasion)).rejects.toMatchObject({
      code: 'undo_unavailable',
      remedy: expect.stringContaining('.gitignore'),
    })
  })

  it('keeps a bounded number of steps, and none for too long', async () => {
    await using world = await undoWorld({ retention: { steps: 3, days: 7 } })
    const { repo, undo, time } = world
    for (let i = 1; i <= 5; i++) {
      repo.write('a', String(i))
      await undo.take(repo.path, { label: `step ${i}` })
    }
    expect((await undo.list(repo.path)).map(({ step }) => step)).toEqual([5, 4, 3])
    time.now += 8 * DAY
    await undo.take(repo.path, occasion)
    expect((await undo.list(repo.path)).map(({ step }) => step)).toEqual([6])
    expect(await storedRefs(world)).toEqual(['6', 'now'])
    expect(await repo.git('for-each-ref', 'refs/baton')).toBe('')
  })

  it('says for what, for whom and when it was taken', async () => {
    await using world = await undoWorld()
    await world.undo.take(world.repo.path, { ...occasion, label: 'rm\n -rf\tsrc\x1b[31m' })
    expect(await world.undo.list(world.repo.path)).toEqual([
      {
        step: 1,
        kind: 'command',
        label: 'rm -rf src [31m',
        session: 'ses_1',
        event: 'evt_1',
        at: '2026-11-15T12:00:00.000Z',
        branch: 'main',
        head: await world.repo.git('rev-parse', 'HEAD'),
        leftOut: 0,
      },
    ])
  })
})

describe('going back', () => {
  it('restores content, permission bits, links, removed and created files, and can itself be undone', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    const at = (name: string) => join(repo.path, name)
    repo.write('edited', 'before')
    repo.write('removed/deep/file', 'here')
    repo.write('program', '#!/bin/sh\n', 0o755)
    repo.write('private', 'secret', 0o600)
    repo.write('becomes-folder', 'file')
    repo.write('becomes-file/inside', 'inside')
    repo.write('name\nwith "odd" \\ bytes', 'odd')
    writeFileSync(Buffer.concat([Buffer.from(`${repo.path}/`), Buffer.from([0xff, 0xfe, 0x41])]), 'bytes')
    symlinkSync('edited', at('link'))
    symlinkSync('/nowhere', at('dangling'))
    const before = treeOf(repo.path)
    await undo.take(repo.path, occasion)

    repo.write('edited', 'after')
    rmSync(at('removed'), { recursive: true })
    chmodSync(at('program'), 0o644)
    rmSync(at('private'))
    rmSync(at('becomes-folder'))
    repo.write('becomes-folder/new', 'new')
    rmSync(at('becomes-file'), { recursive: true })
    repo.write('becomes-file', 'file')
    rmSync(at('name\nwith "odd" \\ bytes'))
    rmSync(Buffer.concat([Buffer.from(`${repo.path}/`), Buffer.from([0xff, 0xfe, 0x41])]))
    rmSync(at('link'))
    repo.write('link', 'a file now')
    renameSync(at('dangling'), at('moved'))
    repo.write('new/folder/file', 'new')
    const after = treeOf(repo.path)

    const restored = await undo.restore(repo.path)
    expect(restored.notes).toEqual([])
    expect(treeOf(repo.path)).toEqual(before)
    expect(lstatSync(at('new'), { throwIfNoEntry: false })).toBeUndefined()

    const again = await undo.restore(repo.path)
    expect(again.step.step).toBe(restored.undoneBy)
    expect(treeOf(repo.path)).toEqual(after)
  })

  it.each([
    ['a commit', ['commit', '-qam', 'More']],
    ['an amended commit', ['commit', '-q', '--amend', '-am', 'Other']],
    ['a new branch', ['switch', '-qc', 'feature']],
    ['another branch', ['checkout', '-q', '-f', 'other']],
    ['a detached HEAD', ['checkout', '-q', '-f', '--detach', 'HEAD~1']],
    ['a hard reset', ['reset', '-q', '--hard', 'HEAD~1']],
    ['a stash', ['stash', '-qu']],
    ['a clean', ['clean', '-qfd']],
    ['a removal', ['rm', '-qrf', '.']],
    ['a staged change', ['add', '-A']],
  ])('takes back %s', async (_, command) => {
    await using world = await undoWorld()
    const { repo, undo } = world
    await repo.git('branch', 'other')
    await repo.commit({ a: 'one', 'dir/b': 'two' })
    repo.write('a', 'staged')
    await repo.git('add', 'a')
    repo.write('a', 'in the worktree')
    repo.write('untracked', 'u')
    const files = treeOf(repo.path)
    const state = await gitState(repo)
    await undo.take(repo.path, occasion)
    await repo.git(...command)
    const tip = await repo.git('rev-parse', 'HEAD')
    const restored = await undo.restore(repo.path)
    expect(restored.step.step).toBe(1)
    expect(treeOf(repo.path)).toEqual(files)
    expect(await gitState(repo)).toEqual(state)
    // Whatever HEAD was on is still reachable, even when everything unreachable goes.
    await repo.git('reflog', 'expire', '--expire=now', '--all')
    await repo.git('gc', '-q', '--prune=now')
    expect(await repo.git('cat-file', '-t', tip)).toBe('commit')
    expect(await repo.git('fsck', '--no-dangling')).toBe('')
  })

  it('puts a popped stash back', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    repo.write('README.md', 'stashed')
    await repo.git('stash', '-q', '-m', 'mine')
    const list = await repo.git('stash', 'list', '--format=%H %gs')
    await undo.take(repo.path, occasion)
    await repo.git('stash', 'pop', '-q')
    await repo.git('gc', '-q', '--prune=now')
    await undo.restore(repo.path)
    expect(await repo.git('stash', 'list', '--format=%H %gs')).toBe(list)
    expect(await repo.git('status', '--porcelain')).toBe('')
  })

  it('takes back a stash that met a conflict', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    repo.write('README.md', 'stashed')
    await repo.git('stash', '-q')
    await repo.commit({ 'README.md': 'otherwise' })
    const state = await gitState(repo)
    await undo.take(repo.path, occasion)
    await expect(repo.git('stash', 'pop', '-q')).rejects.toThrow()
    expect(await repo.git('ls-files', '-u')).not.toBe('')
    const conflict = await gitState(repo)
    await undo.restore(repo.path)
    expect(await gitState(repo)).toEqual(state)
    await undo.restore(repo.path)
    expect(await gitState(repo)).toEqual(conflict)
    await repo.git('gc', '-q', '--prune=now')
    expect(await repo.git('diff', '--name-only')).toContain('README.md')
  })

  it('restores ignored files, but nothing in folders that a build creates again', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    await repo.commit({ '.gitignore': 'node_modules/\n.env\n' })
    repo.write('node_modules/x/index.js', 'module')
    repo.write('.env', 'KEY=1')
    await undo.take(repo.path, occasion)
    repo.write('.gitignore', '')
    repo.write('node_modules/y/index.js', 'later')
    repo.write('.env', 'KEY=2')
    await undo.restore(repo.path)
    const files = treeOf(repo.path)
    expect(files['.gitignore']).toBe('644 node_modules/\n.env\n')
    expect(files['node_modules/x/index.js']).toBe('644 module')
    expect(files['node_modules/y/index.js']).toBe('644 later')
    expect(files['.env']).toBe('644 KEY=1')
  })

  it('brings back a file that was ignored and overwritten meanwhile, and holds what was there', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    repo.write('notes.txt', 'mine')
    await undo.take(repo.path, occasion)
    repo.write('.gitignore', '*.txt\n')
    repo.write('notes.txt', 'overwritten')
    await undo.restore(repo.path)
    expect(readFileSync(join(repo.path, 'notes.txt'), 'utf8')).toBe('mine')
    await undo.restore(repo.path)
    expect(readFileSync(join(repo.path, 'notes.txt'), 'utf8')).toBe('overwritten')
  })

  it('leaves a large new file that no snapshot could bring back, and says so', async () => {
    await using world = await undoWorld({ limits: { fileBytes: 100 } })
    const { repo, undo } = world
    await undo.take(repo.path, occasion)
    repo.write('large.bin', 'x'.repeat(200))
    repo.write('small', 'x')
    const { removed, notes } = await undo.restore(repo.path)
    expect(removed).toEqual(['small'])
    expect(notes).toEqual(['large.bin was not changed: no snapshot contains the current file.'])
    expect(Object.keys(treeOf(repo.path))).toContain('large.bin')
  })

  it('counts only what it really removed', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    rmSync(join(repo.path, 'README.md'))
    await undo.take(repo.path, occasion)
    repo.write('new', 'new')
    expect(await undo.restore(repo.path)).toMatchObject({
      written: [],
      removed: ['new'],
      moved: false,
      notes: [],
    })
  })

  it('works before the first commit', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    const fresh = join(repo.path, '../fresh')
    mkdirSync(fresh)
    await repo.git('init', '-q', '-b', 'trunk', fresh)
    writeFileSync(join(fresh, 'a'), 'a')
    const state = await gitState(repo, fresh)
    await undo.take(fresh, occasion)
    await repo.git('-C', fresh, 'add', 'a')
    await repo.git('-C', fresh, '-c', 'user.name=D', '-c', 'user.email=d@e', 'commit', '-qm', 'First')
    const first = await repo.git('-C', fresh, 'rev-parse', 'HEAD')
    rmSync(join(fresh, 'a'))
    await undo.restore(fresh)
    expect(treeOf(fresh)).toEqual({ a: '644 a' })
    expect(await gitState(repo, fresh)).toEqual(state)
    expect(await repo.git('-C', fresh, 'for-each-ref', '--format=%(objectname)', 'refs/baton')).toContain(
      first,
    )
  })

  it('keeps linked worktrees apart and leaves a branch alone that another one works on', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    const linked = join(repo.path, '../linked')
    await repo.git('worktree', 'add', '-q', '-b', 'side', linked)
    writeFileSync(join(linked, 'here'), 'side')
    await undo.take(repo.path, occasion)
    const { step } = (await undo.take(linked, occasion)) ?? {}
    expect(step).toBe(1)
    expect(await undo.list(linked)).toHaveLength(1)
    writeFileSync(join(linked, 'here'), 'changed')
    await repo.git('-C', linked, 'commit', '-q', '--allow-empty', '-m', 'More')
    await repo.git('-C', linked, 'checkout', '-q', '--detach')
    await repo.git('checkout', '-q', 'side')
    const moved = await repo.git('rev-parse', 'side')
    const { notes } = await undo.restore(linked)
    expect(notes).toEqual([expect.stringContaining('side is checked out in another worktree')])
    expect(readFileSync(join(linked, 'here'), 'utf8')).toBe('side')
    expect(await repo.git('rev-parse', 'side')).toBe(moved)
    expect(await repo.git('-C', linked, 'rev-parse', 'HEAD')).toBe(await repo.git('rev-parse', 'main'))
  })

  it('goes back from the middle of a merge or a rebase, and into it again', async () => {
    await using world = await undoWorld()
    const { repo, undo, time } = world
    await repo.git('switch', '-qc', 'other')
    await repo.commit({ 'README.md': 'theirs' })
    await repo.git('switch', '-q', 'main')
    await repo.commit({ 'README.md': 'ours' })
    const state = await gitState(repo)
    for (const [command, sign] of [
      ['merge', 'MERGE_HEAD'],
      ['rebase', 'rebase-merge'],
    ] as const) {
      const back = (step?: number) => {
        time.now += 1000
        return undo.restore(repo.path, step)
      }
      const first = await undo.take(repo.path, occasion)
      await expect(repo.git(command, 'other')).rejects.toThrow()
      repo.write('README.md', 'half resolved')
      const midway = await gitState(repo)
      const snapshot = await undo.take(repo.path, { label: 'echo broken > README.md' })
      repo.write('README.md', 'broken')
      expect((await back()).step.step).toBe(snapshot?.step)
      expect(readFileSync(join(repo.path, 'README.md'), 'utf8')).toBe('half resolved')

      await back(first?.step)
      expect(await gitState(repo)).toEqual(state)
      expect(existsSync(join(repo.path, '.git', sign))).toBe(false)
      expect(await repo.git('status', '--porcelain')).toBe('')

      await back(snapshot?.step)
      expect(await gitState(repo)).toEqual(midway)
      repo.write('README.md', 'resolved')
      await repo.git('add', 'README.md')
      await repo.git('-c', 'core.editor=true', command, '--continue')
      expect(await repo.git('log', '-1', '--format=%s')).toBe(
        command === 'merge' ? "Merge branch 'other'" : 'Change',
      )
      await back(first?.step)
    }
  })

  it('refuses while another git command holds the index, before anything is changed', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    await undo.take(repo.path, occasion)
    repo.write('README.md', 'edited')
    repo.write('.git/index.lock', '')
    await expect(undo.restore(repo.path)).rejects.toMatchObject({ code: 'undo_unavailable' })
    expect(readFileSync(join(repo.path, 'README.md'), 'utf8')).toBe('edited')
  })

  it('says when there is nothing, or no such step', async () => {
    await using world = await undoWorld()
    await using folder = scratch()
    const { repo, undo } = world
    await expect(undo.restore(folder.path)).rejects.toMatchObject({ code: 'undo_unavailable' })
    await expect(undo.restore(repo.path)).rejects.toMatchObject({ code: 'not_found' })
    await undo.take(repo.path, occasion)
    await expect(undo.restore(repo.path, 7)).rejects.toMatchObject({ code: 'not_found' })
    expect((await undo.restore(repo.path)).undoneBy).toBeUndefined()
  })

  it('skips steps that are as it is now', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    await undo.take(repo.path, { label: 'first' })
    repo.write('README.md', 'edited')
    await undo.take(repo.path, { label: 'changes nothing' })
    expect((await undo.diff(repo.path)).step.label).toBe('first')
    expect((await undo.restore(repo.path)).step.label).toBe('first')
  })

  it('shows beforehand what it would change', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    await undo.take(repo.path, occasion)
    repo.write('README.md', '# Other\n')
    repo.write('new', 'new\n')
    const before = treeOf(repo.path)
    const { patch } = await undo.diff(repo.path)
    expect(patch).toContain('--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Other\n+# Example\n')
    expect(patch).toContain('deleted file mode 100644')
    expect(treeOf(repo.path)).toEqual(before)
    expect(await undo.list(repo.path)).toHaveLength(1)
  })

  it('shows what a step changed: until the next one, or until now', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    await undo.take(repo.path, { label: 'first' })
    repo.write('README.md', '# First\n')
    await undo.take(repo.path, { label: 'second' })
    repo.write('README.md', '# Second\n')
    const [second, first] = await undo.list(repo.path)
    const changes = (step = 0) => undo.changes(repo.path, step)
    expect(await changes(first?.step)).toMatchObject({
      patch: expect.stringContaining('\n-# Example\n+# First\n'),
      until: second?.at,
    })
    expect(await changes(second?.step)).toMatchObject({
      patch: expect.stringContaining('\n-# First\n+# Second\n'),
      until: undefined,
    })
    await expect(changes(7)).rejects.toMatchObject({ code: 'not_found' })
    expect(await undo.list(repo.path)).toHaveLength(2)
  })
})
