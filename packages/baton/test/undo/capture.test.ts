import { mkdirSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
