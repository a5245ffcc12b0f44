/**
 * Snapshots of a worktree of many files: ahead of time, where nothing changed, where one file changed, after `git add`,
 * after a commit, and an undo. Next to it, what the same snapshot costs with `git add -A` in a private index.
 * Run: node bench/undo.ts [--files 5000] [--rounds 30]
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { gitSnapshots } from '../packages/baton/src/adapters/git/snapshot.ts'
import { systemClock } from '../packages/baton/src/adapters/system/clock.ts'
import { makeUndo } from '../packages/baton/src/undo/undo.ts'

const { values } = parseArgs({
  options: { files: { type: 'string', default: '5000' }, rounds: { type: 'string', default: '30' } },
})
const files = Number(values.files)
const rounds = Number(values.rounds)

const folder = mkdtempSync(join(tmpdir(), 'baton-bench-'))
const work = join(folder, 'work')
const git = (args: string[], env: Record<string, string> = {}) =>
  execFileSync('git', args, {
    cwd: work,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
mkdirSync(work)
git(['init', '-q'])
for (let i = 0; i < files; i++) {
  const name = join(work, `packages/p${i % 20}/src/m${i % 50}`)
  mkdirSync(name, { recursive: true })
  writeFileSync(join(name, `file-${i}.ts`), `export const n = ${i}\n`.repeat(50 + (i % 200)))
}
git(['add', '-A'])
git(['-c', 'user.name=B', '-c', 'user.email=b@example.com', 'commit', '-qm', 'All'])

const undo = makeUndo({ snapshots: gitSnapshots({ dir: join(folder, 'state') }), clock: systemClock })
const take = () => undo.take(work, { label: 'bench' })
const rows: Record<string, string | number>[] = []

rows.push({ what: 'when a session starts', ...(await measure(1, () => undo.prepare(work))) })
rows.push({ what: 'first, all files still young', ...(await measure(1, take)) })
// Files younger than two seconds are read again, because a change might not show in their times.
await pause(2500)
await take()
rows.push({ what: 'nothing changed', ...(await measure(rounds, take)) })
let n = 0
const one = join(work, 'packages/p1/src/m1/file-1.ts')
rows.push({
  what: 'one file changed',
  ...(await measure(rounds, take, () => writeFileSync(one, `export const n = ${n++}\n`))),
})
rows.push({
  what: 'after git add',
  ...(await measure(rounds, take, () => {
    writeFileSync(one, `export const n = ${n++}\n`)
    git(['add', '-A'])
  })),
})
rows.push({
  what: 'after a commit',
  ...(await measure(rounds, take, () => {
    writeFileSync(one, `export const n = ${n++}\n`)
    git(['-c', 'user.name=B', '-c', 'user.email=b@example.com', 'commit', '-qam', 'One'])
  })),
})
rows.push({
  what: 'undo of one file',
  ...(await measure(
    5,
    () => undo.restore(work),
    () => writeFileSync(one, `export const n = ${n++}\n`),
  )),
})
rows.push({ what: 'list', ...(await measure(rounds, () => undo.list(work))) })
const index = join(folder, 'index')
rows.push({
  what: 'git add -A, write-tree, commit-tree (with filters)',
  ...(await measure(rounds, async () => {
    copyFileSync(join(work, '.git/index'), index)
    git(['add', '-A'], { GIT_INDEX_FILE: index })
    const tree = git(['write-tree'], { GIT_INDEX_FILE: index }).toString().trim()
    git(['-c', 'user.name=B', '-c', 'user.email=b@example.com', 'commit-tree', '-m', 'x', tree])
  })),
})
console.log(`${files} files`)
console.table(rows)
rmSync(folder, { recursive: true })

async function measure(times: number, action: () => Promise<unknown>, before?: () => void) {
  const took: number[] = []
  for (let i = 0; i < times; i++) {
    before?.()
    const start = performance.now()
    await action()
    took.push(performance.now() - start)
  }
  took.sort((a, b) => a - b)
  const at = (q: number) => Math.round(took[Math.min(took.length - 1, Math.floor(took.length * q))] ?? 0)
  return { 'best ms': at(0), 'p50 ms': at(0.5), 'p95 ms': at(0.95), 'max ms': at(1) }
}
