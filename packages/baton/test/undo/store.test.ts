import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gitSnapshots } from '../../src/adapters/git/snapshot.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { Undo } from '../../src/undo/undo.ts'
import { gitState, storedRefs, storeIn, treeOf, undoWorld } from './world.ts'

const occasion = { label: 'rm -rf src' }

it('a step is reused while nothing changed, and a new one follows any change', async () => {
  await using world = await undoWorld()
  const { repo, undo } = world
  repo.write('.gitignore', '*.secret\n')
  const steps = [await undo.take(repo.path, occasion), await undo.take(repo.path, occasion)]
  for (const change of [
    () => repo.write('README.md', 'edited'),
    () => repo.write('new', 'new'),
    () => repo.write('a.secret', 'ignored'),
    () => repo.git('add', 'new'),
    () => repo.git('commit', '-qm', 'New'),
    () => repo.git('stash', '-q'),
  ]) {
    await change()
    steps.push(await undo.take(repo.path, occasion), await undo.take(repo.path, occasion))
  }
  expect(steps.map(taken => taken?.step)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7])
})

it('preparing stores no step, and the first snapshot needs to read nothing again', async () => {
  await using world = await undoWorld()
  const { repo, undo } = world
  await undo.prepare(repo.path)
  expect(await undo.list(repo.path)).toEqual([])
  expect((await undo.take(repo.path, occasion))?.step).toBe(1)
  await undo.prepare(repo.path)
  expect((await undo.take(repo.path, occasion))?.step).toBe(1)
})

it('a store that cannot be tidied still takes snapshots, and preparing says so', async () => {
  await using world = await undoWorld()
  const { repo } = world
  const broken = new Undo({
    clock: systemClock,
    snapshots: {
      async open(folder) {
        const worktree = await gitSnapshots({ dir: world.state }).open(folder)
        return worktree && { ...worktree, tidy: () => Promise.reject(new Error('no space')) }
      },
    },
  })
  await expect(broken.prepare(repo.path)).rejects.toThrow('no space')
  expect((await broken.take(repo.path, occasion))?.step).toBe(1)
})

it('steps that Baton 0.1 stored in the project are moved out of its reach and stay restorable', async () => {
  await using world = await undoWorld()
  const { repo, undo, state } = world
  await repo.commit({ a: 'committed', '.gitignore': 'ignored\n' })
  repo.write('a', 'edited')
  const before = treeOf(repo.path)
  const heads = await gitState(repo)
  await undo.take(repo.path, occasion)
  // As 0.1 left it: the step in the project, without a mark that it holds ignored files, and no store.
  const git = (...args: string[]) => execFileSync('git', args, { cwd: storeIn(world), encoding: 'utf8' })
  const ref = git('for-each-ref', '--format=%(refname)').split('\n')[0] ?? ''
  execFileSync('git', ['fetch', '-q', '--update-shallow', storeIn(world), `${ref}:${ref}`], {
    cwd: repo.path,
  })
  const old = git('cat-file', 'blob', `${ref}:about`).replace(',"ignored":true', '')
  const message = git('log', '-1', '--format=%B', ref)
  execFileSync('git', ['fast-import', '--quiet', '--force', '--done'], {
    cwd: repo.path,
    input: [
      `commit ${ref}\ncommitter B <b@b> 1700000000 +0000\ndata ${Buffer.byteLength(message)}\n${message}`,
      `from ${heads.head}\nM 040000 ${git('rev-parse', `${ref}^{tree}`).trim()} ""`,
      `M 100644 inline about\ndata ${Buffer.byteLength(old)}\n${old}\ndone\n`,
    ].join('\n'),
  })
  rmSync(state, { recursive: true })
  mkdirSync(state)

  repo.write('a', 'changed')
  repo.write('ignored', 'in no step of 0.1')
  expect((await undo.list(repo.path)).map(({ step, label }) => [step, label])).toEqual([[1, 'rm -rf src']])
  expect(await repo.git('for-each-ref', 'refs/baton')).toBe('')
  expect(await storedRefs(world)).toEqual(['1'])
  await undo.restore(repo.path, 1)
  expect(treeOf(repo.path)).toEqual({ ...before, ignored: '644 in no step of 0.1' })
  expect(await gitState(repo)).toEqual(heads)
})

