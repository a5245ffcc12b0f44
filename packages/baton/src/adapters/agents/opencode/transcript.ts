import type { Action } from '@batonpass/contract/event'
import { FileError } from '../../../ports/files.ts'
import type { TranscriptItem, TranscriptReader, Transcripts } from '../../../ports/transcript.ts'
import { amount, isRow, objectAt, type Row, textAt, timeIn } from '../json-lines.ts'
import { lineOf } from '../line-transcripts.ts'
import { readPayload } from '../payload.ts'
import { TodoList } from '../todo-list.ts'
import { actionOf } from './actions.ts'

/** opencode keeps all sessions in one database; a transcript's path is `<database>#<session id>`. */
export const reader: TranscriptReader = {
  agent: 'opencode',
  // A database is never looked into without knowing whose session is wanted.
  knows: () => false,
  names: path => /\.db#ses_[A-Za-z0-9]{1,64}$/.test(path),
  async *read(path) {
    await using source = await openSession(path)
    const { directory } = source
    yield [{ kind: 'about', session: source.session, cwd: directory }]
    const todos = new TodoList()
    for (const message of source.messages()) {
      const told = tell(message, source.parts(message.id), todos)
      if (told.length > 0) yield told
    }
  },
  async measure(path) {
    await using source = await openSession(path)
    for (const { data } of source.messages({ newestFirst: true })) {
      if (data.summary === true) return undefined
      const used = sizeOf(objectAt(data, 'tokens'))
      const model = textAt(data, 'modelID')
      if (data.role === 'assistant' && used > 0) return { used, ...(model ? { model } : {}) }
    }
    return undefined
  },
  contextSize: async path => (await reader.measure?.(path))?.used,
}

export const transcripts: Transcripts = {
  async usage(path, from) {
    await using source = await openSession(path).catch(() => undefined)
    if (!source) return undefined
    const all = [...source.messages()].filter(
      ({ data }) => data.role === 'assistant' && objectAt(data, 'tokens'),
    )
    const last = all.at(-1)?.id
    // Ids grow with time; the offset counts nothing here.
    const reading = { offset: 0, message: last ?? from?.message }
    if (!from) return { replies: [], reading }
    const fresh = all.filter(({ id }) => from.message === undefined || id > from.message)
    return { replies: fresh.map(({ data }) => usageOf(data)), reading }
  },
  async tail(path, limit) {
    await using source = await openSession(path).catch(() => undefined)
    if (!source) return undefined
    const messages = [...source.messages({ newestFirst: true, limit: 30 })].reverse()
    const todos = new TodoList()
    const text = messages
      .flatMap(each => tell(each, source.parts(each.id), todos))
      .flatMap(lineOf)
      .join('\n')
    const error = objectAt(objectAt(messages.at(-1)?.data, 'error'), 'data')
    return { text: text.slice(-limit), error: textAt(error, 'message')?.slice(0, 500) }
  },
}

interface Message {
  id: string
  data: Row
}

async function openSession(path: string) {
  const at = path.lastIndexOf('#')
  const [file, session] = [path.slice(0, at), path.slice(at + 1)]
  if (at < 0 || !/^ses_[A-Za-z0-9]{1,64}$/.test(session)) throw new FileError('absent', path)
  const { default: Database } = await import('better-sqlite3')
  let database: import('better-sqlite3').Database
  try {
    database = new Database(file, { readonly: true, fileMustExist: true, timeout: 1000 })
  } catch (cause) {
    throw new FileError('absent', path, cause)
  }
  const close = () => void database.close()
  try {
    const about = database.prepare('select directory from session where id = ?').get(session)
    if (!isRow(about)) throw new FileError('absent', path)
    return {
      session,
      directory: textAt(about, 'directory'),
      *messages({ newestFirst = false, limit = 100_000 } = {}): Generator<Message> {
        const order = newestFirst ? 'desc' : 'asc'
        const query = `select id, data from message where session_id = ? order by id ${order} limit ?`
        // Read whole first: the cursor is not held while the caller works on a row.
        for (const row of database.prepare(query).all(session, limit)) {
          const id = isRow(row) ? textAt(row, 'id') : undefined
          const data = isRow(row) ? parsed(row.data) : undefined
          if (id !== undefined && data) yield { id, data }
        }
      },
      parts(message: string): Row[] {
        const rows = database.prepare('select data from part where message_id = ? order by id').all(message)
        return rows.flatMap((row): Row[] => {
          const data = isRow(row) ? parsed(row.data) : undefined
          return data ? [data] : []
        })
      },
      [Symbol.asyncDispose]: async () => close(),
    }
  } catch (cause) {
    close()
    throw cause instanceof FileError ? cause : new FileError('failed', path, cause)
  }
}

function tell({ id, data }: Message, parts: readonly Row[], todos: TodoList): TranscriptItem[] {
  const at = timeIn(objectAt(data, 'time')?.created)
  return parts.flatMap((part): TranscriptItem[] => {
    const text = part.type === 'text' && part.synthetic !== true ? textAt(part, 'text')?.trim() : undefined
    if (text) return data.role === 'user' ? [{ kind: 'prompt', text, at }] : [{ kind: 'reply', id, text, at }]
    const [call, tool] = [textAt(part, 'callID'), textAt(part, 'tool')]
    return part.type === 'tool' && call !== undefined && tool !== undefined
      ? tellCall(part, call, tool, todos, at)
      : []
  })
}

function tellCall(
  part: Row,
  id: string,
  tool: string,
  todos: TodoList,
  at: number | undefined,
): TranscriptItem[] {
  const state = objectAt(part, 'state')
  const asked: TranscriptItem = { kind: 'call', id, tool, action: action(tool, state?.input), at }
  if (state?.status !== 'completed' && state?.status !== 'error') return [asked]
  const exit = objectAt(state, 'metadata')?.exit
  const failed = state.status === 'error' || (typeof exit === 'number' && exit !== 0)
  const text = textAt(state, 'output') ?? textAt(state, 'error') ?? ''
  todos.called(id, state.input)
  const list = todos.finished(id, failed, undefined, text)
  return [
    asked,
    { kind: 'result', id, failed, text, at },
    ...(list ? [{ kind: 'todos' as const, items: list, at }] : []),
  ]
}

function action(tool: string, input: unknown): Action {
  try {
    const fields = readPayload('opencode', { input: isRow(input) ? input : {} }).inside('input')
    return actionOf(tool, fields, undefined)
  } catch {
    return { kind: 'other' }
  }
}

function usageOf(data: Row) {
  const tokens = objectAt(data, 'tokens')
  const cache = objectAt(tokens, 'cache')
  return {
    model: textAt(data, 'modelID')?.slice(0, 100) ?? '',
    input: amount(tokens?.input),
    output: amount(tokens?.output) + amount(tokens?.reasoning),
    cacheRead: amount(cache?.read),
    cacheWrite: amount(cache?.write),
  }
}

function sizeOf(tokens: Row | undefined): number {
  const cache = objectAt(tokens, 'cache')
  return amount(tokens?.input) + amount(tokens?.output) + amount(cache?.read) + amount(cache?.write)
}

function parsed(data: unknown): Row | undefined {
  try {
    const value: unknown = typeof data === 'string' ? JSON.parse(data) : undefined
    return isRow(value) ? value : undefined
  } catch {
    return undefined
  }
}
