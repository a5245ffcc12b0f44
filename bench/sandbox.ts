/**
 * What the sandbox adds to a command: `true`, `git status` and a vitest run, bare, in a bare `bwrap`, and as an agent's
 * shell runs them in a session's sandbox. Interleaved, so that the machine's moods hit all of them alike. "prepare" is
 * the daemon's part: scan, plan and request; "snapshot" is what `baton undo` needs, before a command that may change files.
 * "proxy" is the same as "contained" in a session that has the proxy; a download goes through it, and bare directly to a local
 * server with TLS.
 * The goals: a short command adds at most six times a bare `bwrap` start, a test run takes at most 5 % longer.
 * Run: node bench/sandbox.ts [--rounds 25] [--files 500] [--short]; --short leaves the test run out.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { gitSnapshots } from '../packages/baton/src/adapters/git/snapshot.ts'
import { systemClock } from '../packages/baton/src/adapters/system/clock.ts'
import { Undo } from '../packages/baton/src/undo/undo.ts'
import { networkWorld } from '../packages/baton/test/world/network.ts'
import { packageRegistry } from '../packages/baton/test/world/package-registry.ts'
import { scratch } from '../packages/baton/test/world/scratch.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    files: { type: 'string', default: '500' },
    short: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const root = join(import.meta.dirname, '..')
const path = `${dirname(process.execPath)}:${process.env.PATH}`

const folder = scratch('bench-')
const DOWNLOAD = 20_000_000
const server = await packageRegistry(folder.path, () => [
  { '/small': randomBytes(10_000), '/large': randomBytes(DOWNLOAD) },
])
const certificate = folder.write('server.pem', server.certificate)
// The test run uses this repository's own packages.
const readable = [join(root, 'node_modules')]
await using network = await networkWorld({
  home: {},
  names: { localhost: ['127.0.0.1'] },
  hosts: [server.url],
  environment: { SSL_CERT_FILE: certificate },
  readable,
})
const { world } = network
const { project } = world
/** Without a way to the network. */
const closed = await world.open('ses_closed', { readable })
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

const undo = new Undo({ snapshots: gitSnapshots({ dir: join(world.state, 'undo') }), clock: systemClock })
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
  if (values.short && command === vitest) continue
  const took: Record<'bare' | 'bwrap' | 'contained' | 'proxy' | 'prepare' | 'snapshot', number[]> = {
    bare: [],
    bwrap: [],
    contained: [],
    proxy: [],
    prepare: [],
    snapshot: [],
  }
  for (let round = 0; round < rounds + 1; round++) {
    const call = { shell: 'bash', text: command, worktree: project.path, cwd: project.path, path } as const
    const start = performance.now()
    const made = await closed.prepare(call)
    const prepared = performance.now() - start
    if (!made.ok) throw new Error(made.reason)
    const other = await world.session.prepare(call)
    if (!other.ok) throw new Error(other.reason)
    const beforeSnapshot = performance.now()
    if (mayChange) await undo.take(project.path, { label: what })
    const snapshot = performance.now() - beforeSnapshot
    const bare = await measure(['/bin/bash', '-c', command])
    const plain = await measure([...bwrap, '/bin/bash', '-c', command])
    starts.push(
      await measure([
        'bwrap',
        '--unshare-all',
        '--ro-bind',
        '/',
        '/',
        '--proc',
        '/proc',
        '--dev',
        '/dev',
        'true',
      ]),
    )
    const contained = await measure(asAgent(made.prepared.text))
    const proxy = await measure(asAgent(other.prepared.text))
    await closed.discard(made.prepared.id)
    await world.session.discard(other.prepared.id)
    // The first round only warms up.
    if (round === 0) continue
    took.bare.push(bare)
    took.bwrap.push(plain)
    took.contained.push(contained)
    took.proxy.push(proxy)
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
    'proxy ms': round(p50.proxy),
    'prepare ms': round(p50.prepare),
    'snapshot ms': round(p50.snapshot),
    'added ms': round(added),
    'added / bare bwrap': round(added / bareBwrap()),
    'added %': round((added / p50.bare) * 100),
  })
}
const downloads: Record<string, string | number>[] = []
for (const [what, file] of [
  ['10 kB', 'small'],
  ['20 MB', 'large'],
] as const) {
  const took: Record<'direct' | 'proxy', number[]> = { direct: [], proxy: [] }
  for (let at = 0; at < rounds + 1; at++) {
    const curl = `curl -sSf -o /dev/null ${server.url}/${file}`
    const call = { shell: 'bash', text: curl, worktree: project.path, cwd: project.path, path } as const
    const made = await world.session.prepare(call)
    if (!made.ok) throw new Error(made.reason)
    const direct = await measure(['/bin/bash', '-c', `${curl} --cacert ${certificate}`])
    const proxy = await measure(asAgent(made.prepared.text))
    await world.session.discard(made.prepared.id)
    if (at === 0) continue
    took.direct.push(direct)
    took.proxy.push(proxy)
  }
  const [direct, proxy] = [middle(took.direct), middle(took.proxy)]
  downloads.push({
    what,
    'direct ms': round(direct),
    'proxy ms': round(proxy),
    'added ms': round(proxy - direct),
  })
}
console.log(`bare bwrap start: ${round(bareBwrap())} ms`)
console.log(
  `p50 of ${rounds} interleaved rounds, ${values.files} files, uid ${process.getuid?.()}, ${execFileSync('bwrap', ['--version']).toString().trim()}`,
)
console.table(rows)
console.log('a download with curl: bare and direct, and in the sandbox through the proxy')
console.table(downloads)
await network[Symbol.asyncDispose]()
await server[Symbol.asyncDispose]()
folder.remove()
process.exit(0)

/** As an agent's shell runs what it was handed. */
function asAgent(text: string): string[] {
  return ['/bin/bash', '-c', `eval '${text.replaceAll("'", `'\\''`)}'`]
}

/** Not synchronous: the proxy and the server run in this process. */
async function measure([program = '', ...args]: readonly string[]): Promise<number> {
  const start = performance.now()
  const child = spawn(program, args, { cwd: project.path, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', chunk => {
    said += chunk
  })
  const [status, ms] = await new Promise<[number | null, number]>((done, fail) => {
    child.once('error', fail)
    child.once('exit', code => done([code, performance.now() - start]))
  })
  if (status !== 0) throw new Error(`${args.at(-1)} ended with ${status}: ${said}`)
  return ms
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
