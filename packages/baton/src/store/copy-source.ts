import type { SessionId } from '@batonpass/contract/ids'
import type { CopyBatch, CopySource } from '../ports/replica.ts'
import type { Connection } from './connection.ts'
import { entryOf, sessionOf } from './rows.ts'
import type { EntryRow, ForgottenRow, OriginRow, SessionRow } from './tables.ts'
import { watchSource } from './watch.ts'

/** Reads what a copy is missing, in one read transaction, so that entries and sessions are consistent. */
export function copySource(connection: Connection): CopySource {
  const counters = connection.prepare<[], OriginRow>('select * from origins')
  const sizes = connection.prepare<[number, number], { seq: number; bytes: number }>(
    'select seq, bytes from entries where seq > ? order by seq limit ?',
  )
  const entries = connection.prepare<[number, number], EntryRow>(
    'select * from entries where seq > ? and seq <= ? order by seq',
  )
  const changedSessions = connection.prepare<[number, number], { changed: number }>(
    'select changed from sessions where changed > ? order by changed limit ?',
  )
  const gone = connection.prepare<[number, number], { changed: number }>(
    'select changed from forgotten where changed > ? order by changed limit ?',
  )
  const sessionsUpTo = connection.prepare<[number, number], SessionRow>(
    'select * from sessions where changed > ? and changed <= ? order by changed',
  )
  const forgottenUpTo = connection.prepare<[number, number], ForgottenRow>(
    'select * from forgotten where changed > ? and changed <= ? order by changed',
  )
  const idOf = connection.prepare<[number], { id: string }>('select id from entries where seq = ?')
  const rename = connection.prepare(`update origins set origin = 'org_' || lower(hex(randomblob(10)))`)

  const watch = watchSource(connection)

  const origin = () => counters.get()?.origin ?? ''

  const read = connection.transaction(
    (
      after: Parameters<CopySource['changesAfter']>[0],
      limits: { entries: number; bytes: number },
    ): CopyBatch => {
      const now = counters.get()
      const next = sizes.all(after.seq, limits.entries)
      const taken = next.slice(0, fitting(next, limits.bytes))
      const lastEntry = taken.at(-1)?.seq
      const allEntries = taken.length === next.length && next.length < limits.entries
      // All lists share one change counter: if one list is cut short, the others must stop at the same number.
      const cut = [changedSessions, gone, ...watch.numbers].flatMap(list =>
        list.all(after.changed, limits.entries).slice(limits.entries - 1),
      )
      const upTo = Math.min(now?.changed ?? 0, ...cut.map(row => row.changed))
      return {
        entries: lastEntry === undefined ? [] : entries.all(after.seq, lastEntry).map(entryOf),
        sessions: sessionsUpTo
          .all(after.changed, upTo)
          .map(row => ({ session: sessionOf(row), changed: row.changed })),
        forgotten: forgottenUpTo
          .all(after.changed, upTo)
          .map(row => ({ session: row.session as SessionId, upTo: row.up_to, changed: row.changed })),
        watch: watch.rows(after.changed, upTo),
        position: {
          // Skip the gap of entries that were pruned before they were copied.
          seq: allEntries ? Math.max(after.seq, now?.last_seq ?? 0) : (lastEntry ?? after.seq),
          changed: Math.max(after.changed, upTo),
        },
        complete: allEntries && cut.length === 0,
      }
    },
  )

  return {
    origin: async () => origin(),
    changesAfter: async (position, limits) => read.deferred(position, limits),
    async continues({ seq, last }) {
      if ((counters.get()?.last_seq ?? 0) < seq) return false
      const mine = last && idOf.get(seq)?.id
      return !mine || mine === last
    },
    async renameOrigin() {
      rename.run()
      return origin()
    },
  }
}

// The number of next entries that fit into the limit; at least one.
function fitting(sizes: readonly { bytes: number }[], bytes: number): number {
  let sum = 0
  const end = sizes.findIndex((entry, index) => {
    sum += entry.bytes
    return index > 0 && sum > bytes
  })
  return end === -1 ? sizes.length : end
}
