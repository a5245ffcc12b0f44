import type { Store } from '../ports/store.ts'

/** `journal.retain`: an entry goes when it is older than `days`, or when the journal is larger than `bytes`. */
export interface Retention {
  days: number
  bytes: number
}

/** What must go at a given moment. A limit of zero stands for "no limit". */
export function pruneLimits(retention: Retention, now: number): Parameters<Store['prune']>[0] {
  const { days, bytes } = retention
  return {
    ...(days > 0 ? { olderThan: new Date(now - days * 86_400_000).toISOString() } : {}),
    ...(bytes > 0 ? { maxBytes: bytes } : {}),
  }
}
