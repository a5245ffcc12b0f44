/**
 * What a hook call costs, and how it scales. All rows are measured in one interleaved run, so that noise of the
 * machine affects all of them; processes are timed from fork to exit by one small program (hook-cost/timer.pl).
 * Run: node bench/hook.ts [--rounds 100] [--calls 20000]
 */
import { parseArgs } from 'node:util'
import type { Transport } from '../packages/baton/src/hook/launcher.ts'
import { startBareServer } from './hook-cost/bare-server.ts'
import { benchDaemon, payload } from './hook-cost/daemon.ts'
import { type Order, startTimer } from './hook-cost/timer.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '100' }, calls: { type: 'string', default: '20000' } },
})
const rounds = Math.max(1, Number(values.rounds))
const CALLERS = [1, 4, 16, 64]
const CALLS_PER_LEVEL = 256
const COLD_STARTS = 5
const MEMORY_CALLS = Number(values.calls)
const PAYLOADS = { PreToolUse: 'before', PostToolUse: 'after' } as const

const daemon = await benchDaemon()
// A certificate bundle in the environment makes every start of Node slower, so leave it out.
const timer = startTimer(daemon.env)
const bare = await startBareServer()
try {
  const before = await daemon.events()
  const rows = await interleaved()
  const recorded = (await daemon.events()) - before
  const { memoryMb } = await daemon.health()
  printCalls(rows, memoryMb)
  console.log(`\nrecorded ${recorded} of ${expected(rows)} calls; lost ${expected(rows) - recorded}`)
  await scaling()
  await memory()
  await coldStarts()
} finally {
  timer.stop()
  bare.stop()
  await daemon.remove()
}

interface Row {
  name: string
  once(): Promise<number>
  took: number[]
  /** Whether the call writes an event to the journal. */
  counts: boolean
}

async function interleaved(): Promise<Row[]> {
  const hook = (transport: Transport, event: keyof typeof PAYLOADS = 'PreToolUse'): Order => ({
    stdin: daemon.payload(PAYLOADS[event]),
    command: [daemon.launcher(transport), 'claude-code', event, '--source', 'user'],
  })
  const rows: Row[] = [
    row('/bin/true', timed({ stdin: '/dev/null', command: ['/bin/true'] })),
    row('node -e 0', timed({ stdin: '/dev/null', command: [process.execPath, '-e', '0'] })),
    row('hook by c', timed(hook('c')), true),
    row('hook by perl', timed(hook('perl')), true),
    row('hook by curl', timed(hook('curl')), true),
    row('hook by node', timed(hook('node')), true),
    row('observing hook by c', timed(hook('c', 'PostToolUse')), true),
    row('observing hook by perl', timed(hook('perl', 'PostToolUse')), true),
    row(
      'daemon work (open socket)',
      inProcess(() => daemon.ask('PreToolUse')),
      true,
    ),
    row(
      'daemon work, observing',
      inProcess(() => daemon.ask('PostToolUse')),
      true,
    ),
    // Baselines: the same path without Baton at its end.
    row('perl -e 0', timed({ stdin: '/dev/null', command: ['/usr/bin/perl', '-e', '0'] })),
    row('curl to a socket', timed({ stdin: '/dev/null', command: daemon.plainCurl })),
    row(
      'HTTP to a bare server',
      inProcess(() => bare.ask(payload('PostToolUse', 'bench-0'))),
    ),
    row(
      'daemon absent, perl',
      timed({ ...hook('perl'), env: { BATON_ENDPOINT: `unix:${daemon.home}/nobody` } }),
    ),
  ]
  for (let round = 0; round < rounds + 5; round++)
    for (const { once, took } of rows) {
      const ms = await once()
      // The first rounds warm up files and code and do not count.
      if (round >= 5) took.push(ms)
    }
  return rows
}

function row(name: string, once: Row['once'], counts = false): Row {
  return { name, once, took: [], counts }
}

function timed(order: Order): Row['once'] {
  return async () => {
    const { calls, failed } = await timer.time(order)
    if (failed > 0) throw new Error(`${order.command.join(' ')} failed`)
    return calls[0] ?? 0
  }
}

function inProcess(run: () => Promise<unknown>): Row['once'] {
  return async () => {
    const began = performance.now()
    await run()
    return performance.now() - began
  }
}

