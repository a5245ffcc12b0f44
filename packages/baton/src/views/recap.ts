import { setImmediate as turn } from 'node:timers/promises'
import type { Entry } from '@batonpass/contract/journal'
import type { Recap } from '@batonpass/contract/recap'
import type { Asks } from '../ask/asks.ts'
import { awaySince } from '../journal/away.ts'
import { HOUR_MS, HourlyEntries } from '../journal/hourly-entries.ts'
import { addEntry, emptyPart, finishRecap, joinPart, type RecapPart } from '../journal/recap.ts'
import type { Clock } from '../ports/clock.ts'
import type { GitPosition } from '../ports/git.ts'
import type { Store } from '../ports/store.ts'
import { readTest } from '../session/transcript/test-runs.ts'

const WHICH = [
  ...(['decision', 'ask', 'workflow', 'claim', 'handoff', 'fault', 'sandbox'] as const).map(kind => ({
    kind,
  })),
  { kind: 'event' as const, type: 'ToolFinished' as const },
]
const BATCH = 500
const MAX_PROJECTS = 30
const MAX_SESSIONS = 2000
const KEPT_HOURS = 24 * 31
const WEEK_MS = 7 * 24 * HOUR_MS

interface RecapPorts {
  store: Pick<Store, 'entries' | 'sessions'>
  asks: Pick<Asks, 'open'>
  clock: Clock
  git: Pick<GitPosition, 'commitsBetween'>
}

/** Summarizes what happened since a time. Each hour is read from the journal once. */
export class Recaps {
  readonly #ports: RecapPorts
  #hours = emptyHours()
  /** The last `forgotten` entry that was seen. */
  #forgotten = 0

  constructor(ports: RecapPorts) {
    this.#ports = ports
  }

  /** Without `since`: since the person went away. */
  async make(since: string | undefined): Promise<Recap> {
    const { store, asks, clock, git } = this.#ports
    const now = clock.now()
    const from = since === undefined ? await lastSeen(store, now) : new Date(since).toISOString()
    const part = await this.#partSince(from, now)
    const sessions = await store.sessions({ limit: MAX_SESSIONS })
    const recent = sessions.filter(({ lastSeenAt }) => lastSeenAt >= from)
    const projects = new Set([...part.projects.keys(), ...recent.flatMap(({ project }) => project ?? [])])
    const commits = await Promise.all(
      [...projects]
        .slice(0, MAX_PROJECTS)
        .map(async path => [path, await git.commitsBetween(path, Date.parse(from), now)] as const),
    )
    const until = new Date(now).toISOString()
    return finishRecap(part, {
      since: from,
      until,
      sessions,
      asks: asks.open(),
      commits: new Map(commits),
      readTest,
    })
  }

  async #partSince(from: string, now: number): Promise<RecapPart> {
    const { store } = this.#ports
    await this.#dropForgotten()
    const last = Math.floor(now / HOUR_MS)
    const first = Math.floor(Date.parse(from) / HOUR_MS) + 1
    const kept = Math.max(first, last - KEPT_HOURS)
    const part = emptyPart()
    // The hour in which the period begins counts in part; so does what is older than the hours that are kept.
    await addBetween(part, from, new Date(kept * HOUR_MS).toISOString(), store)
    if (kept > last) return part
    await this.#hours.readSince(new Date(kept * HOUR_MS).toISOString(), store)
    this.#hours.dropBefore(last - KEPT_HOURS)
    for (let hour = kept; hour <= last; hour++) {
      const known = this.#hours.hours.get(hour)
      if (known) joinPart(part, known)
    }
    return part
  }

  /** What was forgotten is in no recap either. */
  async #dropForgotten(): Promise<void> {
    const [last] = await this.#ports.store.entries({ kind: 'forgotten', order: 'desc', limit: 1 })
    if ((last?.seq ?? 0) === this.#forgotten) return
    this.#forgotten = last?.seq ?? 0
    this.#hours = emptyHours()
  }
}

const emptyHours = () =>
  new HourlyEntries<RecapPart>(WHICH, emptyPart, (part, entry) => addEntry(part, entry, readTest))

/** Adds the entries from one time to another, in batches, so that hooks are served in between. */
async function addBetween(
  part: RecapPart,
  from: string,
  to: string,
  store: Pick<Store, 'entries'>,
): Promise<void> {
  for (const which of WHICH)
    for (let after = 0, isMore = true; isMore; ) {
      const batch: Entry[] = await store.entries({ ...which, since: from, after, order: 'asc', limit: BATCH })
      for (const entry of batch) if (entry.at < to) addEntry(part, entry, readTest)
      const last = batch.at(-1)
      // Later entries are of later times, unless the clock was set back.
      isMore = batch.length === BATCH && last !== undefined && last.at < to
      after = last?.seq ?? after
      if (isMore) await turn()
    }
}

async function lastSeen(store: Pick<Store, 'entries'>, now: number): Promise<string> {
  const since = new Date(now - WEEK_MS).toISOString()
  const [answers, prompts] = await Promise.all([
    store.entries({ kind: 'ask', since, order: 'desc', limit: BATCH }),
    store.entries({ kind: 'event', type: 'PromptSubmitted', since, order: 'desc', limit: BATCH }),
  ])
  return awaySince([...answers, ...prompts], now)
}
