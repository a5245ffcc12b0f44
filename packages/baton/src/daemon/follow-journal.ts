import type { Entry } from '@batonpass/contract/journal'
import type { JournalListeners } from '../journal/live.ts'
import type { Store } from '../ports/store.ts'
import { streamUpdates, type UpdateListener } from './stream-updates.ts'

export interface Follower extends UpdateListener {
  send(entry: Entry): Promise<unknown>
}

const BATCH = 500

/**
 * Sends the entries after `from`, then new ones, without gaps or repeats. Everything is read from the journal, so a slow
 * follower does not fill the memory.
 */
export async function followJournal(
  from: number | undefined,
  store: Pick<Store, 'entries' | 'stats'>,
  live: Pick<JournalListeners, 'listen'>,
  to: Follower,
): Promise<void> {
  let last = from ?? (await store.stats()).lastSeq
  await streamUpdates(
    heard => live.listen(heard),
    async isOpen => {
      const entries = await store.entries({ after: last, limit: BATCH })
      for (const entry of entries) {
        if (!isOpen()) break
        await to.send(entry)
        last = entry.seq
      }
      return entries.length === BATCH
    },
    to,
  )
}
