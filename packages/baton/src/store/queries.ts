import type { EntryQuery } from '@batonpass/contract/journal'
import { type Kysely, sql } from 'kysely'
import { canonical } from './rows.ts'
import type { Tables } from './tables.ts'

/**
 * Queries for both databases. PostgreSQL also filters by origin. `sessions`: Baton's ids of the wanted session, if the
 * caller has looked them up; then the database reads the newest entries from the index instead of sorting all of them.
 */
export function selectEntries(
  db: Kysely<Tables>,
  query: Partial<EntryQuery>,
  { origin, sessions }: { origin?: string; sessions?: readonly string[] } = {},
) {
  let select = db
    .selectFrom('entries')
    .select([
      'seq',
      'id',
      'at',
      'kind',
      'type',
      'agent',
      'session',
      'native_session',
      'prompt_id',
      'tool_use_id',
      'project',
      'request',
      'bytes',
      'body',
    ])
    .orderBy('seq', query.order ?? 'asc')
    .limit(query.limit ?? 200)
  if (origin !== undefined) select = select.where('origin', '=', origin)
  const { id, after, before, session, project, kind, type, since } = query
  if (id !== undefined) select = select.where(startsWith('id', id, origin))
  if (after !== undefined) select = select.where('seq', '>', after)
  if (before !== undefined) select = select.where('seq', '<', before)
  if (sessions?.length === 1) select = select.where('session', '=', sessions[0] ?? '')
  else if (sessions) select = select.where('session', 'in', sessions)
  else if (session !== undefined) {
    // Look up the agent's id in the sessions table: an index over it in `entries` would slow every write.
    const named = ofOrigin(db, origin).select('id').where('native_session', '=', session)
    select = select.where(row => row.or([row('session', '=', session), row('session', 'in', named)]))
  }
  if (project !== undefined) select = select.where('project', '=', project)
  if (kind !== undefined) select = select.where('kind', '=', kind)
  if (kind !== undefined && !COMMON_KINDS.includes(kind)) select = select.where(rareKind)
  if (type !== undefined) select = select.where('type', '=', type)
  if (type !== undefined && INDEXED_TYPES.includes(type)) select = select.where(indexedType)
  if (since !== undefined) select = select.where('at', '>=', canonical(since))
  return select
}

// Nearly all entries are events and reactions, so an index over them would not help.
const COMMON_KINDS = ['event', 'reaction']
/** The index and the query must use the same expression, or the database does not use the index. */
export const rareKind = sql<boolean>`kind not in ('event', 'reaction')`

/** The types of events that views read across sessions. Others have no index, because every hook would write to it. */
const INDEXED_TYPES = ['ContextMeasured', 'PromptSubmitted', 'ToolFinished']
/** The index and the query must use the same expression, or the database does not use the index. */
export const indexedType = sql<boolean>`type in (${sql.join(INDEXED_TYPES.map(type => sql.lit(type)))})`

export function selectSessions(
  db: Kysely<Tables>,
  query: { live?: boolean; limit?: number } = {},
  origin?: string,
) {
  let select = ofOrigin(db, origin)
    .select('data')
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .limit(query.limit ?? 200)
  if (query.live !== undefined) select = select.where('ended_at', query.live ? 'is' : 'is not', null)
  return select
}

/** Returns at most two rows: the second only shows that the name is ambiguous. */
export function selectSessionsNamed(db: Kysely<Tables>, name: string, origin?: string) {
  return ofOrigin(db, origin)
    .select('data')
    .where(row => row.or([row('id', '=', name), row('native_session', '=', name)]))
    .limit(2)
}

export function selectSessionsStarting(db: Kysely<Tables>, prefix: string, origin?: string) {
  return ofOrigin(db, origin)
    .select('data')
    .where(row => row.or([startsWith('id', prefix, origin), startsWith('native_session', prefix, origin)]))
    .limit(2)
}

function startsWith(column: 'id' | 'native_session', prefix: string, origin: string | undefined) {
  // Not LIKE: it ignores case in SQLite, and its wildcards would have to be escaped.
  const starts = sql<boolean>`substr(${sql.ref(column)}, 1, ${sql.lit(prefix.length)}) = ${prefix}`
  // SQLite uses its indexes for a range. PostgreSQL compares text in the order of a language, where a range differs.
  return origin === undefined
    ? sql<boolean>`${sql.ref(column)} >= ${prefix} and ${sql.ref(column)} < ${`${prefix}\u{10ffff}`} and ${starts}`
    : starts
}

function ofOrigin(db: Kysely<Tables>, origin: string | undefined) {
  const sessions = db.selectFrom('sessions')
  return origin === undefined ? sessions : sessions.where('origin', '=', origin)
}
