import { setImmediate as turn } from 'node:timers/promises'
import type { Found, SearchQuery } from '@batonpass/contract/dashboard'
import type { Entry } from '@batonpass/contract/journal'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { slimEntry } from './slim.ts'

/** Small enough that a batch delays hooks by a few milliseconds at most. */
const BATCH = 200
/** The time limit of one call. The caller continues from `next`. */
const LOOK_MS = 400

/** Searches the journal, newest first, for entries that contain every word. */
export async function searchJournal(
  { q, kind, session, before, limit }: SearchQuery,
  store: Pick<Store, 'entries'>,
  clock: Clock,
): Promise<Found> {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const found: Entry[] = []
  const began = clock.elapsed()
  let next = before
  let looked = 0
  for (;;) {
    const entries = await store.entries({
      order: 'desc',
      limit: BATCH,
      ...(next === undefined ? {} : { before: next }),
      ...(kind ? { kind } : {}),
      ...(session ? { session } : {}),
    })
    for (const entry of entries) {
      looked++
      next = entry.seq
      if (holdsAll(entry, words)) found.push(slimEntry(entry))
      if (found.length === limit) return { entries: found, looked, next }
    }
    if (entries.length < BATCH) return { entries: found, looked }
    if (clock.elapsed() - began > LOOK_MS) return { entries: found, looked, ...(next ? { next } : {}) }
    await turn()
  }
}

/** Whether the entry's values contain every word, ignoring case. Field names do not count. */
function holdsAll(entry: Entry, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const text = valuesOf([
    entry.id,
    entry.agent,
    entry.nativeSession,
    entry.session,
    entry.project,
    entry.body,
  ]).toLowerCase()
  return words.every(word => text.includes(word))
}

function valuesOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(valuesOf).join('\n')
}
