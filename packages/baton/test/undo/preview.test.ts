import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { foretellSnapshot } from '../../src/permission/snapshotted.ts'
import { type UndoWorld, undoWorld } from './world.ts'

const LIMITS = { limits: { fileBytes: 100 } }
const PATHS = [
  'a.txt',
  '.env',
  'large.bin',
  'dist',
  'dist/new.js',
  'new.txt',
  'link',
  '/etc/passwd',
  '.git/config',
]

async function fill({ repo }: UndoWorld): Promise<void> {
  await repo.commit({ '.gitignore': 'dist/\n.env\n', 'a.txt': 'a\n' })
  repo.write('.env', 'A=1\n')
  repo.write('dist/a.js', '')
  repo.write('large.bin', 'x'.repeat(101))
}

const everythingIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).sort()

/** A snapshot writes its cache, and releases its lock, when its command no longer waits. */
const settled = (state: string) =>
  vi.waitFor(() => expect(everythingIn(state).filter(name => name.endsWith('/lock'))).toEqual([]), {
    timeout: 120_000,
  })

test('a preview covers what a snapshot does, and writes nothing', async () => {
  await using world = await undoWorld(LIMITS)
  await fill(world)
  const { repo, undo, state } = world
  const git = everythingIn(join(repo.path, '.git'))
  const before = await undo.preview(repo.path)
  expect(everythingIn(state)).toEqual([])
  expect(everythingIn(join(repo.path, '.git'))).toEqual(git)

  const taken = await undo.take(repo.path, { label: 'x' })
  await settled(state)
  const stored = everythingIn(state)
  repo.write('a.txt', 'changed\n')
  const after = await undo.preview(repo.path)
  expect(everythingIn(state)).toEqual(stored)
  for (const found of [before, after]) {
    expect(found?.leftOut).toEqual(taken?.leftOut)
    expect(found?.complete).toBe(taken?.complete)
    for (const path of PATHS) {
      expect(await found?.covers([path]), path).toBe(await taken?.covers([path]))
      expect(await found?.contains([path]), path).toBe(await taken?.contains([path]))
    }
  }
  expect(taken?.complete).toBe(false)
})

test('what is not there is not lost, though an undo may leave what is made there', async () => {
  await using world = await undoWorld(LIMITS)
  await fill(world)
  const taken = await world.undo.take(world.repo.path, { label: 'x' })
  expect(await taken?.covers(['a.txt', 'dist/new.js'])).toBe(false)
  expect(await taken?.contains(['a.txt', 'dist/new.js'])).toBe(true)
  for (const path of ['dist', 'dist/a.js', 'large.bin', '/etc/passwd', '/etc/no-such-file'])
    expect(await taken?.contains(['a.txt', path]), path).toBe(false)
})

test('a preview waits for no snapshot that is under way', async () => {
  await using world = await undoWorld()
  await fill(world)
  const { repo, undo, state } = world
  await undo.take(repo.path, { label: 'x' })
  await settled(state)
  // Held by a process that lives.
  const [key = ''] = readdirSync(state)
  writeFileSync(join(state, key, 'lock'), `${process.pid}\n`)
  expect((await undo.preview(repo.path))?.complete).toBe(true)
  expect(existsSync(join(state, key, 'lock'))).toBe(true)
})

test('a preview fails where a snapshot does', async () => {
  await using world = await undoWorld({ limits: { files: 1 } })
  await fill(world)
  const { repo, undo } = world
  const error = { code: 'undo_unavailable', message: expect.stringContaining('too many for a snapshot') }
  await expect(undo.preview(repo.path)).rejects.toMatchObject(error)
  await expect(undo.take(repo.path, { label: 'x' })).rejects.toMatchObject(error)
})

test('where the state folder cannot be written to, check says that there is no undo', async () => {
  await using world = await undoWorld()
  await fill(world)
  const { repo, undo, state } = world
  rmSync(state, { recursive: true })
  writeFileSync(state, '')
  await expect(undo.take(repo.path, { label: 'x' })).rejects.toThrow()
  const foretold = foretellSnapshot(folder => undo.preview(folder))
  const judgement = { effects: { writes: ['a.txt'] } }
  const args = [undefined, repo.path, judgement] as unknown as Parameters<typeof foretold>
  expect(await foretold(...args)).toEqual({
    noUndo: expect.stringMatching(/^a snapshot fails here: ENOTDIR/),
  })
})
