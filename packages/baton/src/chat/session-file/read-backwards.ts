import { isAscii } from 'node:buffer'
import type { AppendFile } from '../../ports/append-files.ts'
import { asEntry, isMessage, parseLine, type SessionEntry, type SessionMessage } from './entries.ts'

/** An entry met while reading backwards; only the start of its line has been parsed. */
export interface EntryHead {
  readonly id: string
  readonly parentId: string | null
  /** Its message, if the line is known to contain only that; undefined does not mean that there is none. */
  message(): SessionMessage | undefined
  /** The whole entry; undefined if its line is damaged. */
  now(): SessionEntry | undefined
  /** Reads the entry again when called, so that its bytes need not stay in memory. */
  later(): () => Promise<SessionEntry | undefined>
}

/** Chunks start small, because a branch may need only the end, and grow, because it may need everything. */
const FIRST_CHUNK = 64 * 1024
const MAX_CHUNK_SIZE = 1024 * 1024
/** A longer line is skipped: it would have to be in memory as a whole. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024
const NEWLINE = 10

/**
 * Reads the entries of a file from its end to its start, in pieces. A parent comes before its children in the file, so one
 * pass finds a branch, and lines that it does not need are never parsed.
 */
export async function* entriesFromEnd(file: AppendFile, end: number): AsyncGenerator<Iterable<EntryHead>> {
  let rest: Uint8Array[] = []
  let held = 0
  let step = FIRST_CHUNK
  let ahead: Promise<Uint8Array> | undefined
  for (let at = end; at > 0; step = Math.min(step * 4, MAX_CHUNK_SIZE)) {
    const start = Math.max(0, at - step)
    const bytes = await (ahead ?? file.read(start, at))
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    at = start
    // A caller that has come this far probably needs everything: read the next piece while this one is parsed.
    ahead = step === MAX_CHUNK_SIZE && at > 0 ? file.read(Math.max(0, at - step), at) : undefined
    // The error is reported when the piece is awaited, if ever.
    ahead?.catch(() => {})
    const first = chunk.indexOf(NEWLINE)
    if (first < 0) {
      held += chunk.length
      if (held > MAX_LINE_LENGTH) rest = []
      else rest.unshift(chunk)
      continue
    }
    const tail = held > MAX_LINE_LENGTH ? undefined : rest
    yield linesIn(file, chunk, start, tail)
    rest = [chunk.subarray(0, first)]
    held = first
  }
  const line = held > MAX_LINE_LENGTH ? undefined : new Line(file, textOf(new Uint8Array(), rest), 0)
  if (line?.isEntry) yield [line]
}

/** The lines that start in a chunk, last one first; `tail` is the rest of that line from the following chunk. */
function* linesIn(
  file: AppendFile,
  chunk: Buffer,
  start: number,
  tail: readonly Uint8Array[] | undefined,
): Generator<EntryHead> {
  // Decode an ASCII chunk at once: one call for each of a hundred thousand lines would dominate the cost.
  const text = isAscii(chunk) ? chunk.toString('latin1') : undefined
  let to = chunk.length
  for (let nl = chunk.lastIndexOf(NEWLINE); nl >= 0; nl = to > 0 ? chunk.lastIndexOf(NEWLINE, to - 1) : -1) {
    const from = nl + 1
    const isLast = to === chunk.length && tail?.length !== 0
    const line =
      text !== undefined && !isLast
        ? new Line(file, text.slice(from, to), start + from)
        : tail && new Line(file, textOf(chunk.subarray(from, to), isLast ? tail : []), start + from)
    if (line?.isEntry) yield line
    to = nl
  }
}

const textOf = (part: Uint8Array, tail: readonly Uint8Array[]): string =>
  Buffer.concat([part, ...tail]).toString('utf8')

/**
 * The start of a line as pi and Baton write it; a line with another key order is parsed whole. If the message is the last
 * key, the rest of the line is its JSON and one closing brace.
 */
const HEAD =
  /^\{"type":"([a-z_]+)","id":"([^"\\\p{Cc}]+)","parentId":(?:null|"([^"\\\p{Cc}]+)"),"(timestamp":"[^"\\\p{Cc}]*","message":(?=\{))?/u

class Line implements EntryHead {
  readonly id: string = ''
  readonly parentId: string | null = null
  readonly isEntry: boolean = false
  readonly #file: AppendFile
  readonly #text: string
  readonly #start: number
  /** Where its message starts in the text, if the line's start shows it. */
  readonly #messageAt: number | undefined

  constructor(file: AppendFile, text: string, start: number) {
    this.#file = file
    this.#text = text
    this.#start = start
    const head = HEAD.exec(text)
    if (head?.[1] === 'message' && head[4] !== undefined) this.#messageAt = head[0].length
    const entry = head ? undefined : this.now()
    this.isEntry = entry !== undefined || (head !== null && head[1] !== 'session')
    this.id = entry?.id ?? head?.[2] ?? ''
    this.parentId = entry?.parentId ?? head?.[3] ?? null
  }

  message(): SessionMessage | undefined {
    if (this.#messageAt === undefined || !this.#text.endsWith('}')) return undefined
    const message = parseLine(this.#text.slice(this.#messageAt, -1))
    return isMessage(message) ? message : undefined
  }

  now(): SessionEntry | undefined {
    return asEntry(parseLine(this.#text))
  }

  later(): () => Promise<SessionEntry | undefined> {
    const [file, start, end] = [this.#file, this.#start, this.#start + Buffer.byteLength(this.#text)]
    return async () => asEntry(parseLine(Buffer.from(await file.read(start, end)).toString('utf8')))
  }
}
