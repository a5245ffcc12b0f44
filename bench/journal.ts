/**
 * Writes a bit more than a simulated month of agents' events into a journal and prunes it as the daemon does.
 * Memory has to stay flat, the file bounded, and a hook's write short even while pruning.
 * Run: node bench/journal.ts [--days 35] [--events 2500] [--mb 48]
 */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { AgentEvent } from '@batonpass/contract/event'
import type { EntryId, EventId, SessionId } from '@batonpass/contract/ids'
import type { NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import { guardStore } from '../packages/baton/src/journal/guard.ts'
import { makeRedactor } from '../packages/baton/src/journal/redact.ts'
import { pruneLimits } from '../packages/baton/src/journal/retention.ts'
import { openSqlite } from '../packages/baton/src/store/sqlite.ts'

setFlagsFromString('--expose-gc')
const gc: (() => void) | undefined = runInNewContext('gc')

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '35' },
    events: { type: 'string', default: '2500' },
    mb: { type: 'string', default: '48' },
  },
})
const days = Number(values.days)
const eventsPerDay = Number(values.events)
const retention = { days: 30, bytes: Number(values.mb) * 1024 * 1024 }
const beginning = Date.UTC(2026, 0, 1)

const folder = mkdtempSync(join(tmpdir(), 'baton-bench-'))
const file = join(folder, 'journal.db')
const plain = await openSqlite(file)
const store = guardStore(plain, {
  redactor: makeRedactor(() => ['not-in-any-body-1234']),
  content: () => 'full',
})

const ids = lehmer(7)
const text = someText(1_000_000)
const plainTimes: number[] = []
const guardedTimes: number[] = []
const pauses: number[] = []
const rows: Record<string, string | number>[] = []
let rawBytes = 0
const began = performance.now()

for (let day = 0; day < days; day++) {
  for (let n = 0; n < eventsPerDay; n++) {
    const now = beginning + day * 86_400_000 + Math.floor((n / eventsPerDay) * 86_400_000)
    const { entries, session } = aStep(day, n, new Date(now).toISOString())
    // Every other write skips redaction, to show what the store itself costs.
    const guarded = Math.floor(n / 2) % 2 === 0
    const before = performance.now()
    await (guarded ? store : plain).record(entries, [session])
    const took = performance.now() - before
    ;(guarded ? guardedTimes : plainTimes).push(took)
    await turn()
    // The daemon prunes every hour.
    if (n % Math.ceil(eventsPerDay / 24) === 0)
      pauses.push(await longestPause(() => store.prune(pruneLimits(retention, now))))
  }
  if ((day + 1) % 5 === 0) await report(day + 1)
}

const seconds = (performance.now() - began) / 1000
console.table(rows)
const entries = days * eventsPerDay * 2
console.table([
  { what: 'entries written', figure: entries },
  { what: 'entries per second', figure: Math.round(entries / seconds) },
  { what: 'bodies before compression, MB', figure: Math.round(rawBytes / 1e6) },
  { what: 'event and reaction recorded, p50 µs', figure: micro(plainTimes, 0.5) },
  { what: 'event and reaction recorded, p99 µs', figure: micro(plainTimes, 0.99) },
  { what: 'the same with redaction, p50 µs', figure: micro(guardedTimes, 0.5) },
  { what: 'the same with redaction, p99 µs', figure: micro(guardedTimes, 0.99) },
  { what: 'longest pause of the loop while pruning, p99 ms', figure: milli(pauses, 0.99) },
  { what: 'longest pause of the loop while pruning, max ms', figure: milli(pauses, 1) },
  { what: 'seconds', figure: Number(seconds.toFixed(1)) },
])
await store.close()
rmSync(folder, { recursive: true })

async function report(day: number): Promise<void> {
  const stats = await store.stats()
  const disk = [file, `${file}-wal`].reduce(
    (sum, name) => sum + (existsSync(name) ? statSync(name).size : 0),
    0,
  )
  // Measure live memory, not garbage.
  gc?.()
  const recent = plainTimes.slice(-eventsPerDay * 2)
  rows.push({
    day,
    entries: stats.entries,
    sessions: (await store.sessions({ limit: 100_000 })).length,
    'used MB': mega(stats.bytes),
    'disk MB': mega(disk),
    'RSS MB': mega(process.memoryUsage.rss()),
    'heap MB': mega(process.memoryUsage().heapUsed),
    'p50 µs': micro(recent, 0.5),
    'p99 µs': micro(recent, 0.99),
  })
}

