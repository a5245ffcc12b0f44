import type { Store } from '../ports/store.ts'
import { type Connection, freePages, usedBytes } from './connection.ts'
import { canonical } from './rows.ts'

type Limits = Parameters<Store['prune']>[0]
interface Victim {
  seq: number
  at: string
  bytes: number
  session: string | null
}

/** Small steps, so that a hook never waits for more than a few milliseconds. */
const STEP_ENTRIES = 32
const STEP_BYTES = 64 * 1024
const VACUUM_PAGES = 32

/** Removes a few of the oldest entries beyond a limit, and sessions without entries. Returns the number of entries. */
export function pruneStep(connection: Connection, { olderThan, maxBytes }: Limits): number {
  const victims =
    olderThan === undefined
      ? []
      : connection
          .prepare<[string, number], Victim>(
            'select seq, at, bytes, session from entries where at < ? order by at, seq limit ?',
          )
          .all(canonical(olderThan), STEP_ENTRIES)
  if (victims.length === 0 && maxBytes !== undefined && usedBytes(connection) > maxBytes) {
    victims.push(
      ...connection
        .prepare<[number], Victim>('select seq, at, bytes, session from entries order by seq limit ?')
        .all(STEP_ENTRIES),
    )
  }
  return victims.length === 0 ? 0 : remove(connection, firstFew(victims))
}

function firstFew(victims: readonly Victim[]): Victim[] {
  let bytes = 0
  const end = victims.findIndex((victim, index) => {
    bytes += victim.bytes
    // A single entry may be larger than a step.
    return index > 0 && bytes > STEP_BYTES
  })
  return victims.slice(0, end === -1 ? victims.length : end)
}

function remove(connection: Connection, victims: readonly Victim[]): number {
  const entry = connection.prepare('delete from entries where seq = ?')
  const session = connection.prepare(
    `delete from sessions where id = ? and last_seen_at <= ?
     and not exists (select 1 from entries where entries.session = sessions.id)`,
  )
  const count = connection.prepare('update origins set entries = entries - ?, bytes = bytes - ?')
  const newest =
    victims
      .map(victim => victim.at)
      .sort()
      .at(-1) ?? ''
  const sessions = new Set(victims.flatMap(victim => victim.session ?? []))
  const bytes = victims.reduce((sum, victim) => sum + victim.bytes, 0)
  connection
    .transaction(() => {
      for (const { seq } of victims) entry.run(seq)
      for (const id of sessions) session.run(id, newest)
      count.run(victims.length, bytes)
    })
    .immediate()
  return victims.length
}

/** Returns some free pages to the file system. False when only a reserve for the next writes is left. */
export function vacuumStep(connection: Connection): boolean {
  const free = freePages(connection)
  const pages = Number(connection.pragma('page_count', { simple: true }))
  if (free <= Math.max(VACUUM_PAGES, pages / 16)) return false
  connection.pragma(`incremental_vacuum(${VACUUM_PAGES})`)
  return freePages(connection) < free
}
