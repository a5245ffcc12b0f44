import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type IndexFile, parseIndex } from '../../src/adapters/git/snapshot/index-file.ts'
import { idOf } from '../../src/adapters/git/snapshot/objects.ts'
import { Folder } from '../../src/adapters/git/snapshot/trees.ts'
import { gitRepo, plainGit, scratch } from '../world/scratch.ts'

type Git = (...args: string[]) => Buffer
const gitIn =
  (path: string): Git =>
  (...args) =>
    execFileSync('git', args, {
      cwd: path,
      env: { ...process.env, ...plainGit },
      stdio: ['ignore', 'pipe', 'pipe'],
    })

const STATES: [string, (git: Git, path: string) => void][] = [
  ['after a commit', () => {}],
  ['version 4', git => git('update-index', '--index-version', '4')],
  [
    'version 4 after a commit',
    git => {
      git('update-index', '--index-version', '4')
      git('commit', '-q', '--allow-empty', '-m', 'again')
      git('read-tree', 'HEAD')
    },
  ],
  [
    'after git add',
    (git, path) => {
      writeFileSync(join(path, 'src/new name.txt'), 'new')
      git('add', '-A')
    },
  ],
  [
    'after git add in deep folders',
    (git, path) => {
      for (const name of ['deep/a/x', 'deep/a/y', 'deep/b/x', 'deep.txt', 'deep/a.b/x']) {
        mkdirSync(dirname(join(path, name)), { recursive: true })
        writeFileSync(join(path, name), name)
      }
      git('add', '-A')
      git('commit', '-qm', 'deep')
      writeFileSync(join(path, 'deep/a/x'), 'changed')
      git('add', '-A')
    },
  ],
  [
    'after git add of a changed file',
    (git, path) => {
      writeFileSync(join(path, 'src/b.txt'), 'changed')
      git('add', '-A')
    },
  ],
  ['after git add of a program', git => git('update-index', '--chmod=+x', 'a.txt')],
  [
    'after git add -N',
    (git, path) => {
      writeFileSync(join(path, 'later.txt'), 'later')
      git('add', '-N', 'later.txt')
    },
  ],
  [
    'with flags',
    git => {
      git('update-index', '--assume-unchanged', 'a.txt')
      git('update-index', '--skip-worktree', 'src/b.txt')
    },
  ],
  [
    'with a conflict',
    (git, path) => {
      git('switch', '-qc', 'other')
      writeFileSync(join(path, 'a.txt'), 'other')
      git('commit', '-qam', 'other')
      git('switch', '-q', '-')
      writeFileSync(join(path, 'a.txt'), 'mine')
      git('commit', '-qam', 'mine')
      try {
        git('merge', '-q', 'other')
      } catch {
        // It conflicts.
      }
    },
  ],
  [
    'with names of other bytes',
    (git, path) => {
      writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff, 0xe4, 0x20])]), 'x')
      git('add', '-A')
      git('commit', '-qm', 'bytes')
    },
  ],
]

test.each(STATES)('reads the index as git does: %s', async (_, change) => {
  await using world = await repository()
  const { git, path } = world
  const read = (last?: IndexFile) =>
    parseIndex(readFileSync(join(path, '.git/index')), { format: 'sha1' }, last)
  const before = read()
  change(git, path)
  const parsed = read()
  expect(factsOf(read(before))).toEqual(factsOf(parsed))
  const rows = git('ls-files', '-z', '--stage', '-v').toString('latin1').split('\0').slice(0, -1)
  expect(parsed?.flagged).toEqual(rows.filter(row => !row.startsWith('H ') || row.endsWith('later.txt')))
  const names = rows.map(row => /^\S (\d\d)\d+ \w+ \d\t(.*)$/s.exec(row) ?? [])
  const expected = names.map(
    ([, kind = '', name]) => `\0${String.fromCharCode(Number.parseInt(kind, 8))}${name}`,
  )
  expect(parsed?.names.toString('latin1')).toBe(expected.join(''))
  const hasConflict = rows.some(row => row.startsWith('M'))
  const folder = new Folder()
  for (const { path, ...part } of parsed?.parts() ?? []) folder.set(path, part)
  expect(parsed?.parts() === undefined).toBe(hasConflict)
  if (hasConflict) return
  // Git writes the tree that Baton expects.
  const repo = { root: path, gitDir: join(path, '.git'), format: 'sha1' } as const
  expect(folder.write((type, body) => idOf(repo, type, body))).toBe(git('write-tree').toString().trim())
  if (parsed?.tree) expect(parsed.tree).toBe(git('write-tree').toString().trim())
})

const factsOf = (index: IndexFile | undefined) =>
  index && {
    ...index,
    names: index.names.toString('hex'),
    ids: [...index.ids()],
    parts: index.parts(),
    reread: 0,
  }

