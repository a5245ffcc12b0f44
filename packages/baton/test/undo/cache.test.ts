import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Known, KnownFile } from '../../src/adapters/git/snapshot/cache.ts'
import type { BytePath } from '../../src/ports/snapshots.ts'
import { scratch } from '../world/scratch.ts'

/** Another process: it remembers nothing. */
async function otherProcess() {
  vi.resetModules()
  return await import('../../src/adapters/git/snapshot/cache.ts')
}

const file = (content: string): KnownFile => ({
  content,
  kind: 'file',
  mode: 0o644,
  stamp: [1, 2, 3, 4, 5],
  young: false,
})

const known = (state: string, files: [string, KnownFile][]): Known => ({
  filesTree: 't',
  stagedTree: undefined,
  commit: 'c',
  files: new Map(files as [BytePath, KnownFile][]),
  index: undefined,
  names: undefined,
  staged: undefined,
  state,
  held: [],
  isHeld: true,
  inOperation: false,
  last: undefined,
})

test('what changed is appended, and another process reads it; a line that was cut off is ignored', async () => {
  const folder = scratch('kc-')
  const changes = join(folder.path, 'known-changes.jsonl')
  const { saveKnown, pendingWrite } = await otherProcess()
  const save = async (next: Known) => {
    saveKnown(folder.path, next)
    await pendingWrite(folder.path)
  }
  const same = file('same')
  await save(
    known('one', [
      ['a', file('1')],
      ['b', same],
      ['gone', same],
    ]),
  )
  expect(existsSync(changes)).toBe(false)
  const whole = readFileSync(join(folder.path, 'known.json'), 'utf8')
  const second = known('two', [
    ['a', file('2')],
    ['b', same],
    ['new', same],
  ])
  await save(second)
  expect(readFileSync(join(folder.path, 'known.json'), 'utf8')).toBe(whole)
  const read = async () => (await otherProcess()).readKnown(folder.path)
  expect(await read()).toEqual(second)
  // Killed while it appended.
  appendFileSync(changes, '[1,{"state":"thr')
  expect(await read()).toEqual(second)

  // A file that was written as a whole has no changes yet, whatever an earlier one left.
  folder.write('known.json', whole)
  const many = Array.from({ length: 600 }, (_, i): [string, KnownFile] => [`f${i}`, file(String(i))])
  const other = await otherProcess()
  other.saveKnown(folder.path, known('three', many))
  await other.pendingWrite(folder.path)
  expect(existsSync(changes)).toBe(false)
  expect((await read())?.state).toBe('three')
  folder.remove()
})
