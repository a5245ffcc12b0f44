import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { AgentName } from '@batonpass/contract/event'
import type {
  TranscriptItem,
  TranscriptReader,
  TranscriptReading,
  Transcripts,
  Usage,
} from '../../ports/transcript.ts'
import { isRow, type Row, rowsFromEnd, rowsOf } from './json-lines.ts'

/** How one agent's file of JSON lines is understood. */
export interface LineForm {
  agent: AgentName
  knows(head: string): boolean
  /** Begins a file: what is told of a row may depend on rows before it. */
  begin(): { tell(row: Row): TranscriptItem[]; spent?(row: Row): Spent | undefined }
  /** What the last reply says of the context, seen from the end; `smaller` when it was made smaller after the last reply. */
  measured(row: Row): { used: number; size?: number; model?: string } | 'smaller' | undefined
  /** An error of the model service, if the row is one. */
  error?(row: Row): string | undefined
}

export interface Spent {
  /** By it a reply that spans several rows is counted once. */
  id: string
  usage: Usage
}

/** A reader for files of JSON lines. */
export function lineReader(form: LineForm): TranscriptReader {
  const measure: TranscriptReader['measure'] = async path => {
    for await (const row of rowsFromEnd(path)) {
      const found = form.measured(row)
      if (found === 'smaller') return undefined
      if (found && found.used > 0) return found
    }
    return undefined
  }
  return {
    agent: form.agent,
    knows: form.knows,
    async *read(path) {
      const { tell } = form.begin()
      for await (const rows of rowsOf(path)) {
        const told = rows.flatMap(tell)
        if (told.length > 0) yield told
      }
    },
    measure,
    contextSize: async path => (await measure(path))?.used,
  }
}

/** At most so much of a transcript is read at once; what lies before is not counted. */
const MAX_BYTES = 32 * 1024 * 1024

/** Usage and the end of the talk, for files of JSON lines. */
export function lineTranscripts(form: LineForm): Transcripts {
  return {
    async usage(path, from) {
      const file = await bytesFrom(path, size => {
        if (!from) return size
        // A file that shrank was rewritten.
        return from.offset > size ? 0 : Math.max(from.offset, size - MAX_BYTES)
      })
      if (!file) return undefined
      if (!from) return { replies: [], reading: { offset: file.size } }
      const end = file.bytes.lastIndexOf(10) + 1
      const { spent } = form.begin()
      const byId = new Map<string, Usage>()
      let last = from.message
      for (const row of rowsIn(file.bytes.subarray(0, end).toString('utf8'))) {
        const found = spent?.(row)
        if (!found || found.id === from.message) continue
        last = found.id
        byId.set(found.id, found.usage)
      }
      const reading: TranscriptReading = { offset: file.start + end, message: last }
      return { replies: [...byId.values()], reading }
    },
    async tail(path, limit) {
      const file = await bytesFrom(path, size => Math.max(0, size - limit * 8))
      if (!file) return undefined
      const rows = rowsIn(file.bytes.toString('utf8'))
      const { tell } = form.begin()
      const said = rows.map(row => ({ told: tell(row), error: form.error?.(row) }))
      const text = said.flatMap(({ told }) => told.flatMap(lineOf)).join('\n')
      const last = said.findLast(({ told, error }) => told.length > 0 || error !== undefined)
      return { text: text.slice(-limit), error: last?.error?.slice(0, 500) }
    },
  }
}

async function bytesFrom(path: string, startAt: (size: number) => number) {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  try {
    const facts = await file?.stat()
    if (!file || !facts?.isFile()) return undefined
    const start = startAt(facts.size)
    const buffer = Buffer.alloc(Math.max(0, Math.min(facts.size - start, MAX_BYTES)))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
    return { bytes: buffer.subarray(0, bytesRead), start, size: facts.size }
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
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

/** One thing told, as a line of talk. */
export function lineOf(told: TranscriptItem): string[] {
  switch (told.kind) {
    case 'prompt':
      return [`user: ${told.text}`]
    case 'reply':
      return [`assistant: ${told.text}`]
    case 'call':
      return [`assistant: [uses ${told.tool}: ${JSON.stringify(told.action).slice(0, 300)}]`]
    case 'result':
      return [`user: [result: ${told.text.slice(0, 500)}]`]
    default:
      return []
  }
}
