import type { Entry } from '@batonpass/contract/journal'
import type { Live } from '../journal/live.ts'
import type { Store } from '../ports/store.ts'

export interface Follower {
  send(entry: Entry): Promise<unknown>
  /** A sign of life when there is nothing to tell. */
  beat(): Promise<unknown>
  /** Resolves when nobody listens any more. */
  ended: Promise<void>
  beatMs: number
}

const BATCH = 500

/**
 * Sends what was written after `from`, then what is written now, without a gap and without a repeat.
 * Everything is read from the journal: a follower that reads slowly holds nothing in memory.
 */
export async function follow(
  from: number | undefined,
  store: Pick<Store, 'entries' | 'stats'>,
  live: Pick<Live, 'listen'>,
  to: Follower,
): Promise<void> {
  let open = true
  let news = true
  let wake = () => {}
  void to.ended.then(() => {
    open = false
    wake()
  })
  const unlisten = live.listen(() => {
    news = true
    wake()
  })
  try {
    let last = from ?? (await store.stats()).lastSeq
    while (open) {
      if (!news) {
        const woken = new Promise<void>(resolve => {
          wake = resolve
        })
        const beat = setTimeout(() => wake(), to.beatMs)
        await woken
        clearTimeout(beat)
        if (open && !news) await to.beat()
        continue
      }
      news = false
      const entries = await store.entries({ after: last, limit: BATCH })
      for (const entry of entries) {
        if (!open) break
        await to.send(entry)
        last = entry.seq
      }
      news ||= entries.length === BATCH
    }
  } finally {
    unlisten()
  }
}
