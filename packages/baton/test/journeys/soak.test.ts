import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { startBareServer } from '../../../../bench/hook-cost/bare-server.ts'
import { callDaemon } from '../../src/cli/daemon.ts'
import { baton } from '../daemon/process-world.ts'
import { type HookWorld, hookWorld, isSafe, toolCall } from '../hook/world.ts'
import { postgres, query } from '../world/postgres.ts'
import { until } from '../world/wait.ts'

const MINUTE_MS = 60_000
const LENGTH = process.env.BATON_LONG
  ? { ms: 20 * MINUTE_MS, killEveryMs: 20_000, restartEveryMs: 90_000, growthMb: 40 }
  : // A daemon that is some seconds old still fills its caches.
    { ms: 24_000, killEveryMs: 5000, restartEveryMs: 8000, growthMb: 80 }
const AGENTS = 4
const MB = 2 ** 20

/**
 * Faults in the first two thirds, then a quiet third, in which memory and stalls are measured. A bare Node server answers on
 * the same machine at the same time: whatever else the machine does slows both.
 */
test('under mixed load, kill -9 and restarts of PostgreSQL nothing is lost or doubled, and nothing grows', {
  timeout: LENGTH.ms + 10 * MINUTE_MS,
}, async () => {
  await using world = hookWorld()
  await using server = await postgres()
  const url = await server.database()
  writeFileSync(join(world.home, '.baton.yaml'), `daemon:\n  port: 0\nstore:\n  url: ${url}\n`, {
    mode: 0o600,
  })
  const bare = await startBareServer()
  try {
    const began = performance.now()
    const passed = () => performance.now() - began
    const load = startLoad(world)
    const faults = { kills: 0, restarts: 0 }
    const faultsUntil = (LENGTH.ms * 2) / 3
    await Promise.all([
      repeat({ ms: faultsUntil, atLeast: 2 }, passed, LENGTH.killEveryMs, async () => {
        const answered = load.answered()
        for (const pid of world.daemons()) {
          process.kill(pid, 'SIGKILL')
          faults.kills++
        }
        await until(() => load.answered() > answered + AGENTS, { what: 'answers after kill -9' })
      }),
      repeat({ ms: faultsUntil, atLeast: 1 }, passed, LENGTH.restartEveryMs, async () => {
        await server.stop()
        await server.start()
        faults.restarts++
      }),
    ])
    // On a slow machine the faults take longer.
    const end = Math.max(LENGTH.ms, passed() + LENGTH.ms / 3)
    const quiet = await measure({ world, bare, until: () => passed() >= end })
    const calls = await load.stop()
    await checkJournal(world, url, calls)
    console.log('soak:', JSON.stringify({ calls: calls.length, ...faults, ...quiet }))
    expect(faults.kills).toBeGreaterThanOrEqual(2)
    expect(faults.restarts).toBeGreaterThanOrEqual(1)
    // A journal, a copy to PostgreSQL and twenty agents' states against a server that only answers.
    expect(quiet.memoryMb.last).toBeLessThan(quiet.bareMemoryMb + 110)
    expect(quiet.memoryMb.last - quiet.memoryMb.first).toBeLessThan(LENGTH.growthMb)
    expect(quiet.descriptors.last).toBeLessThan(quiet.bareDescriptors + 60)
    expect(quiet.stallMs).toBeLessThan(quiet.bareStallMs * 20 + 250)
  } finally {
    bare.stop()
  }
})

/** Agents that call all the time, and a reader of the dashboard's pages. Every call must be answered by a daemon. */
function startLoad(world: HookWorld) {
  const launcher = world.launcher('perl')
  const calls: string[] = []
  const loaded = new Set<string>()
  let answered = 0
  let running = true
  const agent = async (number: number) => {
    for (let n = 0; running; n++) {
      const id = `agent-${number}-call-${n}`
      const { event, body, deny } = callOf(n)
      calls.push(id)
      const input = toolCall(id, { session_id: `session-${number}-${Math.floor(n / 200)}`, ...body })
      const { code, stdout } = await world.call(launcher, ['claude-code', event, '--source', 'user'], {
        input,
      })
      if (code !== 0 || isSafe(stdout)) throw new Error(`${id}: ${world.failures().join('\n')}`)
      if (deny && !stdout.includes('"deny"')) throw new Error(`${id} was not denied: ${stdout}`)
      answered++
    }
  }
  const reader = async () => {
    for (let n = 0; running; n++) {
      const page = PAGES[n % PAGES.length] ?? ''
      // No answer while the daemon is killed: a page that is open then loads again.
      await callDaemon(world.folder, 'GET', page).then(
        () => loaded.add(page),
        () => {},
      )
      await pause(200)
    }
  }
  const all = Promise.all([reader(), ...Array.from({ length: AGENTS }, (_, number) => agent(number))])
  // Reported when stopped; until then a failure only ends the load.
  all.catch(() => {})
  return {
    answered: () => answered,
    async stop() {
      running = false
      await all
      expect([...loaded].sort()).toEqual(PAGES.toSorted())
      return calls
    },
  }
}