function expected(rows: readonly Row[]): number {
  return rows.filter(({ counts }) => counts).length * (rounds + 5)
}

function printCalls(rows: readonly Row[], memoryMb: number): void {
  const p50 = (name: string) => quantile(rows.find(r => r.name === name)?.took ?? [], 0.5)
  const least = p50('/bin/true')
  const node = p50('node -e 0')
  const work = p50('daemon work (open socket)')
  console.log(`${rounds} calls each, interleaved; milliseconds\n`)
  table(
    ['', 'p50', 'p95', '× true', '× node'],
    rows.map(({ name, took }) => {
      const middle = quantile(took, 0.5)
      return [
        name,
        ms(middle),
        ms(quantile(took, 0.95)),
        (middle / least).toFixed(1),
        (middle / node).toFixed(2),
      ]
    }),
  )
  console.log()
  table(
    ['goal', 'limit', 'reached', ''],
    [
      goal('c ≤ 3 × /bin/true', 3 * least, p50('hook by c'), 'ms'),
      goal('daemon work ≤ 0.8 ms', 0.8, work, 'ms'),
      goal('perl ≤ 3 × /bin/true + daemon work', 3 * least + work, p50('hook by perl'), 'ms'),
      goal('curl ≤ 0.4 × node -e 0', 0.4 * node, p50('hook by curl'), 'ms'),
    ],
  )
  console.log(`\ndaemon memory: ${memoryMb} MB`)
}

/** The daemon's memory after many calls, and whether it keeps growing. */
async function memory(): Promise<void> {
  const held: number[] = []
  for (let calls = 0; calls < MEMORY_CALLS * 1.5; calls += MEMORY_CALLS / 4) {
    for (let i = 0; i < MEMORY_CALLS / 4; i++) await daemon.ask(i % 2 === 0 ? 'PreToolUse' : 'PostToolUse')
    held.push((await daemon.health()).memoryMb)
  }
  console.log(`\ndaemon memory, every ${MEMORY_CALLS / 4} calls: ${held.join(', ')} MB`)
  table(
    ['goal', 'limit', 'reached', ''],
    [goal(`memory after ${MEMORY_CALLS} calls`, 90, held[3] ?? 0, 'MB')],
  )
}

function goal(name: string, limit: number, reached: number, unit: string): string[] {
  const verdict = reached <= limit ? 'met' : 'MISSED'
  return [name, `${limit.toFixed(1)} ${unit}`, `${reached.toFixed(1)} ${unit}`, verdict]
}

/** Several concurrent callers, each with its own session, each calling again as soon as it gets an answer. */
async function scaling(): Promise<void> {
  const lines: string[][] = []
  for (const callers of CALLERS) {
    const before = await daemon.events()
    const { calls, failed, whole } = await timer.time({
      callers,
      calls: CALLS_PER_LEVEL / callers,
      stdin: daemon.payload('before'),
      command: [daemon.launcher('c'), 'claude-code', 'PreToolUse', '--source', 'user'],
    })
    const lost = CALLS_PER_LEVEL - ((await daemon.events()) - before)
    const perSecond = (calls.length / whole) * 1000
    lines.push([
      `${callers} at once`,
      perSecond.toFixed(0),
      ms(quantile(calls, 0.5)),
      ms(quantile(calls, 0.95)),
      String(lost),
      String(failed),
    ])
  }
  console.log()
  table(['hook by c', 'calls/s', 'p50', 'p95', 'lost', 'failed'], lines)
  const { memoryMb } = await daemon.health()
  console.log(`\ndaemon memory after all: ${memoryMb} MB`)
}

/** A cold start: no daemon runs, so the hook starts one and gets its answer from it. */
async function coldStarts(): Promise<void> {
  const took: number[] = []
  for (let i = 0; i < COLD_STARTS; i++) {
    await daemon.down()
    took.push(
      await timed({
        stdin: daemon.payload('before'),
        command: [daemon.launcher('perl'), 'claude-code', 'PreToolUse', '--source', 'user'],
      })(),
    )
  }
  console.log(`\ncold start by a hook: p50 ${ms(quantile(took, 0.5))} ms, worst ${ms(Math.max(...took))} ms`)
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

function ms(value: number): string {
  return value.toFixed(2)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map(cells => cells[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  for (const cells of [head, ...rows]) console.log(line(cells))
}