/** How long a hook that arrives while `work` runs would wait at most. */
async function longestPause(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let running = true
  const done = work().finally(() => {
    running = false
  })
  for (let last = performance.now(); running; ) {
    await turn()
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  await done
  return longest
}

/** One event and the reaction to it, with bodies of the sizes agents send. */
function aStep(day: number, n: number, at: string): { entries: NewEntry[]; session: Session } {
  const number = day * eventsPerDay + n
  const session = id('ses', Math.floor(number / 120)) as SessionId
  const nativeSession = `native-${session}`
  const project = `/home/dev/project-${number % 5}`
  const event = id('evt', number) as EventId
  const common = { id: event, at, agent: 'claude-code' as const, session, nativeSession, cwd: project }
  const base = { at, agent: 'claude-code' as const, session, nativeSession, project }
  const said = anEvent(common, n)
  rawBytes += JSON.stringify(said).length
  return {
    entries: [
      {
        ...base,
        id: id('ent', number * 2) as EntryId,
        request: `req-${number}`,
        body: { kind: 'event', source: 'user', event: said },
      },
      {
        ...base,
        id: id('ent', number * 2 + 1) as EntryId,
        body: { kind: 'reaction', event, reaction: {}, by: ['permission'], tookMs: 0.4 },
      },
    ],
    session: {
      ...{ id: session, agent: 'claude-code', nativeSession, cwd: project, project },
      ...{ startedAt: at, lastSeenAt: at, lastEvent: said.type, events: n },
    },
  }
}

function anEvent(
  common: Pick<AgentEvent, 'id' | 'at' | 'agent' | 'session' | 'nativeSession'>,
  n: number,
): AgentEvent {
  const call = {
    tool: 'Bash',
    input: { command: words(80) },
    action: { kind: 'shell' as const, command: words(80) },
  }
  if (n % 40 === 0) return { ...common, type: 'PromptSubmitted', prompt: words(400) }
  if (n % 40 === 39) {
    return { ...common, type: 'TurnEnded', continued: false, outcome: 'completed', lastMessage: words(900) }
  }
  if (n % 2 === 0) return { ...common, ...call, toolUseId: `toolu_${n}`, type: 'ToolRequested' }
  // Most answers are short, a few are whole files, one in five hundred is very large.
  const size = n % 500 === 1 ? 400_000 : n % 9 === 0 ? 24_000 : 200 + Math.floor(ids() * 3000)
  return { ...common, ...call, type: 'ToolFinished', failed: false, response: { stdout: words(size) } }
}

function words(size: number): string {
  const start = Math.floor(ids() * (text.length - size))
  // A real copy: a slice would keep the whole text alive and cost nothing to write.
  return Buffer.from(text.slice(start, start + size), 'latin1').toString('latin1')
}

function someText(size: number): string {
  const vocabulary = [
    'const',
    'entry',
    'await',
    'store',
    'return',
    '=>',
    '{',
    '}',
    '(value)',
    '/home/dev',
    '\n',
    'import',
  ]
  const parts: string[] = []
  for (let length = 0; length < size; ) {
    const pick = Math.floor(ids() * vocabulary.length * 1.5)
    const word = vocabulary[pick] ?? Math.floor(ids() * 1e9).toString(36)
    parts.push(word)
    length += word.length + 1
  }
  return parts.join(' ').slice(0, size)
}

function id(prefix: string, n: number): string {
  return `${prefix}_${n.toString(36).padStart(20, '0')}`
}

// A fixed seed: every run simulates the same month.
function lehmer(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}

function quantile(list: readonly number[], q: number): number {
  const sorted = [...list].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}
function micro(list: readonly number[], q: number): number {
  return Math.round(quantile(list, q) * 1000)
}
function milli(list: readonly number[], q: number): number {
  return Number(quantile(list, q).toFixed(1))
}
function mega(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}
