import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Repository } from '../world/scratch.ts'
import { gitState, indexBytes, treeOf, undoWorld } from './world.ts'

const RUNS = Number(process.env.BATON_UNDO_RUNS ?? 15)

const name = fc.constantFrom(
  'a',
  'b',
  'dir',
  'dir/c',
  'dir/deep/d',
  'ü ö',
  'line\nbreak',
  '-x',
  ':(top)y',
  'b/under',
  'dir/c/under',
)
const text = fc.constantFrom('', 'x', 'y\n', 'longer\r\ntext\n', '\0binary')
const mode = fc.constantFrom(0o644, 0o755, 0o600, 0o664)
const operation = fc.oneof(
  fc.record({ do: fc.constant('write' as const), name, text, mode }),
  fc.record({ do: fc.constant('remove' as const), name }),
  fc.record({ do: fc.constant('rename' as const), name, to: name }),
  fc.record({ do: fc.constant('chmod' as const), name, mode }),
  fc.record({
    do: fc.constant('link' as const),
    name,
    to: fc.constantFrom('a', 'dir', '/nowhere', '..'),
  }),
  fc.record({
    do: fc.constant('git' as const),
    args: fc.constantFrom(
      ['add', '-A'],
      ['add', '-N', '.'],
      ['commit', '-qm', 'All', '-a'],
      ['commit', '-q', '--allow-empty', '-m', 'Empty'],
      ['commit', '-q', '--amend', '--allow-empty', '-m', 'Amended'],
      ['checkout', '-q', '-f', 'other'],
      ['checkout', '-q', '-B', 'made'],
      ['checkout', '-q', '-f', '--detach', 'other'],
      ['checkout', '-q', '--', '.'],
      ['reset', '-q', '--hard'],
      ['reset', '-q', '--hard', 'other'],
      ['reset', '-q', 'HEAD~1'],
      ['rm', '-rqf', '--cached', '.'],
      ['clean', '-qfd'],
      ['stash', '-qu'],
      ['stash', 'pop', '-q'],
      ['update-index', '--assume-unchanged', 'a'],
    ),
  }),
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** What earlier runs found. */
const FOUND: [Operation[], Operation[]][] = [
  [[], [{ do: 'git', args: ['update-index', '--assume-unchanged', 'a'] }]],
  [
    [],
    [
      { do: 'remove', name: 'dir' },
      { do: 'write', name: 'dir/c/under', text: 'x', mode: 0o644 },
    ],
  ],
]

it('gives back exactly the files, the index and HEAD, whatever happened, and back again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { maxLength: 8 }),
      fc.array(operation, { minLength: 1, maxLength: 12 }),
      async (first, then) => {
        await using world = await undoWorld()
        const { repo, undo } = world
        // Git itself names the empty tree in an empty index without storing it, and fsck then misses it.
        await repo.git('hash-object', '-t', 'tree', '-w', '/dev/null')
        await repo.commit({ a: 'other', shared: 'same' })
        await repo.git('branch', 'other')
        await repo.commit({ a: 'main', 'dir/c': 'c' })
        for (const each of first) await perform(repo, each)
        const before = treeOf(repo.path)
        const bytes = indexBytes(repo)

        await undo.take(repo.path, { label: 'x' })
        expect(indexBytes(repo)).toBe(bytes)
        expect(treeOf(repo.path)).toEqual(before)
        const state = await gitState(repo)
        for (const each of then) await perform(repo, each)
        const after = treeOf(repo.path)
        const stateAfter = await gitState(repo)

        const restored = await undo.restore(repo.path, 1)
        expect(restored.notes.filter(note => note.includes('was left'))).toEqual([])
        expect(treeOf(repo.path)).toEqual(before)
        expect(await gitState(repo)).toEqual(state)

        if (restored.undoneBy !== undefined) await undo.restore(repo.path, restored.undoneBy)
        expect(treeOf(repo.path)).toEqual(after)
        expect(await gitState(repo)).toEqual(stateAfter)
        expect(await repo.git('fsck', '--no-dangling')).toBe('')
      },
    ),
    { numRuns: RUNS, examples: FOUND },
  )
}, 600_000)

/** Does it if it can be done; what cannot (a file in a file) changes nothing. */
async function perform(repo: Repository, operation: Operation): Promise<void> {
  if (operation.do === 'git') {
    await repo.git(...operation.args).catch(() => {})
    return
  }
  const at = join(repo.path, operation.name)
  try {
    switch (operation.do) {
      case 'write':
        mkdirSync(dirname(at), { recursive: true })
        rmSync(at, { force: true })
        writeFileSync(at, operation.text)
        chmodSync(at, operation.mode)
        return
      case 'remove':
        rmSync(at, { recursive: true, force: true })
        return
      case 'rename':
        mkdirSync(dirname(join(repo.path, operation.to)), { recursive: true })
        if (existsSync(at)) renameSync(at, join(repo.path, operation.to))
        return
      case 'chmod':
        if (lstatSync(at).isFile()) chmodSync(at, operation.mode)
        return
      case 'link':
        mkdirSync(dirname(at), { recursive: true })
        rmSync(at, { force: true })
        symlinkSync(operation.to, at)
    }
  } catch {
    // Cannot be done here.
  }
}
