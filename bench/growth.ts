/**
 * What Baton costs when its journal has grown: hook calls, idle time, overview, history, recap and pruning with 100
 * sessions, with 5,000 sessions, and with 5,000 sessions and 500,000 entries. CPU time of the daemon's parts in this
 * process; the sizes (and versions) take turns, so that a busy machine slows all of them alike.
 * Run: node bench/growth.ts [--against FOLDER_OF_ANOTHER_CHECKOUT] [--rounds 9] [--idle-seconds 60] [--entries 500000]
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { AgentEvent } from '@batonpass/contract/event'
import type { NewEntry } from '@batonpass/contract/journal'
import type { Baton } from '../packages/baton/src/compose.ts'
import { sessionId as idOf } from '../packages/baton/src/session/id.ts'
import { aSession, entryId, eventId } from '../packages/baton/test/world/journal.ts'

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    'idle-seconds': { type: 'string', default: '60' },
    entries: { type: 'string', default: '500000' },
  },
})
const SIZES = [
  { sessions: 100, entries: 1000 },
  { sessions: 5000, entries: 22_000 },
  { sessions: 5000, entries: Number(values.entries) },
]
const WEEK_MS = 7 * 86_400_000
const TICK_MS = 5000
const HERE = resolve(import.meta.dirname, '..')
const now = Date.now()
const FILLER = 'the quick brown fox jumps over the lazy dog '.repeat(12)

const PRE_TOOL_USE = { hook_event_name: 'PreToolUse', cwd: tmpdir(), tool_name: 'Bash' }

interface Subject {
  version: string
  size: (typeof SIZES)[number]
  baton: Baton
  openMs: number
  next: number
}

const folder = mkdtempSync(join(tmpdir(), 'baton-growth-'))
const rows: Record<string, Record<string, string>> = {}
try {
  const subjects = await openAll()
  for (const row of [
    ['PreToolUse, ms', callHook],
    ['overview, ms', ({ baton }: Subject) => baton.dashboard.overview(20)],
    ['history of a week, ms', ({ baton }: Subject) => baton.dashboard.history(168)],
    ['recap of a day, ms', ({ baton }: Subject) => baton.dashboard.recap(at(now - 86_400_000))],
    ['recap of a week, ms', ({ baton }: Subject) => baton.dashboard.recap(at(now - WEEK_MS))],
  ] as const) {
    const [name, work] = row
    // The first call fills caches.
    for (const subject of subjects) note(`${name}, first`, subject, await cpuOf(() => work(subject)))
    const times = new Map(subjects.map(subject => [subject, [] as number[]]))
    for (let round = 0; round < Number(values.rounds); round++)
      for (const subject of subjects) times.get(subject)?.push(await cpuOf(() => work(subject)))
    for (const [subject, list] of times)
      note(name, subject, list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0)
  }
  await measureIdle(subjects)
  for (const subject of subjects) note('start, with migration, ms', subject, subject.openMs)
  for (const subject of subjects) await measurePruning(subject)
  console.table(rows)
  for (const { baton } of subjects) await baton.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** One Baton for each size and version. Each has its own copy of the journal that the oldest version wrote. */
async function openAll(): Promise<Subject[]> {
  const versions = [
    ...(values.against ? [['before', resolve(values.against)] as const] : []),
    ['now', HERE] as const,
  ]
  const subjects: Subject[] = []
  for (const size of SIZES) {
    const seed = join(folder, `${size.sessions}-${size.entries}.db`)
    await fill(seed, versions[0]?.[1] ?? HERE, size)
    for (const [version, checkout] of versions) {
      const home = join(folder, `${version}-${size.sessions}-${size.entries}`)
      mkdirSync(home)
      const { openStateFolder } = await load(checkout, 'config/state-folder.ts')
      const { compose } = await load(checkout, 'compose.ts')
      const state = openStateFolder(join(home, 'state'))
      copyFileSync(seed, state.database)
      const began = performance.now()
      const baton: Baton = await compose({
        folder: state,
        env: { HOME: home, PATH: process.env.PATH ?? '' },
        home,
      })
      subjects.push({ version, size, baton, openMs: performance.now() - began, next: 0 })
    }
  }
  return subjects
}

// biome-ignore lint/suspicious/noExplicitAny: modules of another checkout have no types here
function load(checkout: string, module: string): Promise<any> {
  return import(join(checkout, 'packages/baton/src', module))
}

