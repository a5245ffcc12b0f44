import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { gitState, indexBytes, storeIn, treeOf, type UndoWorld, undoWorld } from './world.ts'

const program = join(import.meta.dirname, 'take-forever.ts')

async function start({ repo, state }: UndoWorld, what: 'take' | 'restore'): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, repo.path, state, what], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '--no-warnings' },
  })
  await once(child.stdout, 'data')
  return child
}

async function killAfter(child: ChildProcess, ms: number): Promise<void> {
  await pause(ms)
  child.kill('SIGKILL')
  await once(child, 'exit')
}

it('killed at any moment while it takes snapshots, leaves the repository sound and the index as it was', async () => {
  await using world = await undoWorld()
  const { repo, undo } = world
  for (let i = 0; i < 200; i++) repo.write(`files/${i % 7}/${i}`, `content ${i}\n`.repeat(i))
  await repo.git('add', 'files/0')
  const bytes = indexBytes(repo)
  for (const ms of [3, 17, 40, 75, 111, 160]) {
    const child = await start(world, 'take')
    repo.write(`files/new-${ms}`, String(ms))
    await killAfter(child, ms)
    expect(indexBytes(repo)).toBe(bytes)
    expect(await repo.git('fsck', '--no-dangling')).toBe('')
  }
  const before = treeOf(repo.path)
  await undo.take(repo.path, { label: 'after the crashes' })
  repo.write('files/0/0', 'changed')
  await undo.restore(repo.path)
  expect(treeOf(repo.path)).toEqual(before)
  expect(existsSync(join(storeIn(world), '../lock'))).toBe(false)
  execFileSync('git', ['fsck', '--no-dangling'], { cwd: storeIn(world) })
}, 120_000)

it('killed in the middle of an undo, finishes when asked again', async () => {
  await using world = await undoWorld()
  const { repo, undo } = world
  await repo.git('branch', 'other')
  for (let i = 0; i < 150; i++) repo.write(`files/${i}`, `content ${i}\n`)
  await repo.commit({})
  const before = treeOf(repo.path)
  const state = await gitState(repo)
  const first = await undo.take(repo.path, { label: 'start' })
  for (const ms of [5, 60, 130, 220]) {
    await repo.git('checkout', '-qf', 'other')
    for (let i = 0; i < 150; i++) repo.write(`files/${i}`, `else ${i}\n`)
    await killAfter(await start(world, 'restore'), ms)
    expect(await repo.git('fsck', '--no-dangling')).toBe('')
    await repo.git('reset', '-q', '--hard')
    await undo.restore(repo.path, first?.step)
    expect(treeOf(repo.path)).toEqual(before)
    expect(await gitState(repo)).toEqual(state)
  }
}, 120_000)

it('taken by several sessions and processes at once, gives each state one step', async () => {
  await using world = await undoWorld()
  const { repo, undo } = world
  repo.write('a', 'a')
  const other = await start(world, 'take')
  const steps: (number | undefined)[] = []
  for (let i = 0; i < 8; i++) {
    repo.write('a', String(i))
    const taken = await Promise.all(
      ['one', 'two'].map(session => undo.take(repo.path, { label: `state ${i}`, session })),
    )
    expect(taken[0]?.step).toBe(taken[1]?.step)
    steps.push(taken[0]?.step)
  }
  await killAfter(other, 0)
  expect(new Set(steps).size).toBe(8)
  for (const [i, step] of steps.entries()) {
    await undo.restore(repo.path, step)
    expect(readFileSync(join(repo.path, 'a'), 'utf8')).toBe(String(i))
  }
}, 120_000)

it('keeps the lock until other processes can see the new step', async () => {
  await using world = await undoWorld()
  const { repo, undo } = world
  for (let i = 0; i < 3; i++) {
    repo.write('a', String(i))
    await undo.take(repo.path, { label: `state ${i}` })
    const folder = join(storeIn(world), '..')
    const names = ['known-changes.jsonl', 'known.json'].map(name => join(folder, name))
    const [newest] = names.filter(path => existsSync(path))
    const lastLine = newest && readFileSync(newest, 'utf8').trimEnd().split('\n').at(-1)
    const isSeen = lastLine !== undefined && JSON.parse(lastLine)[1].last.step === i + 1
    expect(isSeen || existsSync(join(folder, 'lock'))).toBe(true)
    await expect.poll(() => existsSync(join(folder, 'lock'))).toBe(false)
  }
})
