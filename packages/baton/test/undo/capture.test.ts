import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readOperationFiles } from '../../src/adapters/git/snapshot/operation.ts'
import type { Place } from '../../src/adapters/git/snapshot/place.ts'
import { readPosition, readStash } from '../../src/adapters/git/snapshot/position.ts'
import { gitSnapshots } from '../../src/adapters/git/snapshot.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

async function captureWorld() {
  const repo = await gitRepo()
  const state = scratch('bc-')
  const worktree = await gitSnapshots({ dir: state.path }).open(repo.path)
  const limits = { files: 1000, fileBytes: 1_000_000 }
  return {
    repo,
    git: join(repo.path, '.git'),
    place: { root: repo.path, gitDir: join(repo.path, '.git'), format: 'sha1' } as Place,
    capture: () =>
      worktree?.exclusively(() =>
        worktree.capture({ about: undefined, atMs: Date.UTC(2026, 10, 15), limits }),
      ),
    own: () => join(state.path, readdirSync(state.path)[0] ?? ''),
    async [Symbol.asyncDispose]() {
      state.remove()
      repo.remove()
    },
  }
}

test('a snapshot that fails while it reads files leaves no draft and no open file behind', async () => {
  await using world = await captureWorld()
  const { repo, capture } = world
  await capture()
  // Only git reads an index in two files, from a copy: what is staged fails at once, next to the scan.
  await repo.git('update-index', '--split-index')
  const copy = join(world.own(), 'index')
  rmSync(copy, { force: true })
  mkdirSync(copy)
  for (let i = 0; i < 400; i++) repo.write(`new/${i}`, `content ${i}`)
  await expect(capture()).rejects.toThrow('EISDIR')
  rmSync(copy, { recursive: true })
  await capture()
  const pack = join(world.own(), 'store.git/objects/pack')
  expect(readdirSync(pack).filter(name => name.startsWith('tmp_'))).toEqual([])
  expect(openFiles().filter(name => name.startsWith(pack))).toEqual([])
})

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap(name => {
    try {
      return [readlinkSync(join('/proc/self/fd', name))]
    } catch {
      return []
    }
  })
}

test('an index that is a pipe, a link or too large is an error, and never counts as absent', async () => {
  await using world = await captureWorld()
  const index = join(world.git, 'index')
  const kept = join(world.git, 'kept')
  await world.capture()
  renameSync(index, kept)
  for (const replace of [
    () => execFileSync('mkfifo', [index]),
    () => symlinkSync('/dev/zero', index),
    () => symlinkSync(kept, index),
    () => {
      writeFileSync(index, '')
      truncateSync(index, 64_000_001)
    },
  ]) {
    replace()
    await expect(world.capture()).rejects.toThrow("cannot read git's index")
    rmSync(index)
  }
  renameSync(kept, index)
  await world.capture()
})

test('pipes and devices in the place of git’s small files do not hold the daemon up', async () => {
  await using world = await captureWorld()
  const { git, place, repo } = world
  const head = (await repo.git('rev-parse', 'HEAD')).trim()
  expect(await readPosition(place)).toEqual({ branch: 'refs/heads/main', head })
  mkdirSync(join(git, 'logs/refs'), { recursive: true })
  execFileSync('mkfifo', [join(git, 'logs/refs/stash'), join(git, 'commondir')])
  expect(await readStash(place)).toEqual([])
  expect(await readPosition(place)).toEqual({ branch: 'refs/heads/main', head })
  rmSync(join(git, 'commondir'))
  // An old way to store the branch: git knows it.
  rmSync(join(git, 'HEAD'))
  symlinkSync('refs/heads/main', join(git, 'HEAD'))
  expect(await readPosition(place)).toEqual({ branch: 'refs/heads/main', head })

  repo.write('.git/MERGE_HEAD', `${head}\n`)
  execFileSync('mkfifo', [join(git, 'MERGE_MSG')])
  symlinkSync('/dev/zero', join(git, 'MERGE_MODE'))
  expect([...readOperationFiles(place).keys()]).toEqual(['MERGE_HEAD'])
  truncateSync(join(git, 'MERGE_HEAD'), 20_000_001)
  expect(() => readOperationFiles(place)).toThrow('too large')
})