const PAGES = [
  '/api/page/overview',
  '/api/page/history',
  '/api/page/recap',
  '/api/journal?limit=200',
  '/api/ps',
]

/** Of ten calls, six ask, three of them for something forbidden or never seen; four report results of all sizes. */
function callOf(n: number): { event: string; body: Record<string, unknown>; deny?: boolean } {
  const result = (length: number) => ({
    event: 'PostToolUse',
    body: { hook_event_name: 'PostToolUse', tool_response: { stdout: 'x'.repeat(length) } },
  })
  const command = (text: string) => ({ event: 'PreToolUse', body: { tool_input: { command: text } } })
  switch (n % 10) {
    case 0:
      return { ...command('rm -rf /'), deny: true }
    case 1:
      return command(`git log --oneline -n ${n}`)
    case 2:
      return result(n % 2000)
    case 3:
      return result(n % 50 === 3 ? MB : 20_000)
    case 4:
    case 5:
      return result(100)
    default:
      return command(`ls part-${n}`)
  }
}

/** Runs `fault` again and again, after a pause of up to twice `everyMs`, until the time is over, and at least so often. */
async function repeat(
  { ms, atLeast }: { ms: number; atLeast: number },
  passed: () => number,
  everyMs: number,
  fault: () => Promise<void>,
) {
  for (let done = 0; ; done++) {
    const wait = everyMs * (0.5 + Math.random())
    if (done >= atLeast && passed() + wait > ms) return
    await pause(wait)
    await fault()
  }
}

interface Measuring {
  world: HookWorld
  bare: Awaited<ReturnType<typeof startBareServer>>
  until: () => boolean
}

/** Both servers answer a small question ten times a second; the longest wait is the worst stall. */
async function measure({ world, bare, until: over }: Measuring) {
  const stalls = { baton: 0, bare: 0 }
  const [pid = 0] = world.daemons()
  await callDaemon(world.folder, 'GET', '/api/health')
  const samples = [usage(pid)]
  do {
    stalls.baton = Math.max(stalls.baton, await took(() => callDaemon(world.folder, 'GET', '/api/presence')))
    stalls.bare = Math.max(stalls.bare, await took(() => bare.ask('{}')))
    await pause(100)
    samples.push(usage(pid))
  } while (!over())
  const third = Math.ceil(samples.length / 3)
  const first = held(samples.slice(0, third))
  const last = held(samples.slice(-third))
  const server = usage(bare.pid)
  return {
    stallMs: Math.round(stalls.baton),
    bareStallMs: Math.round(stalls.bare),
    memoryMb: { first: first.memoryMb, last: last.memoryMb },
    bareMemoryMb: server.memoryMb,
    descriptors: { first: first.descriptors, last: last.descriptors },
    bareDescriptors: server.descriptors,
  }
}

/** The least of many samples: what is held, without the garbage of a request that was just answered. */
const held = (samples: readonly Usage[]): Usage => ({
  memoryMb: Math.min(...samples.map(({ memoryMb }) => memoryMb)),
  descriptors: Math.min(...samples.map(({ descriptors }) => descriptors)),
})

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

interface Usage {
  memoryMb: number
  descriptors: number
}

function usage(pid: number): Usage {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return {
    memoryMb: Math.round(Number(kilobytes) / 1024),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** Each call is in the journal once, and in the copy once; the database is sound. */
async function checkJournal(world: HookWorld, url: string, calls: readonly string[]): Promise<void> {
  const eventsOf = (entries: string) =>
    `select tool_use_id as id from ${entries} where kind = 'event' and tool_use_id is not null`
  const copied = eventsOf('baton.entries')
  await until(
    async () => Number((await query(url, `select count(*) as n from (${copied}) e`))[0]?.n) >= calls.length,
    {
      what: 'the copy to catch up',
      timeout: 2 * MINUTE_MS,
    },
  )
  expect((await query(url, copied)).map(({ id }) => String(id)).sort()).toEqual(calls.toSorted())
  expect((await baton(world, ['down'])).code).toBe(0)
  const database = new Database(world.folder.database, { readonly: true })
  try {
    const ids = database.prepare<[], { id: string }>(eventsOf('entries')).all()
    expect(ids.map(({ id }) => id).sort()).toEqual(calls.toSorted())
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  } finally {
    database.close()
  }
}