it('ignored files go in up to 20 MB, the small ones first; what stays out is left alone', async () => {
  await using world = await undoWorld()
  const { repo, undo } = world
  await repo.commit({ '.gitignore': 'data/\nnode_modules/\n.env\n' })
  repo.write('.env', 'KEY=1')
  repo.write('data/small.db', 'rows')
  writeFileSync(join(repo.path, 'data/large.db'), Buffer.alloc(21_000_000))
  repo.write('node_modules/x/index.js', 'module')
  const snapshot = await undo.take(repo.path, occasion)
  expect([...(snapshot?.leftOut ?? [])].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'data/large.db', why: 'ignored' },
    { path: 'node_modules', why: 'rebuildable' },
  ])
  expect(snapshot?.complete).toBe(true)
  expect(await snapshot?.covers(['.env', 'data/small.db', 'data/new.db'])).toBe(true)
  expect(await snapshot?.covers(['data'])).toBe(false)
  expect(await snapshot?.covers(['node_modules/x/index.js'])).toBe(false)
  rmSync(join(repo.path, 'data/small.db'))
  repo.write('data/large.db', 'now small')
  repo.write('data/later.db', 'new')
  repo.write('node_modules/y/index.js', 'later')
  const { removed } = await undo.restore(repo.path)
  expect(removed).toEqual(['data/later.db'])
  expect(readFileSync(join(repo.path, 'data/small.db'), 'utf8')).toBe('rows')
  expect(readFileSync(join(repo.path, 'data/large.db'), 'utf8')).toBe('now small')
  expect(readFileSync(join(repo.path, 'node_modules/y/index.js'), 'utf8')).toBe('later')
})

it('history that a remote has is not copied, and the step is whole all the same', async () => {
  await using world = await undoWorld()
  const { repo, undo } = world
  for (let i = 0; i < 5; i++) await repo.commit({ a: String(i) })
  await repo.remote()
  await repo.git('fetch', '-q')
  await repo.commit({ b: 'local' })
  await undo.take(repo.path, occasion)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: storeIn(world), encoding: 'utf8' })
  expect(git('rev-list', '--count', await repo.git('rev-parse', 'HEAD')).trim()).toBe('1')
  expect(git('fsck', '--no-dangling')).toBe('')
  await repo.git('reset', '-q', '--hard', 'origin/main')
  await repo.git('reflog', 'expire', '--expire=now', '--all')
  await repo.git('gc', '-q', '--prune=now')
  await undo.restore(repo.path, 1)
  expect(await repo.git('log', '-1', '--format=%s')).toBe('Change')
  expect(await repo.git('fsck', '--no-dangling')).toBe('')
})

it('many snapshots are packed when the next session begins, and every step stays whole', async () => {
  await using world = await undoWorld()
  const { repo, undo } = world
  await undo.take(repo.path, { label: 'first' })
  repo.write('README.md', 'edited')
  await undo.take(repo.path, { label: 'second' })
  // What a long day of dropped steps leaves behind.
  const store = { cwd: storeIn(world), encoding: 'utf8' } as const
  const rest = Array.from({ length: 3000 }, (_, i) => world.repo.write(`../rest/${i}`, `dropped ${i}`))
  execFileSync('git', ['hash-object', '-w', '--stdin-paths'], { ...store, input: rest.join('\n') })
  const loose = () => Number(/^\d+/.exec(execFileSync('git', ['count-objects'], store))?.[0])
  expect(loose()).toBeGreaterThan(3000)
  await undo.prepare(repo.path)
  expect(loose()).toBeLessThan(10)
  await undo.restore(repo.path, 1)
  expect(readFileSync(join(repo.path, 'README.md'), 'utf8')).toBe('# Example\n')
})

it('after git add, a commit and an amend, only the new objects are copied, and every step is whole', async () => {
  await using world = await undoWorld()
  const { repo, undo } = world
  await repo.commit({ 'src/a': 'a', 'src/deep/b': 'b', 'other/c': 'c', '.gitignore': '*.log\n' })
  await repo.commit({ d: 'd' })
  // As in a clone: unchanged folders are in a pack, and a file that git ignores gives a folder another tree.
  await repo.git('gc', '-q')
  repo.write('other/x.log', 'ignored')
  await undo.take(repo.path, occasion)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: storeIn(world), encoding: 'utf8' })
  const packs = () => /^packs: (\d+)$/m.exec(git('count-objects', '-v'))?.[1]
  const before = packs()
  for (const change of [
    () => repo.git('commit', '-q', '--allow-empty', '-m', 'Empty'),
    () => repo.git('add', repo.write('src/deep/b', 'edited')),
    () => repo.git('commit', '-qm', 'Edited'),
    () => repo.git('commit', '-q', '--amend', '-m', 'Amended', '--', repo.write('other/c', 'amended')),
  ]) {
    await change()
    const taken = await undo.take(repo.path, occasion)
    expect(git('fsck', '--no-dangling')).toBe('')
    const staged = git('rev-parse', `${taken?.commit}:staged`).trim()
    expect(staged).toBe(await repo.git('write-tree'))
    expect(git('rev-parse', `${taken?.commit}^`).trim()).toBe(await repo.git('rev-parse', 'HEAD'))
  }
  expect(packs()).toBe(before)
})
