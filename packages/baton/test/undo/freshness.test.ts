import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { storeIn, undoWorld } from './world.ts'

test('whatever changes after a refresh is in the next snapshot, even within the same moment', async () => {
  await using world = await undoWorld()
  const { repo, undo, state } = world
  const at = (path: string) => join(repo.path, path)
  let n = 0
  /** Always as long. */
  const text = () => `content ${String(n++).padStart(6, '0')}\n`
  for (const name of ['a', 'b', 'c']) repo.write(`src/${name}`, text())
  await repo.git('add', '-A')
  await repo.git('commit', '-qm', 'All')
  await undo.prepare(repo.path)
  const changes: (() => void)[] = [
    () => writeFileSync(at('src/a'), text()),
    () => {
      const { atime, mtime } = statSync(at('src/b'))
      writeFileSync(at('src/b'), text())
      utimesSync(at('src/b'), atime, mtime)
    },
    () => {
      writeFileSync(at('.git/draft'), text())
      renameSync(at('.git/draft'), at('src/c'))
    },
    () => chmodSync(at('src/a'), n++ % 2 === 0 ? 0o755 : 0o644),
    () => writeFileSync(at(`src/new-${n}`), text()),
    () => {
      rmSync(at('src/c'), { force: true })
      writeFileSync(at('src/c'), text())
    },
  ]
  for (let round = 0; round < 48; round++) {
    changes[round % changes.length]?.()
    // Before, meanwhile, or not at all.
    if (round % 3 === 0) await undo.refresh(repo.path)
    const refreshing = round % 3 === 1 ? undo.refresh(repo.path) : undefined
    changes[(round * 5 + 1) % changes.length]?.()
    const taken = await undo.take(repo.path, { label: `round ${round}` })
    await refreshing
    const options = { cwd: storeIn({ state }), encoding: 'utf8' } as const
    const listed = execFileSync('git', ['ls-tree', '-r', `${taken?.commit}:files`], options)
    const stored = listed
      .trim()
      .split('\n')
      .map(row => row.split(/[\s]+/))
    const names = execFileSync('git', ['ls-files', '-co'], { cwd: repo.path, encoding: 'utf8' })
      .trim()
      .split('\n')
    expect(stored.map(([, , , name]) => name).sort()).toEqual([...new Set(names)].sort())
    const ids = execFileSync('git', ['hash-object', '--no-filters', '--stdin-paths'], {
      cwd: repo.path,
      encoding: 'utf8',
      input: stored.map(([, , , name]) => name).join('\n'),
    })
    expect(stored.map(([, , id]) => id)).toEqual(ids.trim().split('\n'))
    const isProgram = (lstatSync(at('src/a')).mode & 0o100) !== 0
    expect(stored.find(([, , , name]) => name === 'src/a')?.[0]).toBe(isProgram ? '100755' : '100644')
  }
})

test('commands share a step that was refreshed meanwhile, as long as nothing changes', async () => {
  await using world = await undoWorld()
  const { repo, undo } = world
  repo.write('a', 'one')
  const first = await undo.take(repo.path, { label: 'one' })
  await undo.refresh(repo.path)
  expect((await undo.take(repo.path, { label: 'two' }))?.step).toBe(first?.step)
  repo.write('a', 'two, which is longer')
  await undo.refresh(repo.path)
  await undo.refresh(repo.path)
  const second = await undo.take(repo.path, { label: 'three' })
  expect(second?.step).toBe((first?.step ?? 0) + 1)
  await undo.refresh(repo.path)
  expect((await undo.take(repo.path, { label: 'four' }))?.step).toBe(second?.step)
  expect((await undo.list(repo.path)).map(({ label }) => label)).toEqual(['three', 'one'])
})
