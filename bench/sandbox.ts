/**
 * What the sandbox adds to a command: `true`, `git status` and a vitest run, bare, in a bare `bwrap`, and as an agent's
 * shell runs them in a session's sandbox. Interleaved, so that the machine's moods hit all of them alike. "prepare" is
 * the daemon's part: scan, plan and request; "snapshot" is what `baton undo` needs, before a command that may change files.
 * The goals: a short command adds at most six times a bare `bwrap` start, a test run takes at most 5 % longer.
 * Run: node bench/sandbox.ts [--rounds 25] [--files 500]
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { gitSnapshots } from '../packages/baton/src/adapters/git/snapshot.ts'
import { systemClock } from '../packages/baton/src/adapters/system/clock.ts'
import { makeUndo } from '../packages/baton/src/undo/undo.ts'
import { sandboxWorld } from '../packages/baton/test/world/sandbox.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    files: { type: 'string', default: '500' },
  },
})
const rounds = Number(values.rounds)
const root = join(import.meta.dirname, '..')
const path = `${dirname(process.execPath)}:${process.env.PATH}`

await using world = await sandboxWorld({
  // The test run uses this repository's own packages.
  settings: { readable: [join(root, 'node_modules')] },
})
const { project } = world
for (let i = 0; i < Number(values.files); i++) {
  const folder = join(project.path, `src/part-${i % 25}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `file-${i}.ts`), `export const n = ${i}\n`)
}
writeFileSync(join(project.path, 'a.test.ts'), testFile())
writeFileSync(join(project.path, 'package.json'), '{"type":"module"}')
symlinkSync(join(root, 'node_modules'), join(project.path, 'node_modules'))
writeFileSync(join(project.path, '.gitignore'), 'node_modules\n')
await project.git('add', '-A')
await project.git('commit', '-q', '-m', 'All')

const vitest = `node ${join(root, 'node_modules/vitest/vitest.mjs')} run --root . --pool forks`
const bwrap = [
  'bwrap',
  '--unshare-all',
  '--ro-bind',
  '/',
  '/',
  '--proc',
  '/proc',
  '--dev',
  '/dev',
  '--tmpfs',
  '/tmp',
  '--bind',
  project.path,
  project.path,
  '--chdir',
  project.path,
]
const env = { PATH: path, HOME: world.home, LANG: 'C.UTF-8', CI: '1' }

const undo = makeUndo({ snapshots: gitSnapshots({ dir: join(world.state, 'undo') }), clock: systemClock })
await undo.prepare(project.path)

const rows: Record<string, string | number>[] = []
/** Bare `bwrap true`, in all rounds. */
const starts: number[] = []
const bareBwrap = () => middle(starts)
// As the daemon does: no snapshot before what only reads by its text.
for (const [what, command, mayChange] of [
  ['true', 'true', false],
  ['git status', 'git status --short', false],
  ['touch', 'touch touched', true],
  ['vitest run', vitest, true],
] as const) {
  const took: Record<'bare' | 'bwrap' | 'contained' | 'prepare' | 'snapshot', number[]> = {
    bare: [],
    bwrap: [],
    contained: [],
    prepare: [],
    snapshot: [],
  }
  for (let round = 0; round < rounds + 1; round++) {
    const call = { shell: 'bash', text: command, worktree: project.path, cwd: project.path, path } as const
    const start = performance.now()
    const made = await world.session.prepare(call)
    const prepared = performance.now() - start
    if (!made.ok) throw new Error(made.reason)
    const beforeSnapshot = performance.now()
    if (mayChange) await undo.take(project.path, { label: what })
    const snapshot = performance.now() - beforeSnapshot
    const bare = measure(['/bin/bash', '-c', command])
    const plain = measure([...bwrap, '/bin/bash', '-c', command])
    starts.push(
      measure(['bwrap', '--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true']),
    )
    const contained = measure(['/bin/bash', '-c', `eval '${made.prepared.text.replaceAll("'", `'\\''`)}'`])
    await world.session.discard(made.prepared.id)
    // The first round only warms up.
    if (round === 0) continue
    took.bare.push(bare)
    took.bwrap.push(plain)
    took.contained.push(contained)
    took.prepare.push(prepared)
    took.snapshot.push(snapshot)
  }
  const p50 = Object.fromEntries(Object.entries(took).map(([name, list]) => [name, middle(list)])) as Record<
    keyof typeof took,
    number
  >
  const added = p50.contained + p50.prepare + p50.snapshot - p50.bare
  rows.push({
    what,
    'bare ms': round(p50.bare),
    'bwrap ms': round(p50.bwrap),
    'contained ms': round(p50.contained),
    'prepare ms': round(p50.prepare),
    'snapshot ms': round(p50.snapshot),
    'added ms': round(added),
    'added / bare bwrap': round(added / bareBwrap()),
    'added %': round((added / p50.bare) * 100),
  })
}
console.log(`bare bwrap start: ${round(bareBwrap())} ms`)
console.log(
  `p50 of ${rounds} interleaved rounds, ${values.files} files, uid ${process.getuid?.()}, ${execFileSync('bwrap', ['--version']).toString().trim()}`,
)
console.table(rows)
await world[Symbol.asyncDispose]()
process.exit(0)

function measure([program = '', ...args]: readonly string[]): number {
  const start = performance.now()
  const { status, stderr } = spawnSync(program, args, {
    cwd: project.path,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status !== 0) throw new Error(`${args.at(-1)} ended with ${status}: ${stderr}`)
  return performance.now() - start
}

function middle(list: readonly number[]): number {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function testFile(): string {
  const tests = Array.from(
    { length: 40 },
    (_, i) =>
      `it('adds ${i}', () => { let n = 0; for (let k = 0; k < 2e6; k++) n += k; expect(n).toBeGreaterThan(${i}) })`,
  )
  return `import { expect, it } from 'vitest'\n${tests.join('\n')}\n`
}
