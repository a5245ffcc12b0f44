/** The lines of a session file, version 3: the format of pi and oh-my-pi, so that these programs and Baton can open each other's files. */
export interface SessionHeader {
  type: 'session'
  version: number
  id: string
  timestamp: string
  cwd: string
  title?: string
  /** The file of the session this one continues. */
  parentSession?: string
}

/** One line below the header. Lines of unknown types are kept, but do not become part of the context. */
export interface SessionEntry {
  type: string
  id: string
  parentId: string | null
  timestamp: string
  [key: string]: unknown
}

/** A message of the conversation in the form of a model API. */
export interface SessionMessage {
  role: string
  content?: unknown
  [key: string]: unknown
}

export const FILE_VERSION = 3

/** The object on a line, or undefined: half-written and foreign lines are skipped. */
export function parseLine(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function asHeader(row: Record<string, unknown> | undefined): SessionHeader | undefined {
  if (row?.type !== 'session' || typeof row.id !== 'string') return undefined
  return {
    ...row,
    type: 'session',
    id: row.id,
    version: typeof row.version === 'number' ? row.version : 1,
    timestamp: typeof row.timestamp === 'string' ? row.timestamp : '',
    cwd: typeof row.cwd === 'string' ? row.cwd : '',
  }
}

export function asEntry(row: Record<string, unknown> | undefined): SessionEntry | undefined {
  // Do not copy a valid row: a file may have a hundred thousand of them.
  if (row === undefined || isEntry(row)) return row
  if (row.type === 'session' || typeof row.type !== 'string' || typeof row.id !== 'string') return undefined
  const timestamp = typeof row.timestamp === 'string' ? row.timestamp : ''
  const parentId = typeof row.parentId === 'string' ? row.parentId : null
  return { ...row, type: row.type, id: row.id, parentId, timestamp }
}

const isEntry = (row: Record<string, unknown>): row is SessionEntry =>
  typeof row.type === 'string' &&
  row.type !== 'session' &&
  typeof row.id === 'string' &&
  (row.parentId === null || typeof row.parentId === 'string') &&
  typeof row.timestamp === 'string'

/** The texts of a message, joined. */
export function textOfMessage(message: SessionMessage): string {
  const { content } = message
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((block: unknown) =>
      isObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : [],
    )
    .join('\n')
}

/** The message of an entry that contains one. */
export const messageOf = ({ type, message }: SessionEntry): SessionMessage | undefined =>
  type === 'message' && isMessage(message) ? message : undefined

export const isMessage = (value: unknown): value is SessionMessage =>
  isObject(value) && typeof value.role === 'string'

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
