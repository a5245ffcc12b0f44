/**
 * What watching many panes costs. Small programs print in tmux panes on a private server. One watcher works like the daemon,
 * over one control-mode connection; the other starts tmux for every look. Both are measured in turns within one run, so
 * that noise of the machine affects both: processor time of the watcher and its
 * children, of the tmux server, and memory.
 * Run: node bench/panes.ts [--panes 200] [--seconds 30] [--rounds 2]
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { DAEMON_FLAGS } from '../packages/baton/src/hook/spawn.ts'

/** Ticks of the kernel's clock per second. */
const TICKS = 100
const { values } = parseArgs({
  options: {
    panes: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '2' },
    watcher: { type: 'string' },
    socket: { type: 'string' },
  },
})
const panes = Math.max(1, Number(values.panes))
const seconds = Math.max(1, Number(values.seconds))
const EVERY_MS = 5000

if (values.watcher && values.socket) await watcher(values.watcher, values.socket)
else await main()

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bp-'))
  const socket = join(folder, 's')
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' })
  try {
    // Each prints a line now and then, like a working agent: a fifth of them at any moment.
    const program = 'while :; do sleep $(( ($$ % 5) + 3 )); echo "did step $((i = i + 1)) of the work"; done'
    tmux('new-session', '-d', '-x', '160', '-y', '50', '-s', 'p0', 'sh', '-c', program)
    for (let i = 1; i < panes; i++)
      tmux('new-session', '-d', '-x', '160', '-y', '50', '-s', `p${i}`, 'sh', '-c', program)
    const server = Number(tmux('display-message', '-p', '#{pid}').trim())
    console.log(`${panes} panes, a look every ${EVERY_MS / 1000} s, ${seconds} s each\n`)
    console.log('| | watcher, % of a core | its children | tmux server | together | memory, MB |')
    console.log('|---|---|---|---|---|---|')
    for (let round = 0; round < Math.max(1, Number(values.rounds)); round++)
      for (const kind of ['idle', 'control', 'spawn']) await measure(kind, socket, server)
  } finally {
    tmux('kill-server')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs one watcher in a separate process and measures what it uses. */
async function measure(kind: string, socket: string, server: number): Promise<void> {
  const args = [import.meta.filename, '--watcher', kind, '--socket', socket, '--panes', String(panes)]
  // The same flags as the daemon, for which memory matters more than speed.
  const child = spawn(process.execPath, [...DAEMON_FLAGS, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const pid = child.pid ?? 0
  await new Promise(resolve => child.stdout.once('data', resolve))
  const before = [used(pid, kind === 'control'), used(server, false)] as const
  const from = performance.now()
  await pause(seconds * 1000)
  const after = [used(pid, kind === 'control'), used(server, false)] as const
  const took = (performance.now() - from) / 1000
  const memory = [pid, ...(kind === 'control' ? childrenOf(pid) : [])].reduce(
    (sum, each) => sum + memoryOf(each),
    0,
  )
  child.kill()
  const share = (now: number, then: number) => ((now - then) / took) * 100
  const own = share(after[0].own, before[0].own)
  const children = share(after[0].children, before[0].children)
  const tmux = share(after[1].own, before[1].own)
  const cells = [own, children, tmux, own + children + tmux].map(value => value.toFixed(1))
  console.log(`| ${kind} | ${cells.join(' | ')} | ${memory.toFixed(0)} |`)
}

/** CPU seconds of a process and of its children, running and ended. */
function used(pid: number, watches: boolean): { own: number; children: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const at = (n: number) => (fields[n - 3] ?? 0) / TICKS
  const living = watches ? childrenOf(pid).reduce((sum, child) => sum + used(child, false).own, 0) : 0
  return { own: at(14) + at(15), children: at(16) + at(17) + living }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

async function watcher(kind: string, socket: string): Promise<void> {
  const places = Array.from({ length: panes }, (_, i) => `%${i} ${socket}`)
  const round =
    kind === 'control' ? await byControl(places) : kind === 'spawn' ? bySpawn(socket) : async () => {}
  await round()
  process.stdout.write('ready\n')
  for (;;) {
    await pause(EVERY_MS)
    await round()
  }
}

/** Watches like the daemon, including health checks. */
async function byControl(places: readonly string[]): Promise<() => Promise<void>> {
  const { Config } = await import('../packages/contract/src/config.ts')
  const { terminals } = await import('../packages/baton/src/adapters/agents/terminals.ts')
  const { systemIds } = await import('../packages/baton/src/adapters/system/ids.ts')
  const { systemClock } = await import('../packages/baton/src/adapters/system/clock.ts')
  const { systemProcesses } = await import('../packages/baton/src/adapters/system/processes.ts')
  const { tmuxDriver } = await import('../packages/baton/src/adapters/tmux/driver.ts')
  const { Watch } = await import('../packages/baton/src/session/watch/watch.ts')
  const { openSqlite } = await import('../packages/baton/src/store/sqlite.ts')
  const { sessionId } = await import('../packages/baton/src/session/id.ts')
  const { watch: store } = await openSqlite(':memory:')
  const config = Config.parse({})
  const driver = tmuxDriver({ terminals, elapsed: () => systemClock.elapsed(), env: process.env })
  const at = new Date(systemClock.now()).toISOString()
  const sessions = places.map((pane, i) => ({
    id: sessionId('claude-code', `s${i}`),
    agent: 'claude-code' as const,
    nativeSession: `s${i}`,
    project: `/work/p${i % 10}`,
    pane,
    startedAt: at,
    lastSeenAt: at,
    lastEvent: 'PromptSubmitted',
    events: 1,
  }))
  const watch = new Watch({
    store,
    liveSessions: async () => sessions,
    lost: async () => {},
    asking: () => new Set(),
    drivers: [driver],
    processes: systemProcesses,
    self: process.pid,
    clock: systemClock,
    ids: systemIds,
    configOf: async () => config,
    journal: async () => {},
    tell: async () => {},
    redact: value => value,
    content: () => 'full',
    fault: (_, cause) => console.error(cause),
  })
  return async () => {
    const seen = await watch.look(0)
    if (seen.some(({ state }) => state === 'gone')) throw new Error('a pane was not found')
  }
}

/** Queries every pane with a separate tmux process. */
function bySpawn(socket: string): () => Promise<void> {
  const look = (id: string) =>
    new Promise<string>(resolve => {
      const words = ['display-message', '-p', '-t', id, '#{pane_dead}', ';', 'capture-pane', '-p', '-t', id]
      const child = spawn('tmux', ['-S', socket, ...words], { stdio: ['ignore', 'pipe', 'ignore'] })
      let out = ''
      child.stdout.on('data', chunk => {
        out += String(chunk)
      })
      child.once('close', () => resolve(out))
    })
  return async () => {
    for (let i = 0; i < panes; i += 8)
      await Promise.all(Array.from({ length: Math.min(8, panes - i) }, (_, n) => look(`%${i + n}`)))
  }
}
