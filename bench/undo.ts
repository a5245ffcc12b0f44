/**
 * How long a command waits for its snapshot in a worktree of many files, through the real daemon: after nothing, an edit,
 * `git add` and a commit, and as the first one of a session. With time to think, with none, and with just so much that the
 * daemon is still reading what changed. Then the parts, in this process: an undo, the list of steps, and what the same
 * snapshot costs with `git add -A` in a private index.
 * Run: node bench/undo.ts [--files 5000] [--rounds 100] [--think 1000]
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gitSnapshots } from '../packages/baton/src/adapters/git/snapshot.ts'
import { systemClock } from '../packages/baton/src/adapters/system/clock.ts'
import { Undo } from '../packages/baton/src/undo/undo.ts'
import { CASES, playSession } from './undo-cost/waits.ts'

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '100' },
    /** Between two commands. Agents take seconds. */
    think: { type: 'string', default: '1000' },
  },
})
const files = Number(values.files)
const rounds = Number(values.rounds)
const thinkMs = Number(values.think)
/** The daemon begins to read what changed after 150 ms. */
const UNDER_WAY_MS = 160
const GOAL_MS = 50

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

const session = await playSession(work)
try {
  // The first session that a worktree ever has: all files have to be stored.
  await session.startSession()
  const [ever] = (await session.commands('nothing', 0, 1)).snapshot
  console.log(
    `${files} files; ${rounds} commands in each row; the first command ever waited ${round(ever ?? 0)} ms`,
  )
  const waits: Record<string, string | number>[] = []
  for (const [think, what] of [
    [thinkMs, `${thinkMs} ms to think`],
    [UNDER_WAY_MS, 'while Baton reads'],
    [0, 'no time to think'],
  ] as const) {
    for (const happens of CASES) {
      const took = await session.commands(happens, think, rounds)
      waits.push({
        after: happens,
        when: what,
        ...summary(took.snapshot),
        'hook p50': round(at(took.hook, 0.5)),
      })
    }
    const first = await session.firstCommands(think, rounds)
    waits.push({
      after: 'a session’s start',
      when: what,
      ...summary(first.snapshot),
      'hook p50': round(at(first.hook, 0.5)),
    })
  }
  console.table(waits)
  console.log(
    `goal with time to think: p99 under ${GOAL_MS} ms; daemon memory: ${await session.memoryMb()} MB`,
  )
} finally {
  await session.remove()
}

const undo = new Undo({ snapshots: gitSnapshots({ dir: join(folder, 'state') }), clock: systemClock })
await undo.prepare(work)
const rows: Record<string, string | number>[] = []
let n = 0
const one = join(work, 'packages/p1/src/m1/file-1.ts')
rows.push({
  what: 'undo of one file',
  ...(await measure(
    5,
    () => undo.restore(work),
    async () => {
      await undo.take(work, { label: `edit ${n}`, session: 'bench', event: `event-${n}` })
      writeFileSync(one, `export const n = ${n++}\n`)
    },
  )),
})
rows.push({ what: 'list', ...(await measure(20, () => undo.list(work))) })
const index = join(folder, 'index')
rows.push({
  what: 'git add -A, write-tree, commit-tree (with filters)',
  ...(await measure(20, async () => {
    copyFileSync(join(work, '.git/index'), index)
    git(['add', '-A'], { GIT_INDEX_FILE: index })
    const tree = git(['write-tree'], { GIT_INDEX_FILE: index }).toString().trim()
    git(['-c', 'user.name=B', '-c', 'user.email=b@example.com', 'commit-tree', '-m', 'x', tree])
  })),
})
console.table(rows)
rmSync(folder, { recursive: true })

async function measure(times: number, action: () => Promise<unknown>, before?: () => Promise<void>) {
  const took: number[] = []
  for (let i = 0; i < times; i++) {
    await before?.()
    const start = performance.now()
    await action()
    took.push(performance.now() - start)
  }
  return summary(took)
}

function summary(took: readonly number[]) {
  const [p50, p95, p99, max] = [0.5, 0.95, 0.99, 1].map(q => round(at(took, q)))
  return { 'p50 ms': p50 ?? 0, 'p95 ms': p95 ?? 0, 'p99 ms': p99 ?? 0, 'max ms': max ?? 0 }
}

function at(took: readonly number[], q: number): number {
  const sorted = [...took].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
