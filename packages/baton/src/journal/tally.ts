import { setImmediate as turn } from 'node:timers/promises'
import type { HourTally } from '@batonpass/contract/dashboard'
import type { Entry } from '@batonpass/contract/journal'
import type { Store } from '../ports/store.ts'

const HOUR_MS = 3_600_000
const KEPT_HOURS = 24 * 31
const KINDS = ['decision', 'workflow', 'handoff'] as const
const BATCH = 200

/** Counts by the hour, kept at hand: each entry of the journal is read once. */
export class Tally {
  readonly #hours = new Map<number, HourTally>()
  readonly #read: Record<(typeof KINDS)[number], number> = { decision: 0, workflow: 0, handoff: 0 }
  #catchingUp: Promise<void> | undefined

  /** The last so many hours, oldest first, the quiet ones too. */
  async hours(count: number, now: number, store: Pick<Store, 'entries'>): Promise<HourTally[]> {
    this.#catchingUp ??= this.#catchUp(now, store).finally(() => {
      this.#catchingUp = undefined
    })
    await this.#catchingUp
    const last = Math.floor(now / HOUR_MS)
    return Array.from(
      { length: Math.min(count, KEPT_HOURS) },
      (_, index, length = Math.min(count, KEPT_HOURS)) => {
        const hour = last - length + 1 + index
        return this.#hours.get(hour) ?? blank(hour)
      },
    )
  }

  async #catchUp(now: number, store: Pick<Store, 'entries'>): Promise<void> {
    const since = new Date(now - KEPT_HOURS * HOUR_MS).toISOString()
    for (const kind of KINDS) {
      for (;;) {
        const after = this.#read[kind]
        const entries = await store.entries({
          kind,
          after,
          limit: BATCH,
          ...(after === 0 ? { since } : {}),
        })
        for (const entry of entries) {
          this.#count(entry)
          this.#read[kind] = entry.seq
        }
        if (entries.length < BATCH) break
        await turn()
      }
    }
    const oldest = Math.floor(now / HOUR_MS) - KEPT_HOURS
    for (const hour of this.#hours.keys()) if (hour < oldest) this.#hours.delete(hour)
  }

  #count(entry: Entry): void {
    const hour = Math.floor(Date.parse(entry.at) / HOUR_MS)
    const tally = this.#hours.get(hour) ?? blank(hour)
    this.#hours.set(hour, tally)
    countInto(tally, entry)
  }
}

/** What one entry adds. Only an answer that a person gave counts as theirs; everything else that was allowed was spared them. */
export function countInto(tally: HourTally, { body }: Pick<Entry, 'body'>): void {
  if (body.kind === 'workflow') {
    if (body.what === 'continued' || body.what === 'supervised') tally.continued++
    if (body.what === 'ended') tally.ended++
  } else if (body.kind === 'handoff') {
    if (body.what === 'written') tally.handoffs++
  } else if (body.kind === 'decision') {
    if (body.by === 'person') tally.byPerson++
    if (body.decision === 'deny') tally.denied++
    else if (body.decision !== 'allow') tally.asked++
    else {
      tally.allowed++
      if (body.by === 'rules') tally.byRules++
      else if (body.by === 'undo') tally.byUndo++
      else if (body.by === 'model') tally.byModel++
      else if (body.by === 'session') tally.bySession++
    }
  }
}

/** Several hours in one. */
export function sumOf(hours: readonly HourTally[], now: number): HourTally {
  const sum = blank(Math.floor(now / HOUR_MS))
  for (const each of hours)
    for (const key of Object.keys(sum) as (keyof HourTally)[]) {
      if (key !== 'hour') sum[key] += each[key]
    }
  return sum
}

const blank = (hour: number): HourTally => ({
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
