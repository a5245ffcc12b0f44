import type { Session } from '@batonpass/contract/session'
import type { Store } from '../ports/store.ts'

export interface LiveSessions {
  /** Every session that has not ended, in no particular order. Costs no query and no parsing after the first call. */
  liveSessions(): Promise<readonly Session[]>
}

/** Keeps the live sessions of a store in memory: the watch looks at all of them every few seconds. */
export function keepLiveSessions<S extends Store>(store: S): S & LiveSessions {
  let kept: Map<string, Session> | undefined
  let loading: Promise<Map<string, Session>> | undefined
  /** What changed while the sessions were read. */
  let changes: ((sessions: Map<string, Session>) => void)[] = []

  function apply(change: (sessions: Map<string, Session>) => void): void {
    if (kept) change(kept)
    else if (loading) changes.push(change)
  }

  async function load(): Promise<Map<string, Session>> {
    const sessions = await store.sessions({ live: true, limit: Number.MAX_SAFE_INTEGER })
    const read = new Map(sessions.map(session => [session.id as string, session]))
    for (const change of changes) change(read)
    changes = []
    kept = read
    return read
  }

  return {
    ...store,
    async liveSessions() {
      if (kept) return [...kept.values()]
      loading ??= load().finally(() => {
        loading = undefined
      })
      return [...(await loading).values()]
    },
    async record(entries, sessions) {
      const written = await store.record(entries, sessions)
      if (sessions && sessions.length > 0)
        apply(known => {
          for (const session of sessions) {
            if (session.endedAt === undefined) known.set(session.id, session)
            else known.delete(session.id)
          }
        })
      return written
    },
    async forget(session) {
      const removed = await store.forget(session)
      apply(known => known.delete(session))
      return removed
    },
    async prune(limits) {
      const pruned = await store.prune(limits)
      // Sessions without entries are gone as well; the next call reads what is left.
      if (pruned.removed > 0) kept = undefined
      return pruned
    },
  }
}
