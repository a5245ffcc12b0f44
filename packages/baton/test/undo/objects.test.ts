import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { copyLooseObjects } from '../../src/adapters/git/snapshot/copy-loose.ts'
import { ObjectWriter, readLoose } from '../../src/adapters/git/snapshot/objects.ts'
import { tidyStore } from '../../src/adapters/git/snapshot/tidy-store.ts'
import { Folder } from '../../src/adapters/git/snapshot/trees.ts'
import { plainGit, scratch } from '../world/scratch.ts'

type Format = 'sha1' | 'sha256'

function repository(format: Format) {
  const folder = scratch('ob-')
  const env = { ...process.env, ...plainGit }
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder.path, env, maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'pipe'] })
  git('init', '-q', '-b', 'main', `--object-format=${format}`)
  git('config', 'user.name', 'Test')
  git('config', 'user.email', 'test@example.com')
  const repo = { root: folder.path, gitDir: join(folder.path, '.git'), format }
  return {
    ...folder,
    git,
    text: (...args: string[]) =>
      git(...args)
        .toString()
        .trim(),
    repo,
    place: { objectDir: join(repo.gitDir, 'objects'), format },
    [Symbol.dispose]: () => folder.remove(),
  }
}

test.each([
  ['few', 'sha1', 20],
  ['many', 'sha1', 400],
  ['few', 'sha256', 20],
  ['many', 'sha256', 400],
] as const)('git reads what was written: %s objects, %s', async (_, format, count) => {
  using world = repository(format)
  const writer = new ObjectWriter(world.repo)
  const contents = Array.from({ length: count }, (_, i) => randomBytes(i * 7))
  // Larger than what is compressed at once, and its length needs several bytes.
  contents.push(Buffer.alloc(3_000_000, 'large '), randomBytes(100_000), Buffer.alloc(0))
  const folder = new Folder()
  for (const [i, bytes] of contents.entries()) {
    const id = i % 2 === 0 ? await writer.writeContent(bytes) : writer.writePlain(bytes)
    folder.set(`${i % 9}/${i % 3}.d/${i}`, { mode: '100644', id })
    // Git sorts `a.b` before the folder `a`, and `a0` after it.
    folder.set(`sorted/a${['.b', '/c', '0', '\xff'][i % 4]}`, { mode: '100755', id })
  }
  const tree = folder.write((type, body) => writer.write(type, body))
  writer.finish()
  expect(world.text('fsck', '--full', '--strict', '--no-dangling')).toBe('')
  world.git('read-tree', tree)
  expect(world.text('write-tree')).toBe(tree)
  // Git has checked all of them by their ids.
  for (const [i, bytes] of contents.entries())
    if (i % 50 === 0 || i >= count)
      expect(world.git('cat-file', 'blob', `${tree}:${i % 9}/${i % 3}.d/${i}`).equals(bytes)).toBe(true)
  const left = readdirSync(world.place.objectDir, { recursive: true, encoding: 'utf8' })
  expect(left.filter(name => name.includes('tmp_'))).toEqual([])
  expect(left.some(name => name.endsWith('.pack'))).toBe(count > 100)
})

test('a changed folder has the id that git gives it, whatever was added, replaced or removed before', () => {
  using world = repository('sha1')
  const writer = new ObjectWriter(world.repo)
  const entry = { mode: '100644', id: writer.write('blob', Buffer.from('x')) }
  const changed = new Folder()
  const write = () => changed.write((type, body) => writer.write(type, body))
  for (const path of ['a', 'b/c', 'b/d/e', 'gone/deep/file', 'file']) changed.set(path, entry)
  write()
  // A file takes the place of a folder and the other way round, as in a race with a command.
  changed.set('b', entry)
  changed.delete('b/d/e')
  changed.set('file/inner', entry)
  changed.delete('file')
  changed.delete('gone/deep/file')
  changed.delete('never/there')
  const fresh = new Folder()
  for (const path of ['a', 'b', 'file/inner']) fresh.set(path, entry)
  expect(write()).toBe(fresh.write((type, body) => writer.write(type, body)))
  world.git('read-tree', write())
  expect(world.text('ls-files').split('\n')).toEqual(['a', 'b', 'file/inner'])
  for (const path of ['', '/a', 'a//b', '../a', 'a/..', './a'])
    expect(() => changed.set(path, entry)).toThrow()
})

