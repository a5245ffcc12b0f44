import { setImmediate as turn } from 'node:timers/promises'
import type { Entry, EntryQuery } from '@batonpass/contract/journal'
import type { Store } from '../ports/store.ts'

export const HOUR_MS = 3_600_000
const BATCH = 200

interface Reach {
  /** The newest and the oldest entry that was read, and the time since which every entry was read. */
  newest: number
  oldest: number | undefined
  since: string | undefined
}

type Which = Pick<Partial<EntryQuery>, 'kind' | 'type'>

/** Something that is added up for each hour, cached: each entry is read once, and only as far back as requested. */
export class HourlyEntries<Hour> {
  readonly hours = new Map<number, Hour>()
  readonly #reaches: [Which, Reach][]
  readonly #empty: (hour: number) => Hour
  readonly #add: (hour: Hour, entry: Entry) => void
  #reading: Promise<unknown> = Promise.resolve()

  constructor(
    which: readonly Which[],
    empty: (hour: number) => Hour,
    add: (hour: Hour, entry: Entry) => void,
  ) {
    this.#reaches = which.map(each => [each, { newest: 0, oldest: undefined, since: undefined }])
    this.#empty = empty
    this.#add = add
  }

  /** Reads what is missing since a time, which has to be the beginning of an hour. */
  async readSince(since: string, store: Pick<Store, 'entries'>): Promise<void> {
    const mine = this.#reading.then(() => this.#read(since, store))
    this.#reading = mine.catch(() => {})
    await mine
  }

  /** Drops hours that are not asked for any more. */
  dropBefore(hour: number): void {
    for (const each of this.hours.keys()) if (each < hour) this.hours.delete(each)
  }

  async #read(since: string, store: Pick<Store, 'entries'>): Promise<void> {
    for (const [which, reach] of this.#reaches) {
      if (reach.since !== undefined) await this.#walk(store, reach, { ...which, after: reach.newest })
      if (reach.since !== undefined && reach.since <= since) continue
      const before = reach.oldest === undefined ? {} : { before: reach.oldest }
      await this.#walk(store, reach, { ...which, since, ...before })
      reach.since = since
    }
  }

  /** Reads in batches, so that hooks are served in between. */
  async #walk(store: Pick<Store, 'entries'>, reach: Reach, query: Partial<EntryQuery>): Promise<void> {
    let { after } = query
    for (;;) {
      const entries = await store.entries({
        ...query,
        ...(after === undefined ? {} : { after }),
        order: 'asc',
        limit: BATCH,
      })
      for (const entry of entries) {
        const hour = Math.floor(Date.parse(entry.at) / HOUR_MS)
        const known = this.hours.get(hour) ?? this.#empty(hour)
        this.hours.set(hour, known)
        this.#add(known, entry)
        reach.newest = Math.max(reach.newest, entry.seq)
        reach.oldest = Math.min(reach.oldest ?? entry.seq, entry.seq)
        after = entry.seq
      }
      if (entries.length < BATCH) return
      await turn()
    }
  }
}
