import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { TranscriptReading, Transcripts, Usage } from '../../../ports/transcript.ts'
import { amount, isRow, objectAt, type Row } from '../json-lines.ts'

/** At most so much of a transcript is read at once; what lies before is not counted. */
const MAX_BYTES = 32 * 1024 * 1024

/** Claude Code's transcripts: JSON lines, one row for each content block, so a reply is counted by its id. */
export const claudeTranscripts: Transcripts = {
  usage: (path, from) =>
    withFile(path, async (file, size) => {
      if (!from) return { replies: [], reading: { offset: size } }
      // A file that shrank was rewritten.
      const start = from.offset > size ? 0 : Math.max(from.offset, size - MAX_BYTES)
      const bytes = await readRange(file, start, size)
      const end = bytes.lastIndexOf(10) + 1
      const { replies, last } = repliesIn(bytes.subarray(0, end).toString('utf8'), from.message)
      const reading: TranscriptReading = { offset: start + end, message: last ?? from.message }
      return { replies, reading }
    }),
  tail: (path, limit) =>
    withFile(path, async (file, size) => {
      const bytes = await readRange(file, Math.max(0, size - limit * 4), size)
      const rows = rowsIn(bytes.toString('utf8'))
      const text = rows.map(lineOf).filter(Boolean).join('\n')
      return { text: text.slice(-limit), error: errorAtEnd(rows) }
    }),
}

async function withFile<T>(
  path: string,
  work: (file: FileHandle, size: number) => Promise<T>,
): Promise<T | undefined> {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const facts = await file.stat()
    return facts.isFile() ? await work(file, facts.size) : undefined
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
}

async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, Math.min(end - start, MAX_BYTES)))
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, start + length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

function repliesIn(text: string, before: string | undefined): { replies: Usage[]; last: string | undefined } {
  const byId = new Map<string, Usage>()
  let last: string | undefined
  for (const row of rowsIn(text)) {
    const message = objectAt(row, 'message')
    const usage = objectAt(message, 'usage')
    const id = message?.id
    if (row.type !== 'assistant' || typeof id !== 'string' || !usage || id === before) continue
    last = id
    byId.set(id, {
      model: typeof message?.model === 'string' ? message.model.slice(0, 100) : '',
      input: amount(usage.input_tokens),
      output: Math.max(amount(usage.output_tokens), byId.get(id)?.output ?? 0),
      cacheRead: amount(usage.cache_read_input_tokens),
      cacheWrite: amount(usage.cache_creation_input_tokens),
    })
  }
  return { replies: [...byId.values()], last }
}

function rowsIn(text: string): Row[] {
  return text.split('\n').flatMap(line => {
    if (!line.startsWith('{')) return []
    try {
      const row: unknown = JSON.parse(line)
      return isRow(row) ? [row] : []
    } catch {
      return []
    }
  })
}

function errorAtEnd(rows: readonly Row[]): string | undefined {
  const last = rows.findLast(row => row.type === 'assistant' || row.type === 'user')
  return last?.isApiErrorMessage === true ? lineOf(last).slice(0, 500) : undefined
}

/** A row as a line of talk: who said it, and what tools were used. */
function lineOf(row: Row): string {
  if (row.type !== 'assistant' && row.type !== 'user') return ''
  const content = objectAt(row, 'message')?.content
  const blocks: unknown[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : []
  const said = blocks.flatMap(block => {
    if (!isRow(block)) return []
    if (block.type === 'text' && typeof block.text === 'string') return block.text
    if (block.type === 'tool_use')
      return `[uses ${String(block.name)}: ${JSON.stringify(block.input ?? null).slice(0, 300)}]`
    if (block.type === 'tool_result')
      return `[result: ${JSON.stringify(block.content ?? null).slice(0, 500)}]`
    return []
  })
  return said.length > 0 ? `${row.type}: ${said.join(' ')}` : ''
}