test('copies new commits with all they need, and leaves to git what is packed, damaged or without end', () => {
  using world = repository('sha1')
  using store = repository('sha1')
  const commit = (name: string) => {
    world.write(`src/${name}`, name)
    world.git('add', '-A')
    world.git('commit', '-qm', name)
    return world.text('rev-parse', 'HEAD')
  }
  const copy = (wanted: string[], held: string[]) => {
    const writer = new ObjectWriter(store.repo)
    return copyLooseObjects(
      world.place,
      writer,
      wanted.map(id => ({ id })),
      holding(held),
    )
  }
  const first = commit('one')
  // The root of the history, and a commit that is not there.
  expect(copy([first], [])).toBe(false)
  expect(copy(['0'.repeat(40)], [first])).toBe(false)
  expect(store.text('count-objects')).toMatch(/^0 /)
  commit('two')
  const last = commit('three')
  const held = world.text('rev-list', '--objects', '--no-object-names', first).split('\n')
  // As the store holds it.
  store.git('fetch', '-q', world.path, `${first}:refs/heads/held`)
  expect(copy([last], held)).toBe(true)
  store.git('update-ref', 'refs/heads/held', last)
  expect(store.text('fsck', '--full', '--no-dangling')).toBe('')
  expect(store.text('show', `${last}:src/three`)).toBe('three')

  // An agent can write any file into the project.
  const next = commit('four')
  const file = (id: string) => join(world.place.objectDir, id.slice(0, 2), id.slice(2))
  const blob = world.text('rev-parse', `${next}:src/four`)
  const good = readFileSync(file(blob))
  execFileSync('cp', ['-f', file(first), file(blob)])
  expect(copy([next], [last, ...held])).toBe(false)
  expect(readLoose(world.place.objectDir, world.place, blob, 1e6)).toBeUndefined()
  execFileSync('chmod', ['u+w', file(blob)])
  writeFileSync(file(blob), good)
  world.git('gc', '-q')
  expect(copy([next], [last, ...held])).toBe(false)
})

const holding = (ids: readonly string[]) => ({ has: (id: string) => ids.includes(id), hasAt: () => false })

/** Puts an object with a right id into a repository, as an agent can. */
function plant(objectDir: string, whole: Buffer, after = Buffer.alloc(0)): string {
  const id = createHash('sha1').update(whole).digest('hex')
  const file = join(objectDir, id.slice(0, 2), id.slice(2))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, Buffer.concat([deflateSync(whole), after]))
  return id
}

test('neither a pipe, a device, a link nor a huge content in the place of an object holds the daemon up', () => {
  using world = repository('sha1')
  const { objectDir } = world.place
  const file = (id: string) => join(objectDir, id.slice(0, 2), id.slice(2))
  const read = (id: string) => readLoose(objectDir, world.place, id, 1e6)
  const [pipe, device, link] = ['1', '2', '3'].map(digit => digit.repeat(40)) as [string, string, string]
  for (const id of [pipe, device, link]) mkdirSync(dirname(file(id)), { recursive: true })
  execFileSync('mkfifo', [file(pipe)])
  symlinkSync('/dev/zero', file(device))
  const good = plant(objectDir, Buffer.from('blob 2\0hi'))
  symlinkSync(file(good), file(link))
  for (const id of [pipe, device, link]) expect(read(id)).toBeUndefined()
  expect(read(good)).toMatchObject({ type: 'blob', body: Buffer.from('hi') })
  const bomb = plant(objectDir, Buffer.concat([Buffer.from('blob 50000000\0'), Buffer.alloc(50_000_000)]))
  expect(readFileSync(file(bomb)).length).toBeLessThan(1e6)
  expect(read(bomb)).toBeUndefined()
})

