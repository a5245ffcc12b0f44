import type { ContextPoint, History, ModelUsageView } from '@batonpass/contract/dashboard'
import type { Entry } from '@batonpass/contract/journal'
import { sumHours, type Tally } from '../journal/tally.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'

interface HistoryParts {
  store: Store
  clock: Clock
  tally: Tally
}

/** What happened in the last hours, by hour, and how full the contexts were. */
export async function readHistory(hours: number, { store, clock, tally }: HistoryParts): Promise<History> {
  const now = clock.now()
  const since = new Date(now - hours * 3_600_000).toISOString()
  const [counted, measured, written] = await Promise.all([
    tally.hours(hours, now, store),
    store.entries({ kind: 'event', type: 'ContextMeasured', since, order: 'desc', limit: 3000 }),
    store.entries({ kind: 'handoff', since, order: 'desc', limit: 500 }),
  ])
  return { hours: counted, contexts: contextsOf(measured.toReversed(), written) }
}

/** The last 24 hours. */
export async function readModelUsage({ store, clock, tally }: HistoryParts): Promise<ModelUsageView> {
  const now = clock.now()
  const sum = sumHours(await tally.hours(24, now, store), now)
  return { calls: sum.modelCalls, tokens: sum.modelTokens, usd: sum.modelUsd }
}

function contextsOf(measured: readonly Entry[], handoffs: readonly Entry[]): History['contexts'] {
  const bySession = new Map<string, History['contexts'][number]>()
  for (const entry of measured) {
    const { session, nativeSession = '', project } = entry
    if (!session) continue
    const line = bySession.get(session) ?? {
      session,
      nativeSession,
      ...(project ? { project } : {}),
      points: [],
      handoffs: [],
    }
    bySession.set(session, line)
    line.points.push(...pointOf(entry))
  }
  for (const { session, at, body } of handoffs)
    if (session && body.kind === 'handoff' && body.what === 'written')
      bySession.get(session)?.handoffs.push(at)
  return [...bySession.values()].reverse().slice(0, 24)
}

export function pointOf({ at, body }: Entry): ContextPoint[] {
  if (body.kind !== 'event' || body.event.type !== 'ContextMeasured') return []
  const { used, percent, size } = body.event
  const known = percent ?? (size ? (used / size) * 100 : undefined)
  return [{ at, used, ...(known === undefined ? {} : { percent: known }) }]
}