function note(row: string, { version, size }: Subject, ms: number): void {
  rows[row] ??= {}
  rows[row][`${version} ${size.sessions} / ${size.entries / 1000}k`] = ms < 10 ? ms.toFixed(2) : ms.toFixed(0)
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** A call of a session that the daemon has not heard of for a while. */
async function callHook(subject: Subject): Promise<void> {
  subject.next = (subject.next + 611) % subject.size.sessions
  const body = {
    ...PRE_TOOL_USE,
    session_id: `native-${subject.next + 1}`,
    tool_use_id: `toolu_${performance.now()}`,
    tool_input: { command: `ls src/part-${performance.now()}` },
  }
  await subject.baton.intake.handleHookCall({
    envelope: { protocol: 1, agent: 'claude-code', source: 'user', event: 'PreToolUse', cwd: tmpdir() },
    body: Buffer.from(JSON.stringify(body)),
    retry: false,
    signal: AbortSignal.timeout(600_000),
  })
}

/** Every Baton ticks as in the daemon; each tick is measured on its own. */
async function measureIdle(subjects: readonly Subject[]): Promise<void> {
  const seconds = Number(values['idle-seconds'])
  const spent = new Map(subjects.map(subject => [subject, 0]))
  for (const { baton } of subjects) await baton.tick()
  for (let passed = 0; passed < seconds * 1000; passed += TICK_MS) {
    const began = performance.now()
    for (const subject of subjects)
      spent.set(subject, (spent.get(subject) ?? 0) + (await cpuOf(() => subject.baton.tick())))
    await pause(Math.max(0, TICK_MS - (performance.now() - began)))
  }
  for (const [subject, ms] of spent) note('idle, ms per second', subject, ms / seconds)
}

/** The longest turn of the event loop while pruning, and how much of such a turn was work: the rest is a busy machine. */
async function measurePruning(subject: Subject): Promise<void> {
  let longest = 0
  let mostWork = 0
  let running = true
  const began = performance.now()
  const done = subject.baton.store.prune({ olderThan: at(now - WEEK_MS / 2) }).finally(() => {
    running = false
  })
  while (running) {
    const [last, before] = [performance.now(), process.threadCpuUsage()]
    await turn()
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, performance.now() - last)
    mostWork = Math.max(mostWork, (user + system) / 1000)
  }
  await done
  note('pruning half of it, s', subject, (performance.now() - began) / 1000)
  note('longest stall while pruning, ms', subject, longest)
  note('most work in a stall, ms of CPU', subject, mostWork)
}

function at(ms: number): string {
  return new Date(ms).toISOString()
}

/** A week of work in sessions that are all live, with the processes of this machine. */
async function fill(path: string, checkout: string, { sessions, entries }: Subject['size']): Promise<void> {
  const { openSqlite } = await load(checkout, 'store/sqlite.ts')
  const store = await openSqlite(path)
  const pids = childlessProcesses()
  const known = Array.from({ length: sessions }, (_, index) =>
    aSession(index + 1, {
      id: idOf('claude-code', `native-${index + 1}`),
      project: join(folder, `project-${index % 3}`),
      startedAt: at(now - WEEK_MS),
      lastSeenAt: at(now - index * 10),
      lastEvent: 'TurnEnded',
      ...(pids[index % pids.length] ? { pid: pids[index % pids.length] } : {}),
      // Every fifth session reported its own process.
      ...(index % 5 === 0 ? { ownPid: true } : {}),
    }),
  )
  await store.record([], known)
  for (let n = 0; n < entries; n += 1000) {
    const batch = Array.from({ length: Math.min(1000, entries - n) }, (_, index) =>
      anEntryOf(
        n + index,
        known[(n + index) % sessions] ?? aSession(1),
        at(now - WEEK_MS + ((n + index) / entries) * WEEK_MS),
      ),
    )
    await store.record(batch)
  }
  await store.close()
}

/** Processes of this machine without children: an agent's process belongs to one session only. */
function childlessProcesses(): number[] {
  const table = readdirSync('/proc').flatMap(name => {
    try {
      const [, parent = ''] = readFileSync(`/proc/${Number(name)}/stat`, 'utf8')
        .replace(/^.*\)/s, '')
        .trim()
        .split(' ')
      return [{ pid: Number(name), parent: Number(parent) }]
    } catch {
      return []
    }
  })
  const parents = new Set(table.map(({ parent }) => parent))
  return table.flatMap(({ pid }) => (parents.has(pid) ? [] : pid))
}

/** Of ten entries, three are tool calls, three their results, two decisions, one a reaction, one a measured context. */
function anEntryOf(nth: number, session: ReturnType<typeof aSession>, when: string): NewEntry {
  const { agent, id, nativeSession, project = '' } = session
  const common = { id: eventId(nth), at: when, agent, session: id, nativeSession }
  const entry = (body: NewEntry['body']): NewEntry => ({
    id: entryId(nth),
    at: when,
    agent,
    session: id,
    nativeSession,
    project,
    body,
  })
  const event = (body: AgentEvent) => entry({ kind: 'event', source: 'user', event: body })
  const path = `${project}/src/part-${nth % 997}.ts`
  const call =
    nth % 3 === 0
      ? {
          tool: 'Edit',
          input: { file_path: path, new_string: FILLER },
          action: { kind: 'write' as const, paths: [path] },
        }
      : {
          tool: 'Bash',
          input: { command: `npm test -- part-${nth}` },
          action: { kind: 'shell' as const, command: `npm test -- part-${nth}` },
        }
  if (nth % 500 === 1) return event({ ...common, type: 'PromptSubmitted', prompt: FILLER })
  switch (nth % 10) {
    case 0:
    case 1:
    case 2:
      return event({ ...common, ...call, type: 'ToolRequested' })
    case 3:
    case 4:
    case 5:
      return event({ ...common, ...call, type: 'ToolFinished', failed: false, response: { stdout: FILLER } })
    case 6:
    case 7:
      return entry({
        kind: 'decision',
        event: eventId(nth),
        tool: call.tool,
        subject: `npm test -- part-${nth}`,
        decision: nth % 20 === 7 ? 'deny' : 'allow',
        reason: 'runs the tests of this project',
        by: 'rules',
        trail: [{ rule: 'builtin npm', decision: 'allow', part: 'npm test', reason: 'runs the tests' }],
        tookMs: 0.3,
      })
    case 8:
      return event({ ...common, type: 'ContextMeasured', used: 60_000, size: 200_000, percent: 30 })
    default:
      return entry({ kind: 'reaction', event: eventId(nth), reaction: {}, tookMs: 1 } as NewEntry['body'])
  }
}