test.each([
  ['a wrong length', 'blob 3\0hi', ''],
  ['a length with a zero before it', 'blob 02\0hi', ''],
  ['an unknown type', 'blub 2\0hi', ''],
  ['a tag', 'tag 2\0hi', ''],
  ['no header', 'hi', ''],
  ['more bytes after its end', 'blob 2\0hi', 'more'],
])('an object with the right id is not copied if git refuses it: %s', (_, whole, after) => {
  using world = repository('sha1')
  const id = plant(world.place.objectDir, Buffer.from(whole), Buffer.from(after))
  expect(readLoose(world.place.objectDir, world.place, id, 1e6)).toBeUndefined()
  expect(copyLooseObjects(world.place, new ObjectWriter(world.repo), [{ id }], holding([]))).toBe(false)
})

test('a tree is not copied if git cannot read it, or if it takes a file for a folder', () => {
  using world = repository('sha1')
  using store = repository('sha1')
  const copy = (id: string) =>
    copyLooseObjects(world.place, new ObjectWriter(store.repo), [{ id }], holding([]))
  const tree = (body: Buffer) =>
    plant(world.place.objectDir, Buffer.concat([Buffer.from(`tree ${body.length}\0`), body]))
  const row = (mode: string, name: string, id: string) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])
  const blob = plant(world.place.objectDir, Buffer.from('blob 2\0hi'))
  const good = tree(row('100644', 'a', blob))
  for (const body of [
    row('100644', 'a', blob).subarray(0, -1),
    row('100644', '', blob),
    row('rw', 'a', blob),
    Buffer.from('no tree'),
    row('40000', 'a', blob),
    row('100644', 'a', good),
    Buffer.concat([row('100644', 'a', blob), row('40000', 'b', blob)]),
  ])
    expect(copy(tree(body))).toBe(false)
  expect(store.text('count-objects')).toMatch(/^0 /)
  expect(copy(tree(row('40000', 'a', good)))).toBe(true)
})

test('the store is tidied even if it has a step that git cannot walk through, and no object is lost', async () => {
  using world = repository('sha1')
  const { objectDir } = world.place
  const store = { ...world.repo, refs: 'refs/baton/undo/x/' }
  const commit = (tree: string) => world.text('commit-tree', '-m', 'step', tree)
  const writer = new ObjectWriter(world.repo)
  const folder = new Folder()
  for (let i = 0; i < 50; i++)
    folder.set(`${i}`, { mode: '100644', id: writer.writePlain(Buffer.from(`file ${i}`)) })
  const good = folder.write((type, body) => writer.write(type, body))
  world.git('update-ref', `${store.refs}1`, commit(good))
  // As an index of an agent can say it: a folder as a file.
  const bad = new Folder()
  bad.set('file', { mode: '100644', id: good })
  const step = commit(bad.write((type, body) => writer.write(type, body)))
  world.git('update-ref', `${store.refs}2`, step)
  plant(objectDir, Buffer.from('blub 2\0hi'))
  expect(() => world.git('repack', '-a', '-d', '-q')).toThrow()

  const packs = () => readdirSync(join(objectDir, 'pack')).filter(name => name.endsWith('.pack'))
  const crowd = () => {
    for (let i = 0; i < 90; i++) writeFileSync(join(objectDir, 'pack', `tmp_${i}`), '')
  }
  crowd()
  await tidyStore(store)
  expect(packs()).toHaveLength(1)
  expect(world.text('count-objects')).toMatch(/^1 /)
  expect(world.text('show', `${store.refs}1:7`)).toBe('file 7')
  expect(world.text('cat-file', '-t', step)).toBe('commit')

  writer.finish()
  const later = new ObjectWriter(world.repo)
  const more = later.writePlain(Buffer.from('more'))
  await tidyStore(store)
  expect(packs()).toHaveLength(1)
  expect(world.text('cat-file', 'blob', more)).toBe('more')
  // When the step has expired, git drops what no other needs.
  world.git('update-ref', '-d', `${store.refs}2`)
  await tidyStore(store)
  expect(() => world.git('cat-file', '-e', step)).toThrow()
  expect(world.text('show', `${store.refs}1:7`)).toBe('file 7')
  // Neither way works where git finds no repository: that is reported.
  crowd()
  rmSync(join(world.path, '.git/HEAD'))
  await expect(tidyStore(store)).rejects.toThrow('they take more space')
})
