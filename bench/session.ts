/**
 * Opens a session file of 100,000 entries (133 MB) and builds its context, compared with a naive reader that parses every
 * line: once with the compactions that such a session has, and once without any, where everything is the context. Also
 * measures what `baton chat` does when it resumes such a session: it sends the end of it to the agent.
 * Each reader runs in a separate process, so that memory is measured separately.
 * Run: node bench/session.ts [--entries 100000]
 */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemAppendFiles } from '../packages/baton/src/adapters/system/append-files.ts'
import { systemClock } from '../packages/baton/src/adapters/system/clock.ts'
import { systemIds } from '../packages/baton/src/adapters/system/ids.ts'
import { replayConversation } from '../packages/baton/src/chat/replay-conversation.ts'
import { messagesOf } from '../packages/baton/src/chat/session-file/branch.ts'
import type { SessionEntry, SessionMessage } from '../packages/baton/src/chat/session-file/entries.ts'
import { SessionManager } from '../packages/baton/src/chat/session-file/session-manager.ts'

const { values, positionals } = parseArgs({
  options: { entries: { type: 'string', default: '100000' }, runs: { type: 'string', default: '5' } },
  allowPositionals: true,
})
const [who, path = ''] = positionals
const PORTS = { files: systemAppendFiles, clock: systemClock, ids: systemIds, home: '/nowhere' }
const READERS: Record<string, (file: string) => Promise<Figures>> = { baton: ours, told }
if (who === undefined) compare()
else console.log(JSON.stringify(await (READERS[who] ?? naive)(path)))

interface Figures {
  open: number
  build: number
  messages: number
  mb: number
}

/** What `baton chat` sends to a resumed conversation. */
async function told(file: string): Promise<Figures> {
  const began = performance.now()
  const session = await SessionManager.open(PORTS, file)
  const opened = performance.now()
  const [text = ''] = await replayConversation(session.contextFromEnd())
  return figures(
    began,
    opened,
    text.split('\n\n').map(() => ({ role: '' })),
  )
}

async function ours(file: string): Promise<Figures> {
  const began = performance.now()
  const session = await SessionManager.open(PORTS, file)
  const opened = performance.now()
  const { messages } = await session.buildSessionContext()
  return figures(began, opened, messages)
}

/** Parses every line into a map, as the naive reader does. */
function naive(file: string): Figures {
  const began = performance.now()
  const entries = readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line): SessionEntry[] => {
      try {
        const row = JSON.parse(line)
        return row.type === 'session' ? [] : [row]
      } catch {
        return []
      }
    })
  const byId = new Map(entries.map(entry => [entry.id, entry]))
  const opened = performance.now()
  const branch: SessionEntry[] = []
  for (let at = entries.at(-1); at; at = at.parentId === null ? undefined : byId.get(at.parentId))
    branch.push(at)
  return figures(began, opened, contextOf(branch.reverse()))
}

function contextOf(branch: readonly SessionEntry[]): SessionMessage[] {
  const at = branch.findLastIndex(entry => entry.type === 'compaction')
  const compaction = branch[at]
  if (!compaction) return branch.flatMap(messagesOf)
  const kept = branch.findIndex(entry => entry.id === compaction.firstKeptEntryId)
  const summary = { role: 'compactionSummary', summary: compaction.summary }
  return [
    summary,
    ...(kept < 0 ? [] : branch.slice(kept, at)).flatMap(messagesOf),
    ...branch.slice(at + 1).flatMap(messagesOf),
  ]
}

function figures(began: number, opened: number, messages: readonly SessionMessage[]): Figures {
  const ended = performance.now()
  const mb = Math.round(process.memoryUsage.rss() / 1024 / 1024)
  return { open: opened - began, build: ended - opened, messages: messages.length, mb }
}

function compare(): void {
  const folder = mkdtempSync(join(tmpdir(), 'baton-bench-'))
  try {
    for (const every of [1000, 0]) {
      const file = join(folder, `${every}.jsonl`)
      write(file, Number(values.entries), every)
      const size = Math.round(statSync(file).size / 1e6)
      console.log(
        `${values.entries} entries, ${size} MB, ${every ? `a compaction every ${every}` : 'no compaction'}`,
      )
      const [mine, theirs] = [run('baton', file), run('naive', file)]
      if (mine.messages !== theirs.messages)
        throw new Error(`they differ: ${mine.messages}, ${theirs.messages}`)
      for (const [name, seen] of [
        ['baton', mine],
        ['naive', theirs],
        ['baton, what a resumed agent is told', run('told', file)],
      ] as const)
        console.log(
          `  ${name}: open ${seen.open.toFixed(1)} ms + context ${seen.build.toFixed(1)} ms, ${seen.mb} MB resident, ${seen.messages} messages`,
        )
    }
    console.log('goal: open + context in half of 540 + 76 ms, under 250 MB resident')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The median of several runs, each in a fresh process. */
function run(reader: string, file: string): Figures {
  const all = Array.from(
    { length: Number(values.runs) },
    (): Figures =>
      JSON.parse(execFileSync(process.execPath, [import.meta.filename, reader, file], { encoding: 'utf8' })),
  ).sort((a, b) => a.open + a.build - b.open - b.build)
  const middle = all[Math.floor(all.length / 2)]
  if (!middle) throw new Error('no run')
  return middle
}

function write(to: string, entries: number, compactionEvery: number): void {
  const out = openSync(to, 'w')
  const filler = 'The quick brown fox jumps over the lazy dog. '.repeat(25).concat('And once more.')
  const timestamp = '2026-01-22T14:00:00.000Z'
  const line = (row: object) => writeSync(out, `${JSON.stringify(row)}\n`)
  line({ type: 'session', version: 3, id: 'bench', timestamp, cwd: '/work' })
  const idOf = (n: number) => n.toString(16).padStart(8, '0')
  for (let n = 1; n <= entries; n++) {
    const common = { id: idOf(n), parentId: n === 1 ? null : idOf(n - 1), timestamp }
    if (compactionEvery > 0 && n % compactionEvery === 0)
      line({
        type: 'compaction',
        ...common,
        summary: filler,
        firstKeptEntryId: idOf(n - 20),
        tokensBefore: 180_000,
      })
    else {
      const role = n % 2 === 0 ? 'assistant' : 'user'
      line({
        type: 'message',
        ...common,
        message: { role, content: [{ type: 'text', text: `${n} ${filler}` }], timestamp: n },
      })
    }
  }
  closeSync(out)
}