test('reads only the trees again if nothing but contents and times changed, and all entries otherwise', async () => {
  await using world = await repository()
  const { git, path } = world
  const bytes = () => readFileSync(join(path, '.git/index'))
  const place = { format: 'sha1' } as const
  const before = parseIndex(bytes(), place)
  writeFileSync(join(path, 'src/b.txt'), 'changed')
  git('add', '-A')
  expect(parseIndex(bytes(), place, before)?.names).toBe(before?.names)
  // Whatever byte an agent changes, the last index makes no difference.
  const original = bytes()
  const last = parseIndex(original, place)
  for (let at = 0; at < original.length; at++) {
    const forged = Buffer.from(original)
    forged[at] = (forged[at] ?? 0) ^ (1 << (at % 8))
    expect(factsOf(parseIndex(forged, place, last))).toEqual(factsOf(parseIndex(forged, place)))
  }
  for (const forged of [original.subarray(0, -25), Buffer.concat([original, original])])
    expect(factsOf(parseIndex(forged, place, last))).toEqual(factsOf(parseIndex(forged, place)))
  // The id of a flagged entry is the new one.
  git('update-index', '--skip-worktree', 'a.txt')
  const flagged = parseIndex(bytes(), place)
  git(
    'update-index',
    '--cacheinfo',
    `100644,${git('hash-object', '-w', 'src/b.txt').toString().trim()},a.txt`,
  )
  git('update-index', '--skip-worktree', 'a.txt')
  expect(factsOf(parseIndex(bytes(), place, flagged))).toEqual(factsOf(parseIndex(bytes(), place)))
})

test('knows the tree right after a commit, and not after git add', async () => {
  await using world = await repository()
  const { git, path } = world
  const tree = () => parseIndex(readFileSync(join(path, '.git/index')), { format: 'sha1' })?.tree
  expect(tree()).toBe(git('rev-parse', 'HEAD^{tree}').toString().trim())
  appendFileSync(join(path, 'a.txt'), 'more')
  git('add', 'a.txt')
  expect(tree()).toBeUndefined()
})

test('leaves to git what it cannot read: a split index, a sparse one, a damaged one', async () => {
  await using world = await repository()
  const { git, path } = world
  const index = () => readFileSync(join(path, '.git/index'))
  const whole = index()
  for (let length = 0; length < whole.length - 21; length++)
    expect(() => parseIndex(whole.subarray(0, length), { format: 'sha1' })).not.toThrow()
  expect(parseIndex(whole.subarray(0, 100), { format: 'sha1' })).toBeUndefined()
  git('update-index', '--split-index')
  expect(parseIndex(index(), { format: 'sha1' })).toBeUndefined()
  git('update-index', '--no-split-index')
  git('sparse-checkout', 'init', '--cone', '--sparse-index')
  expect(parseIndex(index(), { format: 'sha1' })).toBeUndefined()
})

test('names every entry and every cached tree, but no commit of a submodule', async () => {
  await using world = await repository()
  const { git, path } = world
  const lines = (...args: string[]) =>
    git(...args)
      .toString()
      .trim()
      .split('\n')
  const ids = () => [...(parseIndex(readFileSync(join(path, '.git/index')), { format: 'sha1' })?.ids() ?? [])]
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`)
  git('commit', '-qm', 'module')
  const objects = lines('rev-list', '--objects', '--no-object-names', '--no-walk', 'HEAD').slice(1)
  expect(ids().sort()).toEqual(objects.sort())
  // What changed has to be written again; what did not is still named.
  const src = git('rev-parse', 'HEAD:src').toString().trim()
  appendFileSync(join(path, 'a.txt'), 'more')
  git('add', 'a.txt')
  expect(ids()).toContain(src)
  expect(ids()).not.toContain(git('rev-parse', 'HEAD^{tree}').toString().trim())
})

/** Version 4: each name keeps all of the one before it and adds these bytes. */
function growingIndex(count: number, added: string): Buffer {
  const head = Buffer.from('DIRC\0\0\0\x04\0\0\0\0', 'latin1')
  head.writeUInt32BE(count, 8)
  const facts = Buffer.alloc(62)
  facts.writeUInt32BE(0o100644, 24)
  const entry = Buffer.concat([facts, Buffer.from([0]), Buffer.from(`${added}\0`)])
  return Buffer.concat([head, ...Array.from({ length: count }, () => entry), Buffer.alloc(20)])
}

test('leaves to git an index whose names are too long, or too many bytes in all', () => {
  const parse = (bytes: Buffer) => parseIndex(bytes, { format: 'sha1' })
  expect(parse(growingIndex(4096, 'x'))?.names.length).toBe((4096 * 4097) / 2 + 2 * 4096)
  expect(parse(growingIndex(4097, 'x'))).toBeUndefined()
  // 10 MB that would expand to gigabytes.
  expect(parse(growingIndex(150_000, 'x'))).toBeUndefined()
  const long = growingIndex(1, 'x'.repeat(4096))
  const same = growingIndex(30_000, '')
  expect(parse(long)).toBeDefined()
  const both = Buffer.concat([long.subarray(0, -20), same.subarray(12)])
  both.writeUInt32BE(30_001, 8)
  const before = process.memoryUsage().arrayBuffers
  expect(parse(both)).toBeUndefined()
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(400_000_000)
})

async function repository() {
  const folder = scratch('ix-')
  const repo = await gitRepo(join(folder.path, 'repo'))
  repo.write('a.txt', 'a')
  repo.write('src/b.txt', 'b')
  const git = gitIn(repo.path)
  git('add', '-A')
  git('commit', '-qm', 'files')
  return {
    git,
    path: repo.path,
    async [Symbol.asyncDispose]() {
      await repo[Symbol.asyncDispose]()
      folder.remove()
    },
  }
}
