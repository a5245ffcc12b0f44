/**
 * Reads the context size of a 200 MB transcript from its end, compared with a naive reader that parses everything; and
 * collects everything a handoff needs from it, with the memory that takes.
 * Run: node bench/handoff.ts [--mb 200]
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { claudeReader } from '../packages/baton/src/adapters/agents/claude-code/reader.ts'
import { collectFacts } from '../packages/baton/src/session/transcript/collect-facts.ts'
import { readTest } from '../packages/baton/src/session/transcript/test-runs.ts'

const { values } = parseArgs({ options: { mb: { type: 'string', default: '200' } } })
const folder = mkdtempSync(join(tmpdir(), 'baton-bench-'))
const path = join(folder, 'session.jsonl')
try {
  const rows = write(path, Number(values.mb) * 1024 * 1024)
  const size = await claudeReader.contextSize(path)
  const ours = await times(30, async () => void (await claudeReader.contextSize(path)))
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5)
  const began = performance.now()
  const seen = await collectFacts(claudeReader.read(path), readTest)
  const harvested = performance.now() - began
  clearInterval(watch)
  // Last, because it keeps the whole file in memory.
  let naiveSize: number | undefined
  const theirs = await times(3, async () => {
    naiveSize = naive(path)
  })
  if (size !== naiveSize) throw new Error(`they differ: ${size} and ${naiveSize}`)
  const mb = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`
  console.log(`transcript: ${mb(statSync(path).size)}, ${rows} rows; context of ${size} tokens`)
  console.log(`context size from the end: ${ours.toFixed(2)} ms (median of 30)   [goal: under 5 ms]`)
  console.log(`context size, everything parsed: ${theirs.toFixed(0)} ms (median of 3)`)
  console.log(
    `whole harvest: ${harvested.toFixed(0)} ms, ${mb(most - before)} more memory at most; ${seen.messages} messages`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function write(to: string, bytes: number): number {
  const file = openSync(to, 'w')
  const filler = 'The quick brown fox jumps over the lazy dog. '.repeat(60)
  let written = 0
  let rows = 0
  for (; written < bytes; rows += 3) {
    const common = {
      isSidechain: false,
      sessionId: 'bench',
      cwd: '/work',
      timestamp: '2026-01-22T14:00:00.000Z',
    }
    const usage = {
      input_tokens: rows,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 10,
      output_tokens: 5,
    }
    const reply = (block: object) => ({
      ...common,
      type: 'assistant',
      message: { id: `msg_${rows}`, role: 'assistant', content: [block], usage },
    })
    const result = { type: 'tool_result', tool_use_id: `t${rows}`, content: filler, is_error: false }
    const text = [
      reply({ type: 'text', text: filler }),
      reply({ type: 'tool_use', id: `t${rows}`, name: 'Bash', input: { command: `npm test -- ${rows}` } }),
      { ...common, type: 'user', message: { role: 'user', content: [result] } },
    ]
      .map(row => `${JSON.stringify(row)}\n`)
      .join('')
    written += writeSync(file, text)
  }
  closeSync(file)
  return rows
}

function naive(from: string): number | undefined {
  let last: number | undefined
  for (const line of readFileSync(from, 'utf8').split('\n')) {
    if (line === '') continue
    const usage = JSON.parse(line).message?.usage
    if (usage)
      last =
        usage.input_tokens +
        usage.cache_read_input_tokens +
        usage.cache_creation_input_tokens +
        usage.output_tokens
  }
  return last
}

async function times(runs: number, work: () => Promise<void>): Promise<number> {
  const took: number[] = []
  for (let run = 0; run < runs; run++) {
    const began = performance.now()
    await work()
    took.push(performance.now() - began)
  }
  return took.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0
}
