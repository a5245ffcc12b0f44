import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { FileError } from '../../ports/files.ts'

export type Row = Record<string, unknown>

const CHUNK = 1024 * 1024
const CHUNK_BACK = 64 * 1024
/** A longer line is passed over: no row that matters is so long, and it would have to be held whole. */
const LONGEST_LINE = 32 * 1024 * 1024
const NEWLINE = 10

/** The rows of a file of JSON lines, in pieces. Lines that are no JSON object, the half-written last one above all, are passed over. */
export async function* rowsOf(
  path: string,
  wanted: (line: Buffer) => boolean = () => true,
): AsyncGenerator<readonly Row[]> {
  await using file = await openFile(path)
  let pieces: Buffer[] = []
  let held = 0
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK)
    const { bytesRead } = await file.handle.read(chunk, 0, CHUNK, at)
    at += bytesRead
    const rows: Row[] = []
    let from = 0
    const take = (line: Buffer) => {
      const row = line[0] === BRACE && wanted(line) ? rowIn(line) : undefined
      if (row) rows.push(row)
    }
    for (let to = chunk.indexOf(NEWLINE); to >= 0 && to < bytesRead; to = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, to)
      if (held <= LONGEST_LINE) take(pieces.length > 0 ? Buffer.concat([...pieces, end]) : end)
      pieces = []
      held = 0
      from = to + 1
    }
    held += bytesRead - from
    if (held > LONGEST_LINE) pieces = []
    else if (from < bytesRead) pieces.push(chunk.subarray(from, bytesRead))
    if (bytesRead === 0 && held <= LONGEST_LINE) take(Buffer.concat(pieces))
    if (rows.length > 0) yield rows
    if (bytesRead === 0) return
  }
}

/** The rows of such a file from its end, for when only the end is needed. */
export async function* rowsFromEnd(path: string): AsyncGenerator<Row> {
  await using file = await openFile(path)
  let pieces: Buffer[] = []
  let held = 0
  for (let end = file.size; end > 0; ) {
    const start = Math.max(0, end - CHUNK_BACK)
    const chunk = await readWhole(file.handle, start, end)
    end = start
    let to = chunk.length
    for (
      let at = chunk.lastIndexOf(NEWLINE);
      at >= 0;
      at = to > 0 ? chunk.lastIndexOf(NEWLINE, to - 1) : -1
    ) {
      const row = rowIn(Buffer.concat([chunk.subarray(at + 1, to), ...pieces]))
      if (row) yield row
      pieces = []
      held = 0
      to = at
    }
    held += to
    if (held > LONGEST_LINE) return
    pieces.unshift(chunk.subarray(0, to))
  }
  const row = rowIn(Buffer.concat(pieces))
  if (row) yield row
}

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function objectAt(row: Row | undefined, key: string): Row | undefined {
  const value = row?.[key]
  return isRow(value) ? value : undefined
}

export const textAt = (row: Row | undefined, key: string): string | undefined => {
  const value = row?.[key]
  return typeof value === 'string' ? value : undefined
}

/** The value of a JSON text; undefined if it is none. */
export function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** The texts of a message's content, which is a string or a list of blocks. */
export function textsIn(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((block: unknown) =>
    isRow(block) && block.type === 'text' ? (textAt(block, 'text') ?? []) : [],
  )
}

export const amount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0

/** A point in time as agents write it: ISO text, or milliseconds. */
export function timeIn(value: unknown): number | undefined {
  const at = typeof value === 'string' ? timeOf(value) : typeof value === 'number' ? value : Number.NaN
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? at : undefined
}

/** Several rows in a row often have the same time. */
let last = { text: '', at: Number.NaN }
function timeOf(text: string): number {
  if (text !== last.text) last = { text, at: Date.parse(text) }
  return last.at
}

const BRACE = 0x7b

function rowIn(line: Buffer): Row | undefined {
  if (line[0] !== BRACE) return undefined
  try {
    const row: unknown = JSON.parse(line.toString('utf8'))
    return isRow(row) ? row : undefined
  } catch {
    return undefined
  }
}

async function openFile(path: string): Promise<AsyncDisposable & { handle: FileHandle; size: number }> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const facts = await handle.stat()
    if (!facts.isFile()) throw new FileError('not-a-file', path)
    const opened = handle
    return { handle: opened, size: facts.size, [Symbol.asyncDispose]: () => opened.close() }
  } catch (cause) {
    await handle?.close()
    if (cause instanceof FileError) throw cause
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    throw new FileError(code === 'ENOENT' ? 'absent' : code === 'EACCES' ? 'denied' : 'failed', path, cause)
  }
}

async function readWhole(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(end - start)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, start + length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}
