import { setImmediate as turn } from 'node:timers/promises'
import type { Entry, EntryQuery } from '@batonpass/contract/journal'
import type { Recap } from '@batonpass/contract/recap'
import { systemGit } from '../adapters/git/git.ts'
import type { Asks } from '../ask/asks.ts'
import { awaySince } from '../journal/away.ts'
import { buildRecap } from '../journal/recap.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { readTest } from '../session/transcript/test-runs.ts'

const KINDS = ['decision', 'workflow', 'handoff', 'fault'] as const
const BATCH = 500
const MAX_ENTRIES = 20_000
const MAX_PROJECTS = 30
const WEEK_MS = 7 * 24 * 3_600_000

/** Summarizes what happened since a time, or since the person went away. */
export async function makeRecap(
  since: string | undefined,
  { store, asks, clock }: { store: Store; asks: Asks; clock: Clock },
): Promise<Recap> {
  const now = clock.now()
  const from = since ?? (await lastSeen(store, now))
  const queries: Partial<EntryQuery>[] = [
    ...KINDS.map(kind => ({ kind })),
    { kind: 'event', type: 'ToolFinished' },
  ]
  const entries: Entry[] = []
  for (const query of queries) entries.push(...(await newest({ ...query, since: from }, store)))
  const sessions = await store.sessions({ limit: 2000 })
  const projects = new Set([
    ...entries.flatMap(({ project }) => project ?? []),
    ...sessions.filter(({ lastSeenAt }) => lastSeenAt >= from).flatMap(({ project }) => project ?? []),
  ])
  const commits = await Promise.all(
    [...projects]
      .slice(0, MAX_PROJECTS)
      .map(async path => [path, await systemGit.commitsBetween(path, Date.parse(from), now)] as const),
  )
  const until = new Date(now).toISOString()
  return buildRecap({
    since: from,
    until,
    entries,
    sessions,
    asks: asks.open(),
    commits: new Map(commits),
    readTest,
  })
}

async function lastSeen(store: Store, now: number): Promise<string> {
  const since = new Date(now - WEEK_MS).toISOString()
  const [answers, prompts] = await Promise.all([
    store.entries({ kind: 'ask', since, order: 'desc', limit: BATCH }),
    store.entries({ kind: 'event', type: 'PromptSubmitted', since, order: 'desc', limit: BATCH }),
  ])
  return awaySince([...answers, ...prompts], now)
}

/** Reads in batches, so that hooks are served in between. */
async function newest(query: Partial<EntryQuery>, store: Store): Promise<Entry[]> {
  const found: Entry[] = []
  while (found.length < MAX_ENTRIES) {
    const last = found.at(-1)
    const batch = await store.entries({
      ...query,
      order: 'desc',
      limit: BATCH,
      ...(last ? { before: last.seq } : {}),
    })
    found.push(...batch)
    if (batch.length < BATCH) break
    await turn()
  }
  return found
}
