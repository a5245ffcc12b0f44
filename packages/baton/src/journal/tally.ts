import type { HourTally } from '@batonpass/contract/dashboard'
import { type Entry, isBrokered } from '@batonpass/contract/journal'
import type { Store } from '../ports/store.ts'
import { HOUR_MS, HourlyEntries } from './hourly-entries.ts'

const KEPT_HOURS = 24 * 31
const KINDS = ['decision', 'workflow', 'handoff', 'model'] as const

/** Counts per hour, cached. */
export class Tally {
  readonly #entries = new HourlyEntries<HourTally>(
    KINDS.map(kind => ({ kind })),
    emptyHour,
    countInto,
  )

  /** The last `wanted` hours, oldest first, including hours without entries. */
  async hours(wanted: number, now: number, store: Pick<Store, 'entries'>): Promise<HourTally[]> {
    const count = Math.min(wanted, KEPT_HOURS)
    const last = Math.floor(now / HOUR_MS)
    const first = last - count + 1
    await this.#entries.readSince(new Date(first * HOUR_MS).toISOString(), store)
    this.#entries.dropBefore(last - KEPT_HOURS + 1)
    return Array.from(
      { length: count },
      (_, index) => this.#entries.hours.get(first + index) ?? emptyHour(first + index),
    )
  }
}

/**
 * Adds one entry to the counts. Only an answer by a person counts as `byPerson`. A call that was left to the agent does
 * not count: if the agent asks, its dialog has its own entry.
 */
function countInto(tally: HourTally, entry: Pick<Entry, 'body' | 'toolUseId'>): void {
  const { body } = entry
  if (body.kind === 'workflow') {
    if (body.what === 'continued' || body.what === 'supervised' || body.what === 'sent-back')
      tally.continued++
    if (body.what === 'ended') tally.ended++
  } else if (body.kind === 'handoff') {
    if (body.what === 'written') tally.handoffs++
  } else if (body.kind === 'model') {
    tally.modelCalls++
    tally.modelTokens += (body.inputTokens ?? 0) + (body.outputTokens ?? 0)
    tally.modelUsd += body.usd ?? 0
  } else if (body.kind === 'decision') {
    // What left the sandbox after a yes in the dialog: the yes itself has an entry, too.
    if (body.again && isBrokered(entry)) return
    // The question was counted as asked before: an answer takes that back, and the agent's dialog counts for nothing.
    if (body.again && body.decision === 'ask') return
    if (body.again && tally.asked > 0) tally.asked--
    if (body.by === 'person') tally.byPerson++
    if (body.decision === 'deny') tally.denied++
    else if (body.decision === 'ask') tally.asked++
    else if (body.decision === 'allow') {
      tally.allowed++
      if (body.by === 'rules') tally.byRules++
      else if (body.by === 'sandbox') tally.bySandbox++
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

function emptyHour(hour: number): HourTally {
  return {
    hour: new Date(hour * HOUR_MS).toISOString(),
    allowed: 0,
    denied: 0,
    asked: 0,
    byRules: 0,
    bySandbox: 0,
    byUndo: 0,
    byModel: 0,
    bySession: 0,
    byPerson: 0,
    continued: 0,
    ended: 0,
    handoffs: 0,
    modelCalls: 0,
    modelTokens: 0,
    modelUsd: 0,
  }
}
