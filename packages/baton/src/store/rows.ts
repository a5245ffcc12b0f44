import type { Entry, EntryBody, NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import { pack, storedBytes, unpack } from './compress-body.ts'
import type { EntryRow, SessionRow } from './tables.ts'

export type UnnumberedRow = Omit<EntryRow, 'seq'>

export function rowOf(entry: NewEntry): UnnumberedRow {
  const body = pack(JSON.stringify(entry.body))
  return {
    id: entry.id,
    at: canonical(entry.at),
    kind: entry.body.kind,
    type: entry.body.kind === 'event' ? entry.body.event.type : null,
    agent: entry.agent ?? null,
    session: entry.session ?? null,
    native_session: entry.nativeSession ?? null,
    prompt_id: entry.promptId ?? null,
    tool_use_id: entry.toolUseId ?? null,
    project: entry.project === undefined ? null : storable(entry.project),
    request: entry.request === undefined ? null : storable(entry.request),
    bytes: storedBytes(body),
    body,
  }
}

// The schema checked the entry before it was stored, so it is not checked again.
export function entryOf(row: EntryRow): Entry {
  return {
    ...columnsOf(row),
    body: JSON.parse(unpack(row.body)) as EntryBody,
  }
}

/** The entry with its number, without parsing its body again. */
export function numbered(entry: NewEntry, row: UnnumberedRow, seq: number): Entry {
  return { ...columnsOf({ ...row, seq }), body: entry.body }
}

function columnsOf(row: EntryRow): Omit<Entry, 'body'> {
  return {
    seq: row.seq,
    id: row.id as Entry['id'],
    at: row.at,
    ...(row.agent === null ? {} : { agent: row.agent as NonNullable<Entry['agent']> }),
    ...(row.session === null ? {} : { session: row.session as NonNullable<Entry['session']> }),
    ...(row.native_session === null ? {} : { nativeSession: row.native_session }),
    ...(row.prompt_id === null ? {} : { promptId: row.prompt_id }),
    ...(row.tool_use_id === null ? {} : { toolUseId: row.tool_use_id }),
    ...(row.project === null ? {} : { project: row.project }),
    ...(row.request === null ? {} : { request: row.request }),
  }
}

export function sessionRowOf(session: Session, changed: number): SessionRow {
  return {
    id: session.id,
    native_session: session.nativeSession,
    started_at: canonical(session.startedAt),
    last_seen_at: canonical(session.lastSeenAt),
    ended_at: session.endedAt === undefined ? null : canonical(session.endedAt),
    changed,
    data: JSON.stringify(session),
  }
}

export function sessionOf(row: Pick<SessionRow, 'data'>): Session {
  return JSON.parse(row.data) as Session
}

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Normalises a time. Times are compared as text, which requires the same width. */
export function canonical(at: string): string {
  return CANONICAL.test(at) ? at : new Date(Date.parse(at)).toISOString()
}

// PostgreSQL refuses NUL in text, and a lone surrogate cannot be encoded as UTF-8.
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
