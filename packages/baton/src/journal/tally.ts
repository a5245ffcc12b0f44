import { setImmediate as turn } from 'node:timers/promises'
import type { HourTally } from '@batonpass/contract/dashboard'
import type { Entry, EntryQuery } from '@batonpass/contract/journal'
import type { Store } from '../ports/store.ts'

const HOUR_MS = 3_600_000
const KEPT_HOURS = 24 * 31
const KINDS = ['decision', 'workflow', 'handoff'] as const
const BATCH = 200

interface Reach {
  /** The newest and the oldest counted entry, and the time since which every entry is counted. */
  newest: number
  oldest: number | undefined
  since: string | undefined
}

/** Counts per hour, cached: each entry is read once, and only as far back as requested. */
export class Tally {
  readonly #hours = new Map<number, HourTally>()
  readonly #reach = new Map<string, Reach>(
    KINDS.map(kind => [kind, { newest: 0, oldest: undefined, since: undefined }]),
  )
  #counting: Promise<unknown> = Promise.resolve()

  /** The last `wanted` hours, oldest first, including hours without entries. */
  async hours(wanted: number, now: number, store: Pick<Store, 'entries'>): Promise<HourTally[]> {
    const count = Math.min(wanted, KEPT_HOURS)
    const last = Math.floor(now / HOUR_MS)
    const since = new Date((last - count + 1) * HOUR_MS).toISOString()
    const mine = this.#counting.then(() => this.#count(since, store))
    this.#counting = mine.catch(() => {})
    await mine
    for (const hour of this.#hours.keys()) if (hour <= last - KEPT_HOURS) this.#hours.delete(hour)
    return Array.from({ length: count }, (_, index) => {
      const hour = last - count + 1 + index
      return this.#hours.get(hour) ?? emptyHour(hour)
    })
  }

  async #count(since: string, store: Pick<Store, 'entries'>): Promise<void> {
    for (const [kind, reach] of this.#reach) {
      if (reach.since !== undefined)
        await this.#walk(store, reach, () => ({ kind, after: reach.newest, order: 'asc' }))
      if (reach.since !== undefined && reach.since <= since) continue
      await this.#walk(store, reach, () => ({
        kind,
        since,
        order: 'desc',
        ...(reach.oldest === undefined ? {} : { before: reach.oldest }),
      }))
      reach.since = since
    }
  }

  /** Reads in batches, so that hooks are served in between. */
  async #walk(store: Pick<Store, 'entries'>, reach: Reach, next: () => Partial<EntryQuery>): Promise<void> {
    for (;;) {
      const entries = await store.entries({ ...next(), limit: BATCH })
      for (const entry of entries) {
        this.#add(entry)
        reach.newest = Math.max(reach.newest, entry.seq)
        reach.oldest = Math.min(reach.oldest ?? entry.seq, entry.seq)
      }
      if (entries.length < BATCH) return
      await turn()
    }
  }

  #add(entry: Entry): void {
    const hour = Math.floor(Date.parse(entry.at) / HOUR_MS)
    const tally = this.#hours.get(hour) ?? emptyHour(hour)
    this.#hours.set(hour, tally)
    countInto(tally, entry)
  }
}

/**
 * Adds one entry to the counts. Only an answer by a person counts as `byPerson`. A call that was left to the agent does
 * not count: if the agent asks, its dialog has its own entry.
 */
function countInto(tally: HourTally, { body }: Pick<Entry, 'body'>): void {
  if (body.kind === 'workflow') {
    if (body.what === 'continued' || body.what === 'supervised') tally.continued++
    if (body.what === 'ended') tally.ended++
  } else if (body.kind === 'handoff') {
    if (body.what === 'written') tally.handoffs++
  } else if (body.kind === 'decision') {
    if (body.by === 'person') tally.byPerson++
    if (body.decision === 'deny') tally.denied++
    else if (body.decision === 'ask') tally.asked++
    else if (body.decision === 'allow') {
      tally.allowed++
      if (body.by === 'rules') tally.byRules++
      else if (body.by === 'undo') tally.byUndo++
      else if (body.by === 'model') tally.byModel++
      else if (body.by === 'session') tally.bySession++
    }
  }
}

/** Adds up several hours. */
export function sumHours(hours: readonly HourTally[], now: number): HourTally {
  const sum = emptyHour(Math.floor(now / HOUR_MS))
  for (const each of hours)
    for (const key of Object.keys(sum) as (keyof HourTally)[]) {
      if (key !== 'hour') sum[key] += each[key]
    }
  return sum
}

const emptyHour = (hour: number): HourTally => ({
  hour: new Date(hour * HOUR_MS).toISOString(),
  allowed: 0,
  denied: 0,
  asked: 0,
  byRules: 0,
  byUndo: 0,
  byModel: 0,
  bySession: 0,
  byPerson: 0,
  continued: 0,
  ended: 0,
  handoffs: 0,
})
